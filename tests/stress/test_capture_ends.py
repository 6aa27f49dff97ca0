#!/usr/bin/env python3
"""`tendril capture` is ended by a user, a limit or a fault while a program sends at full speed: one clear line,
the right exit code, and the events that had arrived are saved and can be read."""
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

import kit
from kit import BINARY, TENDRIL, check_zones, is_connected, listens
from checks import check, failures
from ports import free_port

# A million zones a second; with a sanitizer fewer.
PAUSE_US = {"address": "2000", "thread": "50000"}.get(os.environ.get("TD_SANITIZED"), "1000")


class Program:
    """A program that marks as fast as it can until it is ended."""

    def __enter__(self):
        self.port = free_port()
        self.process = subprocess.Popen([os.path.join(BINARY, "tests", "stress_load"), "4", "1000000000", PAUSE_US],
                                        env=dict(os.environ, TRACY_PORT=str(self.port), TENDRIL_EXIT_WAIT_MS="500"),
                                        stdout=subprocess.DEVNULL)
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def wait_for(condition, what):
    check(kit.wait_for(condition, .02), "waited in vain: " + what)


def heeds(pid, number):
    """Has the process a handler for the signal?"""
    with open("/proc/%d/status" % pid, encoding="utf-8") as f:
        caught = next(line for line in f if line.startswith("SigCgt:"))
    return int(caught.split()[1], 16) >> (number - 1) & 1


def capture(port, trace, *more, **options):
    return subprocess.Popen([TENDRIL, "capture", "-o", trace, "-p", str(port), *more], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, universal_newlines=True, **options)


def result(running):
    try:
        out, err = running.communicate(timeout=100)
    except subprocess.TimeoutExpired:
        running.kill()
        out, err = running.communicate()
        check(False, "capture does not end")
    return running.returncode, out, err.strip().splitlines()


def check_trace(trace):
    """Checks that the trace is readable and in order. Returns whether names of zones had arrived."""
    code, out, _ = check_zones(trace, timeout=200)
    check(code == 0, "the trace: " + out[-300:])
    return "thread 0 first 0 " in out


def patiently(test, folder, *more):
    """On a slow machine or with a sanitizer, names and greetings take longer to arrive among the other data."""
    if not any(test(folder, seconds, *more) for seconds in (1.5, 6, 24)):
        check(False, "too little came: " + test.__name__)


def ends_by_signal(folder, seconds, number, twice=False):
    trace = os.path.join(folder, "signal.tracy")
    with Program() as program:
        running = capture(program.port, trace, "-f")
        wait_for(lambda: is_connected(program.port), "capture is connected")
        time.sleep(seconds)
        running.send_signal(number)
        if twice:
            time.sleep(.05)
            running.send_signal(number)
        code, out, lines = result(running)
        if code and "before a program connected" in "".join(lines):
            check(not os.path.exists(trace), "stopped before the greeting: a file is there")
            return False
        if twice and code == 130:  # the capture was already writing
            check(len(lines) == 1 and not os.path.exists(trace), "stopped twice: %s" % lines)
            return True
        check(code == 0 and len(lines) <= 1 and "zones" in out, "signal %d: %d %s %s" % (number, code, out, lines))
        check(twice or "without name" not in out or " 0 without name" in out, out)  # the second signal skips the wait for names
        known = check_trace(trace)
        if os.path.exists(trace):
            os.remove(trace)
        return known


def ends_before_a_program_is_there(folder):
    trace = os.path.join(folder, "nobody.tracy")
    running = capture(free_port(), trace)
    wait_for(lambda: heeds(running.pid, signal.SIGINT), "capture heeds signals")
    time.sleep(.1)
    running.send_signal(signal.SIGINT)
    code, out, lines = result(running)
    check(code in (3, 130) and len(lines) == 1 and not out, "before a program: %d %s %s" % (code, out, lines))
    check(not os.path.exists(trace), "before a program: a file is there")


def ends_with_the_program(folder, seconds):
    trace = os.path.join(folder, "killed.tracy")
    with Program() as program:
        running = capture(program.port, trace, "-f")
        wait_for(lambda: is_connected(program.port), "capture is connected")
        time.sleep(seconds)
        program.process.kill()
        code, _, lines = result(running)
        if code and "instead of greeting" in "".join(lines):
            return False
        check(code == 0 and len(lines) == 1 and "went away" in lines[0], "killed program: %d %s" % (code, lines))
        return check_trace(trace)


def keeps_a_file_that_is_there(folder):
    trace = os.path.join(folder, "there.tracy")
    with open(trace, "w", encoding="ascii") as f:
        f.write("precious")
    with Program() as program:
        code, _, lines = result(capture(program.port, trace))
        check(code == 4 and len(lines) == 1 and "-f" in lines[0], "a file is there: %d %s" % (code, lines))
    with open(trace, encoding="ascii") as f:
        check(f.read() == "precious", "the file that was there is gone")


