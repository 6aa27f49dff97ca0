"""What the tests of the Python package share."""
import csv
import io
import json
import os
import subprocess
import sys
import tempfile

SOURCE = os.environ["TD_SOURCE_DIR"]
BINARY = os.environ["TD_BINARY_DIR"]
TENDRIL = os.path.join(BINARY, "bin", "tendril")
HERE = os.path.join(SOURCE, "tests", "python")
PROGRAMS = os.path.join(HERE, "programs")
PACKAGES = os.path.join(BINARY, "python")
PYTHON = os.environ.get("TD_PYTHON", sys.executable)
sys.path.insert(0, os.path.join(SOURCE, "tests"))
from checks import check, failures  # noqa: E402,F401
from ports import free_port  # noqa: E402,F401
from unchanged import unchanged  # noqa: E402


def environment(**more):
    result = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "TRACY", "TENDRIL"))}
    result.update(PYTHONPATH=PACKAGES, PYTHONHASHSEED="0", PYTHONDONTWRITEBYTECODE="1", TENDRIL_CONFIG="none", **more)
    return result


def run(*words, **more):
    """Runs the interpreter with these arguments: its exit code, and what it printed."""
    variables = more.pop("variables", {})
    done = subprocess.run([PYTHON, *words], env=environment(**variables), capture_output=True, text=True, timeout=120,
                          errors="replace", **more)
    return done.returncode, done.stdout, done.stderr


class Trace:
    """A recorded program: its exit code, what it printed, and what is in the trace."""

    def __init__(self, *words, interpreter=(), before=("-m", "tracy"), **more):
        self.folder = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.folder.name, "t.tracy")
        variables = more.pop("variables", {})
        done = subprocess.run([TENDRIL, "record", "-q", "-b", "none", "-o", self.path, "--", PYTHON, *interpreter, *before,
                               *words], env=environment(**variables), capture_output=True, text=True, timeout=120,
                              errors="replace", **more)
        self.code, self.out = done.returncode, done.stdout
        self.err = "".join(line for line in done.stderr.splitlines(True) if not line.startswith("tendril record: "))

    def table(self, *options):
        done = subprocess.run([TENDRIL, "csvexport", *options, self.path], capture_output=True, text=True, check=True,
                              errors="replace", env=environment())
        return list(csv.DictReader(io.StringIO(done.stdout)))

    def zones(self):
        """How often each zone occurs: {(file, line, name): count}."""
        result = {}
        for zone in self.info()["names"]:
            key = zone["file"], zone["line"], zone["name"]
            result[key] = result.get(key, 0) + zone["count"]
        return result

    def count(self, name):
        return sum(zone["count"] for zone in self.info()["names"] if zone["name"] == name)

    def info(self):
        done = subprocess.run([TENDRIL, "info", "--json", self.path], capture_output=True, text=True, check=True,
                              env=environment())
        return unchanged(json.loads(done.stdout))

    def tracks(self):
        return [track["name"] for track in self.info()["tracks"]]

    def messages(self):
        return [row["MessageName"] for row in self.table("-m")]


def counted(*words, **more):
    """The same counts as Trace.zones(), by sys.setprofile(), and the run's exit code and output."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "counts")
        variables = dict(more.pop("variables", {}), COUNTS=path)
        counter = os.path.join(HERE, "counter")
        variables = {**environment(**variables), "PYTHONPATH": counter + os.pathsep + PACKAGES}
        done = subprocess.run([PYTHON, *words], env=variables, capture_output=True, text=True, timeout=120, errors="replace",
                              **more)
        with open(path, encoding="utf-8") as file:
            rows = [line.rstrip("\n").split("\t") for line in file]
    return {(path, int(line), name): int(count) for path, line, name, count in rows}, done.returncode, done.stdout
