#!/usr/bin/env python3
"""Programs that exceed the numbers of a format, or the depth of a stack: the trace has all that fits and can be read
again, and one line reports how much is left out."""
import json
import os
import subprocess
import tempfile

import live
from unchanged import unchanged

PROGRAM = os.path.join(live.BINARY, "tests", "live_limits")
DEEP = 50000
FIBERS = 66000
NUMBERS = 65535


def tool(*words):
    return subprocess.run([live.TENDRIL, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True,
                          timeout=300, check=False)


def info(check, name, trace):
    done = tool("info", "--json", trace)
    check.same(name + ": info", (done.returncode, done.stderr), (0, ""))
    return unchanged(json.loads(done.stdout)) if done.returncode == 0 else {"tracks": []}


def recorded(check, what, count, trace):
    env = {"TENDRIL_WAIT_CONNECT_MS": "60000"}
    run = live.Run("tendril", live.TENDRIL, [PROGRAM, what, str(count)], trace, env=env)
    check.same(what, run.fault(), None)
    return run


def check_deep(check, trace):
    recorded(check, "deep", DEEP, trace)
    depths = [(t["zones"], t["depth"], t["open_zones"]) for t in info(check, "deep", trace)["tracks"] if t["zones"]]
    check.same("deep: zones", depths, [(DEEP, DEEP, DEEP)])
    for command in ("csvexport", "-u"), ("compare", trace), ("update", trace + ".2"):
        words = (command[0], trace, command[1]) if command[0] != "csvexport" else (*command, trace)
        done = tool(*words)
        check.same("deep: " + command[0], (done.returncode, done.stderr), (0, ""))


def check_fibers(check, trace):
    run = recorded(check, "fibers", FIBERS, trace)
    lines = [line for line in run.capture_out.splitlines() if "beyond the %dth" % NUMBERS in line]
    check.same("fibers: lines about what has no number", len(lines), 1)
    tracks = [t for t in info(check, "fibers", trace)["tracks"] if t["fiber"]]
    check.same("fibers: tracks and zones", (len(tracks), sum(t["zones"] for t in tracks)), (FIBERS, FIBERS))
    check.same("fibers: names", sorted(t["name"] for t in tracks), sorted("fiber %d" % i for i in range(FIBERS)))
    table = tool("csvexport", trace)
    check.same("fibers: csvexport", (table.returncode, table.stderr, table.stdout.count("\n")), (0, "", 2))
    for name, capture in live.captures()[1:]:
        exporter = os.path.join(os.path.dirname(capture), "csvexport")
        wanted = {"ttfork": "tt", "0.10": "0.10.0"}.get(name, name)
        if not os.access(exporter, os.X_OK):
            continue
        tool("update", "-q", "--format", wanted, trace, trace + ".stock")
        out = subprocess.run([exporter, trace + ".stock"], stdout=subprocess.PIPE, universal_newlines=True, timeout=200,
                             check=False).stdout.splitlines()
        # csvexport counts only zones longer than 0.
        check.same(name + " reads the fibers", out[1].split(",")[:6], table.stdout.splitlines()[1].split(",")[:6])
        os.unlink(trace + ".stock")


def main():
    check = live.Check()
    with tempfile.TemporaryDirectory() as scratch:
        check_deep(check, os.path.join(scratch, "deep.tracy"))
        check_fibers(check, os.path.join(scratch, "fibers.tracy"))
    check.leave()


main()
