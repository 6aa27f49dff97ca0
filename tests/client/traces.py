"""Runs programs under recorders and reads the call stacks of their traces. For the tests here."""
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from checks import THOROUGH
from ports import free_port

SOURCE = os.environ.get("TD_SOURCE_DIR", os.getcwd())
BINARY = os.environ.get("TD_BINARY_DIR", os.path.join(SOURCE, "build"))
STOCK = os.environ.get("TD_STOCK_DIR", "")
HERE = os.path.join(SOURCE, "tests", "client")
TESTS = os.path.join(BINARY, "tests")
STUCK_S = 1 # after this time without a processor, a client's look-up counts as stuck when its program ends
slowest_s = 0


def marked_lines(name):
    """The numbers of lines with a comment /* @word */."""
    marks = {}
    with open(os.path.join(HERE, name), encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            for word in re.findall(r"/\* @(\w+) \*/", line):
                marks[word] = number
    return marks


def check(condition, *what):
    if not condition:
        print("failed:", *what)
        sys.exit(1)


class Trace:
    def __init__(self, path):
        dump = subprocess.run([os.path.join(TESTS, "trace_dump"), path], stdout=subprocess.PIPE, check=True)
        self.dump = json.loads(dump.stdout.decode("utf-8", "replace"))
        self.frames, begin = {}, 0
        for frame, image, end in self.dump["STACK_FRAME"]:
            self.frames[frame] = (image, self.dump["STACK_LINE"][begin:end])
            begin = end

    def stack(self, addresses):
        """[(image, [(function, file, line), ...])], innermost first; paths without their folders."""
        result = []
        for address in addresses or []:
            image, lines = self.frames.get(address, ("", []))
            result.append((os.path.basename(image or ""),
                           [(line[0], os.path.basename(line[1] or ""), line[2]) for line in lines]))
        return result

    def lines(self, addresses):
        """All of a call stack's lines, one list."""
        return [line for _, lines in self.stack(addresses) for line in lines]

    def message(self, text):
        return next(m for m in self.dump["MESSAGE"] if m[2] == text)[4]

    def zones(self):
        return [row[0] for row in self.dump["EXTRA"] if row[0]]


def unhurried(test, *args):
    """A test of names, which a client has no more than some seconds to look up once its program ends. Where a recording
    took so long that it may have given one up, all is done again; what fails otherwise has failed."""
    global slowest_s
    for _ in range(3):
        slowest_s = 0
        try:
            return test(*args)
        except SystemExit:
            if slowest_s < STUCK_S:
                raise
            print("a recording took %.1f s, too long for names: once more" % slowest_s)
    return test(*args)


def capture(recorder, program, *args, env=None, status=0, keep=None, code=False, **more):
    """Runs the program under the recorder; the trace, whose file is kept if a path says where. Machine code is sent if the
    test is about it: recorders then ask for the place of each instruction, which takes seconds of a processor."""
    global slowest_s
    port, began = free_port(), time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "t.tracy")
        environment = dict(os.environ, TRACY_PORT=str(port), TENDRIL_WAIT_CONNECT_MS="20000", **(env or {}))
        if not code:
            environment["TRACY_NO_CODE_TRANSFER"] = "1"
        with open(os.path.join(folder, "log"), "w+", encoding="utf-8", errors="replace") as log, \
             open(os.path.join(folder, "errors"), "w+", encoding="utf-8", errors="replace") as errors:
            process = subprocess.Popen([program, *args], env=environment, stderr=errors, **more)
            try:
                done = subprocess.run([*recorder, "-f", "-a", "127.0.0.1", "-p", str(port), "-o", path], stdout=log,
                                      stderr=log, timeout=100)
                ended = process.wait(100)
            finally:
                process.kill()
                slowest_s = max(slowest_s, time.monotonic() - began)
            log.seek(0)
            text = log.read()
            errors.seek(0)
            said = errors.read(4000)
        check(done.returncode == 0, recorder, program, args, done.returncode, text)
        check(ended == status, program, args, "ended with", ended, said)
        check("instrumentation failure" not in text.lower(), text)
        if keep:
            shutil.copy(path, keep)
        return Trace(path)


def version(path):
    """For the order of releases; the fork is the last."""
    return [int(number) for number in path.split(os.sep)[-3].split(".")] if "ttfork" not in path else [99]


def recorders():
    """`tendril capture`, then stock's of the oldest and the newest release and of the fork, as far as installed, or
    thoroughly of every one; sets what the client must know of them."""
    os.environ["TENDRIL_PEER"] = ""
    yield [os.path.join(BINARY, "bin", "tendril"), "capture"]
    stock = glob.glob(os.path.join(STOCK, "*", "bin", "capture")) if STOCK else []
    # 0.9.0 does not notice sessions of less than 100 ms; 0.9.1 speaks the same protocol.
    stock = [path for path in sorted(stock, key=version) if "/0.9.0/" not in path]
    for path in stock if THOROUGH else dict.fromkeys([*stock[:1], *stock[-2:]]):
        os.environ["TENDRIL_PEER"] = "tt" if "/ttfork/" in path else ""
        yield [path]
    if not stock:
        print("skipped: TD_STOCK_DIR names no folder with stock programs")
