#!/usr/bin/env python3
"""A program that marks as fast as it can, and viewers that stay, come late, are slow, or come and go: nothing may be
missing and nothing out of order within a thread. Prints a line of figures a round.

Usage: run.py [--long] [--zones N] [ROUND ...]    rounds: stays late slow demand signals stock
The short form takes half a minute. --long: 8 threads of 10 million zones each. Stock captures take part when
$TD_STOCK_DIR/RELEASE/bin/capture are there.
"""
import argparse
import glob
import os
import random
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from ports import free_port

BINARY = os.environ.get("TD_BINARY_DIR", os.path.join(os.getcwd(), "build"))
STOCK = os.environ.get("TD_STOCK_DIR", "")
BATCH = 256
bad = 0


def tool(name):
    return os.path.join(BINARY, "tests", name)


def wrong(text):
    global bad
    bad += 1
    print("  wrong: " + text, flush=True)


class Load:
    """The program, with its final output and its use of memory."""

    def __init__(self, threads, zones, *more, **environment):
        self.port = free_port()
        self.threads, self.zones = threads, zones
        self.began = time.time()
        self.said = tempfile.TemporaryFile("w+")  # the output for many connections is more than a pipe holds
        self.process = subprocess.Popen([tool("stress_load"), str(threads), str(zones), *map(str, more)],
                                        env=dict(os.environ, TRACY_PORT=str(self.port), TENDRIL_EXIT_WAIT_MS="60000",
                                                 **environment),  # viewers may be slow on a busy machine
                                        stdout=self.said)

    def wait(self, how):
        pid, status, usage = os.wait4(self.process.pid, how)
        if pid:
            self.process.returncode = os.waitstatus_to_exitcode(status)
            self.seconds = time.time() - self.began
            self.memory_mb = usage.ru_maxrss // 1024

    def alive(self):
        if self.process.returncode is None:
            self.wait(os.WNOHANG)
        return self.process.returncode is None

    def finish(self):
        if self.process.returncode is None:
            self.wait(0)
        self.said.seek(0)
        out = self.said.read()
        self.said.close()
        self.sessions, self.signals = {}, 0
        for line in out.splitlines():
            words = line.split()
            if words[0] == "session":
                self.sessions.setdefault(int(words[3]), []).append((int(words[5]), int(words[7]), int(words[1])))
            elif words[0] == "signals":
                self.signals = int(words[1])
        if self.process.returncode:
            wrong("the program ended with %d" % self.process.returncode)
        return self


class Watch:
    """A viewer. Its output is a file, as this script does not read it while the viewer runs."""

    def __init__(self, port, *options):
        self.said = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen([tool("stress_watch"), str(port), *options], stdout=self.said)

    def finish(self):
        if self.process.wait() < 0:
            wrong("a viewer was ended by signal %d" % -self.process.returncode)
        self.said.seek(0)
        out = self.said.read()
        self.said.close()
        return out


def parse(text):
    """Sessions as stress_watch and stress_check print them."""
    sessions = []
    for line in text.splitlines():
        words = line.split()
        if words[0] == "session":
            sessions.append({"threads": {}, "end": "none", "by": "ours"})
        elif not sessions:
            continue
        elif words[0] == "thread" and words[1] == "-1":
            continue  # connected for less than a batch: without a message the thread is unknown
        elif words[0] == "thread":
            sessions[-1]["threads"][int(words[1])] = dict(zip(words[2::2], map(int, words[3::2])))
        elif words[0] == "end":
            sessions[-1]["end"] = words[1].rstrip(":")
        else:
            sessions[-1][words[0]] = words[1].rstrip(":")
            if words[0] == "faults" and int(words[1].rstrip(":")):
                wrong(line)
    return sessions


