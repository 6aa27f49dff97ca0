"""What the Python tests of commands share: paths, a free port, and a count of failed checks."""
import os
import sys

SOURCE = os.environ["TD_SOURCE_DIR"]
BINARY = os.environ["TD_BINARY_DIR"]
TENDRIL = os.path.join(BINARY, "bin", "tendril")
TRACE = os.path.join(SOURCE, "tests/data/trace/0.11.1/features.tracy")
sys.path.insert(0, os.path.join(SOURCE, "tests"))
from ports import free_port  # noqa: E402,F401
from unchanged import unchanged  # noqa: E402,F401

_failures = []


def check(what, ok, *detail):
    if not ok:
        _failures.append(what)
        print(f"FAILED {what}:", *detail, flush=True)


def exit_status():
    """Of the test: 1 if a check failed."""
    return 1 if _failures else print("ok") or 0
