"""What the end-to-end tests share: running the built programs and reading what they print."""
import csv
import io
import json
import os
import subprocess
import sys
import tempfile

BUILD = os.environ["TD_BINARY_DIR"]
SOURCE = os.environ["TD_SOURCE_DIR"]
TENDRIL = os.path.join(BUILD, "bin", "tendril")
sys.path.insert(0, os.path.join(SOURCE, "tests"))
from checks import THOROUGH  # noqa: E402,F401
from unchanged import unchanged  # noqa: E402


def stock(release, program):
    """Path of a program of a stock Tracy release, or None if it is missing."""
    folder = os.environ.get("TD_STOCK_DIR")
    path = os.path.join(folder, release, "bin", program) if folder else ""
    return path if os.path.exists(path) else None


def example(name):
    return os.path.join(BUILD, "examples", name, name)


def run(argv, timeout=300, check=True, env=None):
    full = dict(os.environ, **(env or {}))
    done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=timeout, env=full)
    if check and done.returncode != 0:
        fail(f"{' '.join(argv)}\nexited with {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def record(out, program, *options, check=True, timeout=300, env=None):
    done = run([TENDRIL, "record", "-o", out, *options, "--", *program], check=check, timeout=timeout, env=env)
    if check and os.path.isfile(out):
        info(out)
    return done


def info(trace, *options):
    return unchanged(json.loads(run([TENDRIL, "info", "--json", *options, trace]).stdout))


def dump(trace):
    return json.loads(run([os.path.join(BUILD, "tests", "trace_dump"), trace]).stdout)


def csvexport(trace, *options, program=TENDRIL):
    # Later styles print texts, which may contain line breaks.
    argv = [program, "csvexport", "--style", "0.11.1"] if program == TENDRIL else [program]
    return list(csv.DictReader(io.StringIO(run([*argv, *options, trace]).stdout)))


def fail(text):
    print("FAILED: " + text)
    sys.exit(1)


def expect(condition, text):
    if not condition:
        fail(text)


def folder():
    return tempfile.TemporaryDirectory(prefix="tendril-test-")