def check_all(load, session, lossless_names=True):
    """Everything that the program marked, once and in order."""
    batches = -(-load.zones // BATCH)
    for thread in range(load.threads):
        got = session["threads"].get(thread, {})
        want = {"first": 0, "last": load.zones - 1, "zones": load.zones, "messages": batches, "points": batches}
        if got != want:
            wrong("thread %d: %s instead of %s" % (thread, got, want))
    if len(session["threads"]) != load.threads:
        wrong("%d threads instead of %d" % (len(session["threads"]), load.threads))
    for key, most in (("ignored", 0), ("unnamed", 0), ("time_bent", 0), ("odd_memory", 0), ("open_zones", 0)):
        if int(session.get(key, 0)) > most:
            wrong("%s %s" % (key, session[key]))
    want = 3 * batches * load.threads
    if int(session["lock_events"]) not in (0, want) or (lossless_names and int(session["lock_events"]) == 0):
        wrong("%s lock events instead of %d" % (session["lock_events"], want))


def figures(name, load, session, extra=""):
    zones = sum(t.get("zones", 0) for t in session["threads"].values())
    print("%-10s %d threads, %d zones in order, %.1f s, %.2f million zones/s, %s MB received, program at most %d MB%s"
          % (name, load.threads, zones, load.seconds, zones / load.seconds / 1e6,
             int(session.get("bytes", 0)) >> 20, load.memory_mb, extra))


def one(name, load, *options, late=0):
    """One viewer stays connected to the end."""
    time.sleep(late)
    viewer = Watch(load.port, *options)
    out = viewer.finish()
    load.finish()
    sessions = parse(out)
    if viewer.process.returncode or len(sessions) != 1 or sessions[0]["end"] != "ended":
        wrong("the viewer ended with %d: %s" % (viewer.process.returncode, out[-300:]))
    if sessions:
        check_all(load, sessions[0])
        figures(name, load, sessions[0], ", %d signals" % load.signals if load.signals else "")


def stays(args):
    one("stays", Load(8, args.zones, TENDRIL_WAIT_CONNECT_MS="20000"))


def late(args):
    """All events wait in the program's queues until the viewer connects."""
    load = Load(8, args.zones, TRACY_NO_EXIT="1")
    one("late", load, late=2 if args.zones < 1000000 else 30)


def slow(args):
    zones = (200 if args.long else 15) * BATCH
    pause = "4000" if args.long else "1000"
    one("slow", Load(8, zones, TENDRIL_WAIT_CONNECT_MS="20000"), "pause_ms=" + pause)


def signals(args):
    one("signals", Load(8, args.zones, 0, 10000, TENDRIL_WAIT_CONNECT_MS="20000"))


def captures():
    return sorted(glob.glob(os.path.join(STOCK, "*", "bin", "capture"))) if STOCK else []


def release_of(capture):
    return capture.split(os.sep)[-3]


def record(capture, load, trace, *options):
    """Runs only while the program lives: a stock capture would wait for ever."""
    with subprocess.Popen([capture, "-a", "127.0.0.1", "-p", str(load.port), "-f", "-o", trace, *options],
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT) as running:
        last = time.time() + 20
        while running.poll() is None and time.time() < last:
            if load.alive():
                last = time.time() + 20
            time.sleep(.05)
        if running.poll() is None:
            running.terminate()


def read_trace(trace, release, left=False):
    """The trace of a stock capture. Up to release 0.13, a capture that is ended early saves while it still receives:
    the file is sometimes unreadable."""
    done = subprocess.run([tool("stress_check"), trace], stdout=subprocess.PIPE, universal_newlines=True)
    sessions = parse(done.stdout)
    for session in sessions:
        session["by"] = release
    if not sessions and left and release != "0.14.0":
        print("  capture %s saved while it received: %s" % (release, done.stdout.strip()))
    elif not sessions:
        wrong("capture %s: %s" % (release, done.stdout.strip()))
    return sessions


def stock(args):
    """Stock captures that stay; in the short form one, another each time."""
    programs = captures()
    if not programs:
        print("stock      skipped: TD_STOCK_DIR names no folder with captures")
    for capture in programs if args.long else programs and [random.choice(programs)]:
        release = release_of(capture)
        with tempfile.TemporaryDirectory() as folder:
            trace = os.path.join(folder, "trace.tracy")
            load = Load(8, min(args.zones, 1000000), TRACY_NO_EXIT="1",
                        **({"TENDRIL_PEER": "tt"} if release == "ttfork" else {}))
            record(capture, load, trace)
            load.finish()
            for session in read_trace(trace, release):
                check_all(load, session, False)
                session["bytes"] = os.path.getsize(trace)
                figures("stock", load, session, ", capture " + release)


def match(load, session):
    """A session is one that the program counted: from its beginning, and as far as it was asked for."""
    numbers = set()
    for thread, got in session["threads"].items():
        if "first" not in got:
            continue
        # One zone more may be at each end: begun, but not written when the connection began or ended.
        mine = [s for s in load.sessions.get(thread, []) if s[0] <= got["first"] and got["last"] <= s[1] + 1]
        if len(mine) != 1:
            near = [s for s in load.sessions.get(thread, []) if s[0] <= got["last"] and got["first"] <= s[1]]
            wrong("thread %d: zones %d to %d (%s, %s) are of %d connections, beside %s"
                  % (thread, got["first"], got["last"], session["end"], session["by"], len(mine), near))
            continue
        numbers.add(mine[0][2])
        if got["first"] > mine[0][0] + 1:
            wrong("thread %d: zones from %d on, the first is missing: %s" % (thread, got["first"], mine[0]))
        if session["end"] in ("asked", "ended") and got["last"] < mine[0][1] - 1:
            wrong("thread %d: zones up to %d, the last are missing: %s" % (thread, got["last"], mine[0]))
    if len(numbers) > 1:
        wrong("zones of the connections %s in one" % sorted(numbers))
    for key, most in (("ignored", 0), ("time_bent", 0), ("odd_memory", 1)):
        if int(session.get(key, 0)) > most:
            wrong("%s %s" % (key, session[key]))
    return numbers


def demand(args):
    """Viewers, ours and stock ones, come and go while the program runs."""
    load = Load(8, args.zones, 3000 if args.long else 4000, 10000, TRACY_ON_DEMAND="1")
    viewers = [Watch(load.port, "sessions=100000", "leave_ms=600", "connect_ms=8000", "seed=%d" % seed)
               for seed in random.sample(range(1 << 20), 2)]
    traces = []
    programs = captures()
    with tempfile.TemporaryDirectory() as folder:
        while programs and load.alive():
            traces.append((os.path.join(folder, "%d.tracy" % len(traces)), random.choice(programs)))
            record(traces[-1][1], load, traces[-1][0], "-s", "1")
        load.finish()
        sessions = []
        for viewer in viewers:
            sessions += [s for s in parse(viewer.finish()) if s["threads"]]
        own = len(sessions)
        for trace, capture in traces:
            if os.path.exists(trace):
                sessions += [s for s in read_trace(trace, release_of(capture), left=True) if s["threads"]]
    seen = [number for session in sessions for number in match(load, session)]
    if len(seen) != len(set(seen)):
        wrong("a connection was seen twice")
    zones = sum(t["zones"] for s in sessions for t in s["threads"].values())
    ways = {way: sum(s["end"] == way for s in sessions) for way in ("asked", "left", "ended", "gone")}
    print("demand     %d connections (%d stock; %s), %d zones in order, %.1f s, program at most %d MB"
          % (len(sessions), len(sessions) - own, ", ".join("%s %d" % w for w in ways.items()), zones, load.seconds,
             load.memory_mb))
    if not sessions and load.seconds > 5:
        wrong("nobody was ever connected")


def main():
    rounds = (stays, late, slow, demand, signals, stock)
    parser = argparse.ArgumentParser()
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--zones", type=int)
    parser.add_argument("rounds", nargs="*", choices=[[], *(r.__name__ for r in rounds)])
    args = parser.parse_args()
    args.zones = args.zones or (10000000 if args.long else 250000)
    for one_round in rounds:
        if not args.rounds or one_round.__name__ in args.rounds:
            one_round(args)
    print("%d wrong" % bad)
    return bad != 0


if __name__ == "__main__":
    sys.exit(main())
