#!/usr/bin/env python3
"""The viewer watches programs of many releases and a board of 64 tiles for minutes: each frame is quick, memory stays bounded.

Usage: TD_STOCK_DIR=DIR TD_BINARY_DIR=build tests/stress/watch.py [--seconds N] [--commands LIST]

One `tendril record --serve` collects mixed_client with four releases' clients (see mixed.py), two with Tendril's, and a
simulated board on which matmul runs again and again. `tendril view` follows the served trace in a window of Xvfb, or of
$DISPLAY, and is driven through its socket: it follows, shows everything, zooms, searches and opens one panel after the
other. Each line has what the frames of 20 s cost the thread that draws, without the renderer, and the memory of viewer
and recorder. At the end there is a line for each quarter of the time, which shows whether frames become slower while
the trace grows. A frame of more than 16 ms, a command that fails and a viewer that does not see all zones are faults.
"""
import argparse
import json
import os
import socket
import subprocess
import sys
import tempfile
import time

from kit import BINARY, MATMUL, TENDRIL, info, wait_for
from checks import check, failures
from mixed import RELEASES, WAIT_S, build, start_client
from ports import free_port

PAUSE_US, LIMIT_MS, LINE_S, TURN_S, REPLY_S = 2000, 16, 20, 2, 5
COMMANDS = ("fit", "open statistics", "limit visible", "find deep", "open instances", "next", "fit", "open lanes", "open chip",
            "open operations", "open messages", "open cells", "collapse", "find", "expand", "open frames", "open waits",
            "open connection", "layout 2", "layout 1", "open losses", "open trace", "open plots")


class Viewer:
    """A viewer that takes commands at a socket."""

    def __init__(self, port, folder):
        path = os.path.join(folder, "view.sock")
        env = {**os.environ, "XDG_DATA_HOME": folder, "XDG_CONFIG_HOME": folder, "XDG_STATE_HOME": folder}
        window = [] if os.environ.get("DISPLAY") else ["xvfb-run", "-a", "-s", "-screen 0 1600x1000x24"]
        self.process = subprocess.Popen([*window, TENDRIL, "view", "--listen", path, "127.0.0.1:%d" % port], env=env)
        if not wait_for(lambda: os.path.exists(path)):
            raise SystemExit("the viewer does not listen")
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(WAIT_S)
        self.socket.connect(path)
        self.lines = self.socket.makefile("r", encoding="utf-8")

    def ask(self, command):
        self.socket.sendall((json.dumps({"command": command}) + "\n").encode())
        return json.loads(self.lines.readline() or '{"ok": false, "error": "the viewer has ended"}')


def resident_mb(program):
    """Of all processes of this machine whose command line has these words."""
    total = 0
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/cmdline" % pid, encoding="utf-8") as words, open("/proc/%s/status" % pid, encoding="utf-8") as status:
                if words.read().startswith(program):
                    total += sum(int(line.split()[1]) for line in status if line.startswith("RssAnon:"))
        except OSError:
            continue
    return total / 1024


class Costs:
    """What frames cost in a part of the time."""

    def __init__(self):
        self.frames, self.total_ms, self.worst_ms = 0, 0, 0

    def add(self, cost):
        self.frames += cost["frames"]
        self.total_ms += cost["frames"] * cost["mean_ms"]
        self.worst_ms = max(self.worst_ms, cost["worst_ms"])

    def __str__(self):
        return "%5d frames, mean %5.2f ms, worst %5.2f ms" % (self.frames, self.total_ms / max(self.frames, 1), self.worst_ms)


def run_command(viewer, command):
    asked = time.monotonic()
    reply = viewer.ask(command)
    took_s = time.monotonic() - asked
    check(took_s < REPLY_S, "%s: the reply took %.1f s" % (command, took_s))
    check(reply["ok"], "%s: %s" % (command, reply.get("error")))


def watch(viewer, seconds, commands):
    """Drives the viewer, and returns the costs of each quarter."""
    quarters, step, begun = [Costs() for _ in range(4)], 0, time.monotonic()
    while time.monotonic() < begun + seconds:
        line_end = min(begun + seconds, time.monotonic() + LINE_S)
        line, slow = Costs(), []
        while time.monotonic() < line_end:
            command = commands[step % len(commands)]
            step += 1
            run_command(viewer, command)
            time.sleep(TURN_S)
            cost = viewer.ask("frames")
            line.add(cost)
            quarters[min(int(4 * (time.monotonic() - begun) / seconds), 3)].add(cost)
            if cost["worst_ms"] > LIMIT_MS:
                slow.append("%s %.0f ms" % (command, cost["worst_ms"]))
        print("%4.0f s: %s; viewer %.0f MB, recorder %.0f MB; slow: %s" %
              (time.monotonic() - begun, line, resident_mb(TENDRIL + "\0view"), resident_mb(TENDRIL + "\0record"),
               ", ".join(slow) or "none"), flush=True)
    return quarters


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--commands", help="instead of all commands, separated by commas")
    given = parser.parse_args()
    turns = int(given.seconds * 1e6 / PAUSE_US)
    board = os.access(MATMUL, os.X_OK)
    built = {release: build(release) for release in RELEASES}
    programs = [program for program in built.values() if program] + [os.path.join(BINARY, "tests", "mixed_client")] * 2
    print("without: %s" % (", ".join([r for r in built if not built[r]] + ["the board"] * (not board)) or "nothing"))
    with tempfile.TemporaryDirectory(prefix="tendril-watch-") as folder:
        trace, done, port = os.path.join(folder, "all.tracy"), os.path.join(folder, "done"), free_port()
        clients = [start_client(program, turns) for program in programs]
        words = [word for client in clients for word in ("-a", "127.0.0.1:%d" % client[0])]
        script = 'while [ ! -e "$1" ]; do %s; done' % ('"$0" 128 40 || exit' if board else "sleep .1")
        recorder = subprocess.Popen([TENDRIL, "record", "-q", "-o", trace,
                                     *(["-b", "tensix_sim", "--grid", "8x8"] if board else ["-b", "none"]), *words,
                                     "--serve", str(port), "--", "sh", "-c", script, MATMUL, done], stdout=subprocess.DEVNULL)
        viewer = None
        try:
            check(wait_for(lambda: os.path.exists(trace + ".journal")), "record does not begin")
            viewer = Viewer(port, folder)
            quarters = watch(viewer, given.seconds, given.commands.split(",") if given.commands else COMMANDS)
            worst = max(quarter.worst_ms for quarter in quarters)
            for number, quarter in enumerate(quarters):
                print("quarter %d: %s" % (number + 1, quarter))
            check(worst <= LIMIT_MS, "a frame took %.1f ms" % worst)
            with open(done, "w", encoding="ascii"):
                pass
            for _, client in clients:
                client.wait(WAIT_S)
            check(recorder.wait(WAIT_S) == 0, "record ended with %s" % recorder.returncode)
            seen = lambda: viewer.ask("state").get("zones")
            zones = info(trace)["zones"]
            check(wait_for(lambda: seen() == zones), "the viewer has %s of %d zones" % (seen(), zones))
            check(viewer.ask("quit discard")["ok"] and viewer.process.wait(WAIT_S) == 0, "the viewer does not end")
            print("%d programs, %d zones, worst frame %.2f ms; %d wrong" % (len(programs) + board, zones, worst, failures()))
        finally:
            for process in [recorder, *(client for _, client in clients), *([viewer.process] if viewer else [])]:
                process.kill()
    return failures() != 0


if __name__ == "__main__":
    sys.exit(main())
