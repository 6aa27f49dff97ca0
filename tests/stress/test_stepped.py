#!/usr/bin/env python3
"""The machine's time of day is set by an hour, to and fro, while something records: no event is lost or out of order, no time
is wrong, nothing waits for an hour, and nothing is reported. The library stress_stepped.so stands in for the step: it is in the
recorder alone, so the kernel and the programs see no step."""
import os
import signal
import subprocess
import sys
import tempfile
import time

from kit import BINARY, LOAD, TENDRIL, check_zones, info, is_connected, listens, run, wait_for
from checks import check, failures
from ports import free_port

HOUR = 3600
STEPPED = os.path.join(BINARY, "tests", "stress_stepped.so")


class Stepped:
    """A recorder whose time of day is set when step() is called."""

    def __init__(self, folder, seconds, *words):
        self.file = os.path.join(folder, "step")
        if os.path.exists(self.file):
            os.remove(self.file)
        self.env = dict(os.environ, LD_PRELOAD=STEPPED, STEPPED_FILE=self.file, STEPPED_S=str(seconds))
        self.words = words

    def step(self):
        with open(self.file, "w", encoding="ascii"):
            pass

    def start(self):
        self.process = subprocess.Popen([TENDRIL, *self.words], env=self.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        universal_newlines=True)
        return self.process

    def end(self, number=signal.SIGINT):
        """Exit status and lines of standard error."""
        self.process.send_signal(number)
        try:
            _, err = self.process.communicate(timeout=20)
        except subprocess.TimeoutExpired:
            check(False, "%s waits" % self.words[0])
            self.process.kill()
            _, err = self.process.communicate()
        return self.process.returncode, err.strip().splitlines()


def start_load(port):
    return subprocess.Popen([LOAD, "2", "1000000000", "3000"], stdout=subprocess.DEVNULL,
                            env=dict(os.environ, TRACY_PORT=str(port), TENDRIL_EXIT_WAIT_MS="0"))


def check_trace(what, trace, lived_s):
    code, out, threads = check_zones(trace)
    check(code == 0 and len(threads) == 2, "%s: %s" % (what, out[-300:]))
    check(all(t["first"] == 0 and t["zones"] == t["last"] + 1 for t in threads), "%s: %s" % (what, threads))
    last_s = info(trace)["last_time_ns"] / 1e9
    check(lived_s - 1 < last_s < lived_s + 1, "%s: the last time is %.2f s instead of %.2f s" % (what, last_s, lived_s))


def during_a_capture(folder, seconds, killed):
    what, trace, port = "%d s, %s" % (seconds, "killed" if killed else "saved"), os.path.join(folder, "c.tracy"), free_port()
    began, program = time.monotonic(), start_load(port)
    recorder = Stepped(folder, seconds, "capture", "-q", "-f", "-o", trace, "-p", str(port))
    try:
        recorder.start()
        check(wait_for(lambda: is_connected(port)), "capture does not connect")
        time.sleep(.5)
        recorder.step()
        time.sleep(.8)
        lived_s = time.monotonic() - began
        code, lines = recorder.end(signal.SIGKILL if killed else signal.SIGINT)
        check(killed or (code == 0 and not lines), "%s: %d %s" % (what, code, lines))
    finally:
        program.kill()
        program.wait()
    if killed:
        code, _, lines = run(TENDRIL, "recover", "-q", trace)
        check(code == 0 and len(lines) == 1, "%s: recover: %d %s" % (what, code, lines))
    check_trace(what, trace, lived_s)
    os.remove(trace)


def before_a_record(folder, seconds):
    """The program began before the step, the recorder after it. It still knows that both have one clock."""
    what, trace, port = "%d s before" % seconds, os.path.join(folder, "r.tracy"), free_port()
    program = start_load(port)
    recorder = Stepped(folder, seconds, "record", "-q", "-o", trace, "-a", ":%d" % port, "-a", ":%d" % free_port())
    recorder.step()
    try:
        check(wait_for(lambda: listens(port)), "the program does not listen")
        recorder.start()
        check(wait_for(lambda: is_connected(port)), "record does not connect")
        time.sleep(.5)
        code, lines = recorder.end()
        check(code == 0 and not lines, "%s: %d %s" % (what, code, lines))
    finally:
        program.kill()
        program.wait()
    processes = info(trace)["processes"]
    check(not any("ns" in line.split() for line in processes), "%s: not the same clock: %s" % (what, processes))
    os.remove(trace)


def while_an_agent_waits(folder):
    agent = Stepped(folder, HOUR, "agent", "--listen", "0", "--", "true")
    agent.step()
    agent.start()
    check("agent at port" in agent.process.stdout.readline(), "the agent does not listen")
    time.sleep(.2)
    code, lines = agent.end()
    check(code == 0 and not lines, "agent: %d %s" % (code, lines))


def main():
    with tempfile.TemporaryDirectory(prefix="stepped-") as folder:
        for seconds in HOUR, -HOUR:
            during_a_capture(folder, seconds, False)
            before_a_record(folder, seconds)
        during_a_capture(folder, -HOUR, True)
        while_an_agent_waits(folder)
    print("%d wrong" % failures())
    return failures() != 0


if __name__ == "__main__":
    sys.exit(main())
