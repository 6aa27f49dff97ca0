#!/usr/bin/env python3
"""`tendril capture` with --keep, --trigger, --rotate, --max-size, --max-seconds and --strict: the zones of a program have
numbers, so that each file is known to have all zones of its window and no others."""
import glob
import os
import signal
import subprocess
import sys
import tempfile
import time

from live import BINARY, TENDRIL, Check, dump, free_port

NUMBERED = os.path.join(BINARY, "tests", "live_numbered")
FLOOD = os.path.join(BINARY, "tests", "live_flood")
check = Check()


class Session:
    """A program and its capture; both have ended."""

    def __init__(self, folder, name, program, *options, during=None, kill_program=False):
        port = free_port()
        self.trace = os.path.join(folder, name + ".tracy")
        env = dict(os.environ, TRACY_PORT=str(port), TENDRIL_WAIT_CONNECT_MS="20000", TENDRIL_EXIT_WAIT_MS="5000")
        running = subprocess.Popen(program, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        capture = subprocess.Popen([TENDRIL, "capture", "-f", "-p", str(port), "-o", self.trace, *options],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            if during:
                during(running, capture)
            self.out, self.err = capture.communicate(timeout=100)
            self.code = capture.returncode
        finally:
            if kill_program or capture.poll() is None:
                running.kill()
            capture.kill()
            running.communicate(timeout=100)
        self.files = sorted(glob.glob(os.path.join(folder, name + "-*.tracy")))


def notes(trace, key):
    lines = subprocess.run([TENDRIL, "info", trace], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    return [line.split(": ", 1)[1] for line in lines if line.strip().startswith(key + ": ")]


def window(trace):
    begin, end = notes(trace, "tendril.window")[0].replace(" ns", "").split(" .. ")
    return int(begin), int(end)


def steps(track):
    """(number, start, end) of the zones of a thread; end None: open."""
    found = []
    for depth, _, location, start, length, _, text, *_ in track["zones"]:
        if depth == 0 and location[0] == "step":
            # A zone that is open has no text yet in a file that is written while the session runs.
            number = found[-1][0] + 1 if text is None and length < 0 and found else int(text.split()[0])
            found.append((number, start, None if length < 0 else start + length))
    return found


def check_window(what, trace, threads=(2,)):
    """Each thread has all zones that overlap the window: no number is missing, and the first begins before the window or
    soon after its begin, as the zones follow each other."""
    begin, end = window(trace)
    tracks = [t for t in dump(trace)["tracks"] if steps(t)]
    check.true(what + ": threads with zones", len(tracks) in threads)
    for track in tracks:
        zones = steps(track)
        numbers = [n for n, _, _ in zones]
        check.same(what + ": numbers", numbers, list(range(numbers[0], numbers[0] + len(numbers))))
        check.true(what + ": zones overlap the window",
                   all(start <= end and (stop is None or stop > begin) for _, start, stop in zones))
        check.true(what + ": the first zone is the first of the window", numbers[0] == 1 or zones[0][1] <= begin + 50000000)
        inner = [z for z in track["zones"] if z[0] == 1]
        check.true(what + ": inner zones are there", abs(len(inner) - len(zones)) <= 1)
    return tracks


def length(trace):
    begin, end = window(trace)
    return (end - begin) / 1e9


def keeps_the_last_seconds(folder):
    s = Session(folder, "last", [NUMBERED, "3000", "1000"], "--keep", "0.5")
    check.same("end of the program: exit code", s.code, 0)
    check_window("end of the program", s.trace)
    check.same("end of the program: seconds", length(s.trace), 0.5)

    def interrupt(running, capture):
        running.stdout.readline()
        capture.send_signal(signal.SIGINT)

    s = Session(folder, "interrupted", [NUMBERED, "100000", "1000", "say=1500"], "--keep", "0.5", during=interrupt,
                kill_program=True)
    check.same("Ctrl-C: exit code", s.code, 0)
    check_window("Ctrl-C", s.trace)


def saves_when_the_program_dies(folder):
    s = Session(folder, "crashed", [NUMBERED, "100000", "1000", "crash=1500"], "--keep", "0.5")
    tracks = check_window("crash", s.trace)
    check.true("crash: its zone is there", any(steps(t)[-1][0] == 1500 for t in tracks))

    def kill(running, capture):
        running.stdout.readline()
        running.kill()

    s = Session(folder, "killed", [NUMBERED, "100000", "1000", "say=1500"], "--keep", "0.5", during=kill)
    check.same("kill: exit code", s.code, 0)
    tracks = check_window("kill", s.trace)
    check.true("kill: the last zones are there", any(steps(t)[-1][0] >= 1300 for t in tracks))
    s = Session(folder, "strict", [NUMBERED, "100000", "1000", "say=1500"], "--strict", during=kill)
    check.same("kill with --strict: exit code", s.code, 1)
    check.true("kill with --strict: one line", s.err.count("--strict") == 1 and os.path.exists(s.trace))
    s = Session(folder, "vanished", [NUMBERED, "100000", "1000", "say=1500"], "--keep", "0.5", "--trigger", "crash",
                "--rotate", during=kill)
    check.same("kill with --rotate: files", len(s.files), 1)
    check_window("kill with --rotate", s.files[0])


def ends_at_a_trigger(folder):
    for name, trigger, at in (("message", "message:look*", "message=1200"), ("zone", "zone:st?p>30ms", "slow=1200"),
                              ("frame", "frame>50ms", "frame=1200")):
        s = Session(folder, name, [NUMBERED, "100000", "1000", at], "--keep", "0.5", "--after", "0.1", "--trigger",
                    "message:never", "--trigger", trigger, kill_program=True)
        check.same(name + ": exit code", s.code, 0)
        first = check_window(name, s.trace)
        check.same(name + ": seconds", round(length(s.trace), 6), 0.6)
        zones = [z for t in first for z in steps(t)]
        hit = window(s.trace)[1] - 100000000
        # A loaded machine may stop a thread for so long that another zone or frame is a hit.
        if name == "zone":
            check.true("zone: it ends at the trigger", any(end == hit and end - start > 30000000 for _, start, end in zones))
        else:
            check.true(name + ": what came before the trigger is there", any(start <= hit for _, start, _ in zones))
        if name == "message":
            check.true("message: the zone before it is there", 1200 in [n for n, _, _ in zones])
        check.true(name + ": the reason is there", trigger in notes(s.trace, "tendril.trigger")[0])
        check.same(name + ": lines", s.err.count("stopped by"), 1)
    s = Session(folder, "none", [NUMBERED, "1000", "1000"], "--keep", "0.3", "--trigger", "message:never")
    check.same("no trigger: notes of the trace's clock", len(notes(s.trace, "tendril.clock_origin")), 1)
    # On a loaded machine one thread may end long before the other.
    check.true("no trigger: says so, and saves", "no trigger" in s.err and check_window("none", s.trace, threads=(1, 2)))
    s = Session(folder, "whole", [NUMBERED, "100000", "1000", "message=700"], "--trigger", "message:look*",
                kill_program=True)
    zones = max((steps(t) for t in dump(s.trace)["tracks"]), key=lambda z: z[0][0] == 1 and z[-1][0] == 700)
    check.true("without --keep: all from the first", zones[0][0] == 1 and zones[-1][0] >= 700)


def rotates_at_signals(folder):
    def signals(running, capture):
        running.stdout.readline()
        for _ in range(4):
            capture.send_signal(signal.SIGUSR1)
            time.sleep(1.2)

    s = Session(folder, "signals", [NUMBERED, "6500", "1000", "say=800"], "--keep", "0.5", "--rotate", "--trigger",
                "signal", during=signals)
    check.same("signals: exit code", s.code, 0)
    check.same("signals: files", len(s.files), 4)
    ends = []
    for number, trace in enumerate(s.files):
        check_window(f"signals, file {number + 1}", trace)
        check.same("signals: notes of the trace's clock", len(notes(trace, "tendril.clock_origin")), 1)
        check.true("signals: the window is not longer", length(trace) < 0.51)
        ends.append(window(trace)[1])
    check.true("signals: one after the other", all(b - a > 500000000 for a, b in zip(ends, ends[1:])))
    check.true("signals: no other file", not os.path.exists(s.trace))
    s = Session(folder, "quiet", [NUMBERED, "300", "1000"], "--keep", "0.5", "--rotate", "--trigger", "signal")
    check.true("no signal: says so", s.code == 0 and not s.files and "no trigger" in s.err)


def rotates_under_load(folder):
    """Triggers come faster than files are written: they share files, and each is in one."""
    program = [NUMBERED, "30000", "50", "message=1000", "slow=5000", "frame=20000"]
    s = Session(folder, "load", program, "--keep", "0.4", "--rotate", "--trigger", "message:look*", "--trigger",
                "zone:step>40ms", "--trigger", "frame>40ms", "--trigger", "zone:part>1s")
    check.same("load: exit code", s.code, 0)
    check.true("load: files", len(s.files) >= 1)
    found = set()
    for number, trace in enumerate(s.files):
        for track in check_window(f"load, file {number + 1}", trace, threads=(1, 2)):
            found |= {n for n, _, _ in steps(track)}
    check.true("load: each trigger's zone is in a file", {1000, 5000, 20000} <= found)


def flood(folder, name, *options, kind="zones"):
    return Session(folder, name, [FLOOD, kind, "1000000000"], *options, kill_program=True)


def ends_at_a_size(folder):
    for size in (150 << 10, 400 << 10):
        s = Session(folder, f"size{size}", [NUMBERED, "100000000", "15"], "--max-size", str(size), kill_program=True)
        bytes_ = os.path.getsize(s.trace)
        print(f"--max-size {size}: {bytes_} bytes", flush=True)
        check.same("size: exit code", s.code, 0)
        check.true(f"size: {bytes_} of {size} bytes", 0.5 * size <= bytes_ <= 1.1 * size)
        check.true("size: says why", "--max-size" in s.err)
        check.same("size: notes of the trace's clock", len(notes(s.trace, "tendril.clock_origin")), 1)


def ends_after_seconds(folder):
    for option in ("--max-seconds", "-s"):
        s = Session(folder, "seconds", [NUMBERED, "100000", "1000"], option, "1", kill_program=True)
        check.same(option + ": exit code", s.code, 0)
        last = max(end or start for t in dump(s.trace)["tracks"] for _, start, end in steps(t))
        check.true(f"{option}: about a second, not {last / 1e9:.1f} s", last >= 0.9e9)


def a_sound_session_is_not_a_loss(folder):
    s = Session(folder, "sound", [NUMBERED, "500", "1000"], "--strict")
    check.same("sound: exit code", (s.code, s.err), (0, ""))
    s = flood(folder, "memory", "--strict", "-m", "64M", kind="leaks")
    check.true("memory limit: a loss", s.code == 1 and "memory" in s.err and os.path.exists(s.trace))


def refuses_what_makes_no_sense():
    for options, word in ((["--rotate"], "--keep"), (["--trigger", "zone:x>5"], "--trigger"), (["--keep", "-1"], "--keep"),
                          (["--trigger", "frame>"], "--trigger"), (["--trigger", "zone:>5ms"], "--trigger"),
                          (["--max-size", "big"], "--max-size"), (["--after", "1"], "--after"),
                          (["--keep", "nan"], "--keep"), (["--keep", "1", "--max-size", "1M"], "--max-size")):
        done = subprocess.run([TENDRIL, "capture", "-o", "x.tracy", *options], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)
        check.true(f"{options}: {done.stderr}", done.returncode == 2 and done.stderr.count("\n") == 1 and
                   word in done.stderr)


PARTS = [keeps_the_last_seconds, saves_when_the_program_dies, ends_at_a_trigger, rotates_at_signals, rotates_under_load,
         ends_at_a_size, ends_after_seconds, a_sound_session_is_not_a_loss]
if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="tendril-keep-") as folder:
        for part in PARTS:
            if len(sys.argv) < 2 or part.__name__.split("_")[0] in sys.argv:
                began = time.time()
                part(folder)
                print(f"{part.__name__}: {time.time() - began:.1f} s", flush=True)
    refuses_what_makes_no_sense()
    check.leave()