def says_that_the_disk_is_full(folder, seconds):
    """Saves to a small file system if the user may mount one, else to a device that is always full."""
    small = os.path.join(folder, "small")
    os.makedirs(small, exist_ok=True)
    mounted = os.geteuid() == 0 and subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=8k", "tmpfs", small], stderr=subprocess.DEVNULL).returncode == 0
    trace, other = os.path.join(small, "full.tracy") if mounted else "/dev/full", os.path.join(folder, "other")
    os.makedirs(other, exist_ok=True)
    try:
        with Program() as program:
            # A journal would fill the disk first; that is a case of tests/tools/test_recover.py.
            code, _, lines = result(capture(program.port, trace, "-f", "--no-journal", "-s", str(round(seconds)),
                                            env=dict(os.environ, TMPDIR=other)))
            if mounted and code == 0 and os.path.getsize(trace) <= 8192:
                return False  # the session was too small to fill the disk
            check(code == 5 and len(lines) == 1 and "space" in lines[0], "disk full: %d %s" % (code, lines))
            check(not mounted or not os.listdir(small), "disk full: left behind %s" % os.listdir(small))
            saved = [os.path.join(other, name) for name in os.listdir(other)]
            check(len(saved) == 1 and saved[0] in lines[0], "disk full: saved in %s" % saved)
            return len(saved) == 1 and check_trace(saved[0])
    finally:
        shutil.rmtree(other)
        if mounted:
            subprocess.run(["umount", small], check=True)


def survives_a_reader_that_left(folder, seconds):
    """Its output is a pipe that no process reads."""
    trace = os.path.join(folder, "pipe.tracy")
    read, write = os.pipe()
    os.close(read)
    with Program() as program:
        running = subprocess.Popen([TENDRIL, "capture", "-f", "-o", trace, "-p", str(program.port), "-s",
                                    str(round(seconds))], stdout=write, stderr=write)
        os.close(write)
        code = running.wait(100)
        check(code == 0, "closed pipe: %d" % code)
        return check_trace(trace)


class Between:
    """Forwards between a program and its capture. After a number of the program's bytes it sends others."""

    def __init__(self, port, whole_bytes, at=0):
        self.broke = threading.Event()
        self.listener = socket.socket()
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.listener.bind(("127.0.0.1", at))
        self.listener.listen()
        self.port = self.listener.getsockname()[1]
        self.program, self.left = port, whole_bytes
        threading.Thread(target=self.serve, daemon=True).start()

    def connect(self):
        """The connections to both sides, or None: no further capture connects."""
        try:
            capture_end, _ = self.listener.accept()
        except OSError:
            return None, None
        return capture_end, socket.create_connection(("127.0.0.1", self.program))

    def serve(self):
        while True:
            capture_end, program_end = self.connect()
            if not capture_end:
                return
            threading.Thread(target=self.pass_on, args=(capture_end, program_end, False), daemon=True).start()
            self.pass_on(program_end, capture_end, True)

    def pass_on(self, source, to, counted):
        try:
            while data := source.recv(65536):
                if counted:
                    data = data[:self.left]
                    self.left -= len(data)
                to.sendall(data)
                if counted and not self.left:
                    to.sendall(b"\xff" * (1 << 20))  # more than a frame
                    self.broke.set()
                    break
            to.shutdown(socket.SHUT_WR)
        except OSError:
            pass


def be_a_broken_program():
    """A command for record: it sends the events of another program up to a damaged place, then exits with 0."""
    with Program() as program:
        wait_for(lambda: listens(program.port), "the program listens")
        Between(program.port, 1 << 20, int(os.environ["TRACY_PORT"])).broke.wait(100)
    os._exit(0)


def record_says_what_cannot_be_understood(folder):
    trace = os.path.join(folder, "recorded.tracy")
    running = subprocess.Popen([TENDRIL, "record", "-o", trace, "--", sys.executable, os.path.abspath(__file__), "broken"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
    code, out, lines = result(running)
    check(code == 1 and len(lines) == 1 and "bytes that make no sense" in lines[0], "record: %d %s" % (code, lines))
    check("zones" in out and os.path.exists(trace), "record: no trace")


def says_what_cannot_be_understood(folder):
    """The events before the fault are saved."""
    trace = os.path.join(folder, "broken.tracy")
    with Program() as program:
        wait_for(lambda: listens(program.port), "the program listens")
        between = Between(program.port, 1 << 20)
        code, out, lines = result(capture(between.port, trace, "-f", "-s", str(100)))
        between.listener.close()
        check(code == 6 and len(lines) == 1 and "bytes that make no sense" in lines[0], "broken stream: %d %s" % (code, lines))
        check("zones" in out, "broken stream: no summary")
        check_trace(trace)


def says_that_the_program_is_busy(folder):
    first, second = os.path.join(folder, "first.tracy"), os.path.join(folder, "second.tracy")
    with Program() as program:
        running = capture(program.port, first)
        wait_for(lambda: is_connected(program.port), "capture is connected")
        time.sleep(1)
        code, out, lines = result(capture(program.port, second))
        check(code == 2 and len(lines) == 1 and "is busy with another" in lines[0] and not out,
              "a busy program: %d %s" % (code, lines))
        check(not os.path.exists(second), "a busy program: a file is there")
        running.send_signal(signal.SIGINT)
        code, _, lines = result(running)
        check(code == 0 and not lines, "the first capture: %d %s" % (code, lines))


def main():
    with tempfile.TemporaryDirectory() as folder:
        patiently(ends_by_signal, folder, signal.SIGINT)
        patiently(ends_by_signal, folder, signal.SIGTERM)
        patiently(ends_by_signal, folder, signal.SIGHUP)
        patiently(ends_by_signal, folder, signal.SIGINT, True)
        ends_before_a_program_is_there(folder)
        patiently(ends_with_the_program, folder)
        keeps_a_file_that_is_there(folder)
        patiently(says_that_the_disk_is_full, folder)
        patiently(survives_a_reader_that_left, folder)
        says_what_cannot_be_understood(folder)
        record_says_what_cannot_be_understood(folder)
        says_that_the_program_is_busy(folder)
        shutil.rmtree(os.path.join(folder, "small"), ignore_errors=True)
    print("%d wrong" % failures())
    return failures() != 0


sys.exit(be_a_broken_program() if sys.argv[1:] else main())
