"""Runs a program, records it with this tree's capture or a stock one, and reads the trace. For tests."""
import glob
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from ports import free_port
from unchanged import unchanged

SOURCE = os.environ.get("TD_SOURCE_DIR", os.getcwd())
BINARY = os.environ.get("TD_BINARY_DIR", os.path.join(SOURCE, "build"))
STOCK = os.environ.get("TD_STOCK_DIR", "")
TENDRIL = os.path.join(BINARY, "bin", "tendril")


def captures():
    """(name, program) of our capture and of that of every stock release that is found."""
    found = [("tendril", TENDRIL)]
    # 0.9.0's capture does not notice sessions of less than 100 ms; 0.9.1 speaks the same protocol.
    for path in sorted(glob.glob(os.path.join(STOCK, "*", "bin", "capture"))) if STOCK else []:
        release = path.split(os.sep)[-3]
        if release != "0.9.0":
            found.append((release, path))
    if len(found) == 1:
        print("skipped: TD_STOCK_DIR names no folder with stock captures")
    return found


def _end_of(process, seconds):
    try:
        return process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.communicate()


class Run:
    """One recorded run: output and exit codes."""

    def __init__(self, name, capture, program, trace, env=None, options=()):
        port = free_port()
        env = dict(os.environ, TRACY_PORT=str(port), **(env or {}))
        env.setdefault("TENDRIL_WAIT_CONNECT_MS", "20000")
        if name == "ttfork":
            env["TENDRIL_PEER"] = "tt"
        command = [capture] + (["capture"] if name == "tendril" else [])
        command += ["-f", "-a", "127.0.0.1", "-p", str(port), "-o", trace, *options]
        with subprocess.Popen(program, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              universal_newlines=True) as running:
            recording = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                         universal_newlines=True)
            self.out, self.err = _end_of(running, 150)
            self.code = running.returncode
            self.capture_out, _ = _end_of(recording, 100)  # takes long if the program never listened
            self.capture_code = recording.returncode
        self.failed = "nstrumentation failure" in self.capture_out
        self.trace = trace

    def fault(self):
        """What failed in the run itself, or None."""
        if self.code or self.capture_code or self.failed:
            return "program %d, capture %d: %s%s" % (self.code, self.capture_code, self.err, self.capture_out)
        return None

    def dump(self):
        return dump(self.trace)


def dump(trace):
    out = subprocess.run([os.path.join(BINARY, "tests", "trace_dump"), trace], check=True, stdout=subprocess.PIPE)
    return json.loads(out.stdout.decode("utf-8", "replace"))


def info(trace):
    done = subprocess.run([TENDRIL, "info", "--json", trace], stdout=subprocess.PIPE, check=True, timeout=300)
    return unchanged(json.loads(done.stdout))


class Check:
    """Counts and prints differences from what is expected."""

    def __init__(self):
        self.wrong = 0

    def same(self, what, found, expected):
        if found != expected:
            self.wrong += 1
            print("%s: %s instead of %s" % (what, found, expected))

    def true(self, what, holds):
        self.same(what, bool(holds), True)

    def leave(self):
        print("%d wrong" % self.wrong if self.wrong else "all as it should be")
        sys.exit(self.wrong != 0)
