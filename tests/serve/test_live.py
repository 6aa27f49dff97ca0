"""Recorders follow a capture with --serve: in several protocols at once, from the start, late, suspended. Each gets
exactly what the capture has, and the capture does not wait for the suspended one longer than it says."""
import atexit
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time

import serving
from serving import BINARY, differences, info, normal, ports, run

TENDRIL = os.path.join(BINARY, "bin", "tendril")
MARKER = os.path.join(BINARY, "tests", "serve_marker")
TURNS = 2000
PAUSE_US = 1000


class Capture:
    """A recorder in the background: ours, or a stock one by its path."""

    def __init__(self, folder, name, port, options=(), program=None):
        self.name, self.trace = name, os.path.join(folder, name + ".tracy")
        command = [program] if program else [TENDRIL, "capture"]
        command += ["-f", "-a", "127.0.0.1", "-p", str(port), "-o", self.trace, *options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        atexit.register(self.process.kill)  # where a test has failed; nothing is done to an ended process

    def end(self):
        self.out, self.err = self.process.communicate(timeout=serving.WAIT_S)
        return self.process.returncode


class Session:
    """The marking program and the capture that serves."""

    def __init__(self, folder, turns, pause_us, parameter_file=None):
        port, self.port = ports.free_port(), ports.free_port()
        env = dict(os.environ, TRACY_PORT=str(port), TENDRIL_WAIT_CONNECT_MS="20000")
        arguments = [MARKER, str(turns), str(pause_us)] + ([parameter_file] if parameter_file else [])
        self.capture = Capture(folder, "recorded", port, ["--no-sources", "--serve", str(self.port)])
        self.program = subprocess.Popen(arguments, env=env)
        atexit.register(self.program.kill)

    def end(self):
        assert self.program.wait(serving.WAIT_S) == 0
        code = self.capture.end()
        assert code == 0, (code, self.capture.out, self.capture.err)


def must_equal(recorded, viewer, release, folder):
    same = os.path.join(folder, "same.tracy")
    made = run([TENDRIL, "update", "-q", "--format", release, recorded, same])
    assert made.returncode == 0, made.stderr
    a, b = normal(info(TENDRIL, same)), normal(info(TENDRIL, viewer))
    assert a["zones"] == TURNS * 2 * 3 and a["messages"] == TURNS * 2 * 2, (a["zones"], a["messages"])
    # Stock recorders read source files by themselves, and ask what the addresses in a function's code mean.
    own = (".last_time_ns", ".source_files: only in the second", ".call_stacks.frames")
    found = [d for d in differences(a, b) if not d.startswith(own)]
    assert not found, (viewer, found[:10])


def test_followers(folder):
    """Early ones and late ones, of many releases, all get the whole trace."""
    session = Session(folder, TURNS, PAUSE_US)
    viewers = [(r, Capture(folder, "early " + r, session.port, ["--no-sources", "--format", r])) for r in
               ("0.9.1", "0.11.1", "0.14.0")]
    stocks = serving.stock_captures()
    viewers += [(serving.release_of(p), Capture(folder, "stock " + serving.release_of(p), session.port, program=p))
                for p in stocks[:2]]
    time.sleep(1)
    viewers += [("0.12.2", Capture(folder, "late", session.port, ["--no-sources", "--format", "0.12.2"]))]
    viewers += [(serving.release_of(p), Capture(folder, "late stock " + serving.release_of(p), session.port, program=p))
                for p in stocks[2:]]
    suspended = Capture(folder, "suspended", session.port, ["--no-sources"])
    time.sleep(0.7)
    suspended.process.send_signal(signal.SIGSTOP)
    session.end()
    suspended.process.send_signal(signal.SIGCONT)
    for release, viewer in viewers:
        code = viewer.end()
        assert code == 0, (viewer.name, code, viewer.out[-500:], viewer.err[-500:])
        must_equal(session.capture.trace, viewer.trace, release, folder)
    suspended.end()
    assert "viewers did not take all of the trace in time" in session.capture.err, session.capture.err


def test_suspended_costs_nothing(folder):
    """The capture keeps its counts and its memory while a viewer is suspended from its first bytes on."""
    peaks = []
    for with_viewer in (False, True):
        session = Session(folder, 60000, 0)
        viewer = None
        if with_viewer:
            viewer = Capture(folder, "suspended", session.port, ["--no-sources"])
            time.sleep(0.2)
            viewer.process.send_signal(signal.SIGSTOP)
        assert session.program.wait(serving.WAIT_S) == 0
        peak = 0
        while session.capture.process.poll() is None:
            try:
                with open(f"/proc/{session.capture.process.pid}/status", encoding="ascii") as status:
                    peak = max(peak, *(int(n) for n in re.findall(r"VmHWM:\s+(\d+) kB", status.read())), 0)
            except OSError:
                break
            time.sleep(0.01)
        session.end()
        peaks.append(peak)
        found = info(TENDRIL, session.capture.trace)
        assert (found["zones"], found["messages"]) == (360000, 240000), (found["zones"], found["messages"])
        if viewer:
            viewer.process.kill()
            viewer.end()
    print(f"peak of the capture: {peaks[0]} KiB without a viewer, {peaks[1]} KiB with a suspended one")
    assert peaks[1] < peaks[0] + 16 * 1024, peaks


def test_parameter(folder):
    """What a viewer's user sets arrives in the program."""
    arrived = os.path.join(folder, "parameters")
    session = Session(folder, 1500, 1000, arrived)
    viewer = Capture(folder, "viewer", session.port, ["--no-sources", "--set", "speed=77"])
    session.end()
    assert viewer.end() == 0, (viewer.out, viewer.err)
    with open(arrived, encoding="ascii") as file:
        assert file.read() == "5 77\n"


def test_usage(folder):
    """Bad places are refused before the program is waited for."""
    for where in ("", "x", "70000", "1.2.3.4.5:8000", ":8000", "8000:", "-1"):
        bad = run([TENDRIL, "capture", "-f", "-o", os.path.join(folder, "x.tracy"), "--serve", where])
        assert bad.returncode != 0 and len(bad.stderr.strip().splitlines()) == 1, (where, bad)
    session = Session(folder, 300, 1000)
    until = time.monotonic() + serving.WAIT_S
    while time.monotonic() < until:
        with socket.socket() as peer:
            if peer.connect_ex(("127.0.0.1", session.port)) == 0:
                break
        time.sleep(0.02)
    second = run([TENDRIL, "capture", "-f", "-o", os.path.join(folder, "y.tracy"), "-p", str(ports.free_port()),
                  "--serve", str(session.port)])
    assert second.returncode != 0 and "cannot serve at" in second.stderr, second
    session.end()


def main():
    for test in (test_followers, test_suspended_costs_nothing, test_parameter, test_usage):
        with tempfile.TemporaryDirectory() as folder:
            test(folder)
            print(test.__name__, "passed", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
