"""What the tests of serving share: a server, recorders that connect to it, and the comparison of two traces by what
`tendril info --json` prints."""
import glob
import json
import os
import re
import signal
import subprocess
import sys

SOURCE = os.environ.get("TD_SOURCE_DIR", os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
BINARY = os.environ.get("TD_BINARY_DIR", os.path.join(SOURCE, "build"))
sys.path.insert(0, os.path.join(SOURCE, "tests"))
import ports  # noqa: E402
from unchanged import unchanged  # noqa: E402

# Formats of files by which `tendril capture` chooses the protocol: one of each.
RELEASES = ["0.9.1", "0.10.0", "0.11.0", "tt", "0.11.1", "0.12.2", "0.13.1", "0.14.0"]
WAIT_S = 120  # only for what hangs

# What differs from session to session, or follows from the order in which names were first seen.
LOOSE = {"file", "version", "capture", "capture_time_s", "schema", "tables", "timer_mul"}


def run(arguments, **more):
    return subprocess.run(arguments, capture_output=True, text=True, timeout=WAIT_S, **more)


class Server:
    """`tendril serve FILE`."""

    def __init__(self, tendril, trace, *options, env=None):
        self.process = subprocess.Popen([tendril, "serve", trace, "-p", "0", *options], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True, env=env)
        line = self.process.stdout.readline()
        assert ":" in line, line + self.process.stderr.read()
        self.port = int(line.rsplit(":", 1)[1])

    def end(self):
        """Its exit code and its last line."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        out, err = self.process.communicate(timeout=WAIT_S)
        return self.process.returncode, out, err


def info(tendril, trace):
    result = run([tendril, "info", "--json", trace])
    assert result.returncode == 0, result.stderr
    return unchanged(json.loads(result.stdout))


def stock_captures():
    """Programs of stock releases; 0.9.0's loses sessions of less than 100 ms."""
    stock = os.environ.get("TD_STOCK_DIR", "")
    found = sorted(glob.glob(os.path.join(stock, "*", "bin", "capture"))) if stock else []
    if not found:
        print("skipped: TD_STOCK_DIR names no folder with stock captures")
    return [path for path in found if re.fullmatch("[0-9.]+", release_of(path)) and release_of(path) != "0.9.0"]


def release_of(path):
    return path.split(os.sep)[-3]


def key(item):
    return json.dumps(item, sort_keys=True)


def is_own_note(value):
    """What a recorder says about its own clock."""
    return isinstance(value, str) and value.startswith("tendril.clock_origin")


def normal(value, path=()):
    """Without what may differ; lists in an order of their own."""
    if isinstance(value, dict):
        return {k: normal(v, path + (k,)) for k, v in value.items() if path or k not in LOOSE}
    if isinstance(value, list):
        return sorted((normal(v, path + ("",)) for v in value if not is_own_note(v)), key=key)
    return value


def differences(a, b, path=""):
    if isinstance(a, dict) and isinstance(b, dict):
        return [d for k in sorted(set(a) | set(b)) for d in differences(a.get(k), b.get(k), f"{path}.{k}")]
    if isinstance(a, list) and isinstance(b, list):
        missing = [x for x in a if x not in b]
        extra = [x for x in b if x not in a]
        return [f"{path}: only in the first: {key(x)[:300]}" for x in missing] + [
            f"{path}: only in the second: {key(x)[:300]}" for x in extra]
    return [] if a == b else [f"{path}: {a!r} became {b!r}"]
