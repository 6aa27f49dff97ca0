#!/usr/bin/env python3
"""Clients of many releases, a board of 64 tiles and viewers of other releases in one recording: counts are exact at all ends.

Usage: TD_STOCK_DIR=DIR TD_BINARY_DIR=build tests/stress/mixed.py [--seconds N]

One `tendril record --serve` collects mixed_client with four releases' clients (built from DIR/RELEASE/src/public), two
with Tendril's, and a simulated board on which matmul runs. Two captures of other releases (DIR/RELEASE/bin/capture, or
`tendril capture --format RELEASE`) follow it. One of them is suspended for most of the time. Releases that DIR does not
have, and the board where the examples are not built, are left out, and a line says so.
"""
import argparse
import collections
import os
import signal
import subprocess
import sys
import tempfile
import time

from kit import BINARY, MATMUL, TENDRIL, info, run, wait_for
from checks import check, failures
from ports import free_port
from stock_clients import FLAGS, client_object

HERE = os.path.dirname(os.path.abspath(__file__))
STOCK = os.environ.get("TD_STOCK_DIR", "/nonexistent")
RELEASES = ("0.9.1", "0.11.1", "0.12.2", "0.14.0")
VIEWERS = ("0.10.0", "0.13.1")
THREADS, PAUSE_US = 3, 2000
OF_A_TURN = {"outer": 1, "inner": 2, "deepest": 2}
MESSAGES_OF_A_TURN = 2  # both "turn N of thread M"
WAIT_S = 300  # only for what hangs


def build(release):
    """The program with this release's client, or None: its sources are not there."""
    public = os.path.join(STOCK, release, "src", "public")
    source, client = os.path.join(HERE, "mixed_client.cpp"), os.path.join(public, "TracyClient.cpp")
    program = os.path.join(BINARY, "tests", "mixed-builds", release, "mixed_client")
    if not os.access(client, os.R_OK):
        return None
    if not os.path.exists(program) or os.path.getmtime(program) < max(map(os.path.getmtime, (source, client))):
        os.makedirs(os.path.dirname(program), exist_ok=True)
        subprocess.run(["g++", *FLAGS, "-O0", "-g1", "-I" + public, source, client_object(public, BINARY, release), "-o", program,
                        "-lpthread", "-ldl"], check=True)
    return program


def start_client(program, turns):
    port = free_port()
    env = {k: v for k, v in os.environ.items() if not k.startswith(("TRACY_", "TENDRIL_"))}
    env.update(TRACY_PORT=str(port), TRACY_NO_SYS_TRACE="1", TRACY_NO_EXIT="1", TENDRIL_WAIT_CONNECT_MS="60000")
    return port, subprocess.Popen([program, str(THREADS), str(turns), str(PAUSE_US)], env=env)


def start_viewer(release, port, folder):
    """Returns the trace and the process."""
    trace = os.path.join(folder, "seen by " + release + ".tracy")
    stock = os.path.join(STOCK, release, "bin", "capture")
    command = [stock] if os.access(stock, os.X_OK) else [TENDRIL, "capture", "--no-sources", "--format", release]
    print("viewer %s: %s" % (release, "stock" if command[0] == stock else "ours"))
    return trace, subprocess.Popen([*command, "-f", "-a", "127.0.0.1", "-p", str(port), "-o", trace],
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def counts(facts):
    """Of each name's zones. How often a core waited for room is left out: that differs from run to run."""
    found = {}
    for name in facts["names"]:
        if not name["wait"]:
            found[name["name"]] = found.get(name["name"], 0) + name["count"]
    return found


def messages(trace):
    """{text: count}"""
    _, out, _ = run(TENDRIL, "csvexport", "-m", trace)
    return collections.Counter(line.rpartition(",")[0] for line in out.splitlines()[1:])


def check_counts(what, found, wanted):
    different = {name: (found.get(name), wanted.get(name)) for name in {*found, *wanted}
                 if found.get(name) != wanted.get(name)}
    check(not different, "%s: found, wanted: %d: %s" % (what, len(different), list(different.items())[:9]))


def record_board(folder, runs):
    """What the board and its program give alone: (zones by name, messages by text)."""
    trace = os.path.join(folder, "board.tracy")
    subprocess.run([TENDRIL, "record", "-q", "--grid", "8x8", "-o", trace, "--", MATMUL, "128", str(runs)],
                   stdout=subprocess.DEVNULL, timeout=WAIT_S, check=True)
    facts = info(trace)
    check(facts["cores"] == 64 * 5, "%d cores alone" % facts["cores"])
    return counts(facts), messages(trace)


def record_all(folder, programs, turns, runs, board):
    """Returns the recorder's trace and the viewers'."""
    trace, done, port = os.path.join(folder, "all.tracy"), os.path.join(folder, "done"), free_port()
    clients = [start_client(program, turns) for program in programs]
    words = [word for client in clients for word in ("-a", "127.0.0.1:%d" % client[0])]
    # The recording lasts until the programs at -a have ended and the viewers are awake.
    script = ('"$0" 128 %d; code=$?; ' % runs if board else "") + 'while [ ! -e "$1" ]; do sleep .1; done; exit $code'
    recorder = subprocess.Popen([TENDRIL, "record", "-o", trace, *(["-b", "tensix_sim", "--grid", "8x8"] if board else ["-b", "none"]), *words,
                                 "--serve", str(port), "--strict", "--", "sh", "-c", script, MATMUL, done],
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
    viewers = [start_viewer(release, port, folder) for release in VIEWERS]
    running = [recorder, *(client for _, client in clients), *(viewer for _, viewer in viewers)]
    try:
        check(wait_for(lambda: os.path.exists(trace + ".journal")), "record does not begin")
        time.sleep(.5)
        viewers[1][1].send_signal(signal.SIGSTOP)
        for _, client in clients:
            check(client.wait(WAIT_S) == 0, "a client ended with %s" % client.returncode)
        viewers[1][1].send_signal(signal.SIGCONT)
        with open(done, "w", encoding="ascii"):
            pass
        out, _ = recorder.communicate(timeout=WAIT_S)
        print(out.strip())
        check(recorder.returncode == 0, "record ended with %d" % recorder.returncode)
        for path, viewer in viewers:
            said, _ = viewer.communicate(timeout=WAIT_S)
            check(viewer.returncode == 0, "%s ended with %d: %s" % (path, viewer.returncode, said[-500:]))
    finally:
        for process in running:
            process.kill()
    return trace, [path for path, _ in viewers]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=60)
    given = parser.parse_args()
    turns, runs = int(given.seconds * 1e6 / PAUSE_US), max(1, int(given.seconds / 4))
    board = os.access(MATMUL, os.X_OK)
    built = {release: build(release) for release in RELEASES}
    programs = [program for program in built.values() if program] + [os.path.join(BINARY, "tests", "mixed_client")] * 2
    print("without: %s" % (", ".join([r for r in built if not built[r]] + ["the board"] * (not board)) or "nothing"))
    with tempfile.TemporaryDirectory(prefix="tendril-mixed-") as folder:
        wanted, texts = record_board(folder, runs) if board else ({}, collections.Counter())
        marked = turns * THREADS * len(programs)
        wanted.update({name: times * marked for name, times in OF_A_TURN.items()})
        texts.update({"turn %d of thread %d" % (turn, thread): MESSAGES_OF_A_TURN * len(programs)
                      for turn in range(turns) for thread in range(THREADS)})
        trace, seen = record_all(folder, programs, turns, runs, board)
        processes, recorded = len(programs) + board, messages(trace)
        # Stock clients of 0.14.0 have messages of their own, about what they may not do.
        check_counts("messages of the programs", {text: recorded[text] for text in texts}, texts)
        for path in [trace, *seen]:
            facts = info(path)
            if not facts:
                check(False, "%s cannot be read" % path)
                continue
            check_counts("zones of " + path, counts(facts), wanted)
            check_counts("messages of " + path, messages(path), recorded)
            check(not facts["lost_zones"] and not facts["lost_other"], "%s: losses" % path)
            frames = {s["name"]: s["frames"] for s in facts["frame_sets"] if s["name"].startswith("turns of thread 0")}
            check(len(frames) == len(programs) and set(frames.values()) <= {turns, turns - 1},
                  "%s: frames %s instead of %d" % (path, frames, turns))
        found = info(trace)
        check(len(found["processes"]) == processes, "processes: %s" % found["processes"])
        check(not board or found["cores"] == 64 * 5, "%d cores" % found["cores"])
        print("%d programs, %d zones, %d messages, %d ends; %d wrong" %
              (processes, sum(wanted.values()), sum(recorded.values()), 1 + len(seen), failures()))
    return failures() != 0


if __name__ == "__main__":
    sys.exit(main())
