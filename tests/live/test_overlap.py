#!/usr/bin/env python3
"""Zones of a GPU context that overlap have the times that the program sent: in recordings of this tree and of stock, in
files of other releases, and in what recorders get that follow a served trace."""
import collections
import csv
import io
import os
import subprocess
import sys
import tempfile
import time

import live

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "serve"))
from serving import Server  # noqa: E402

PROGRAM = os.path.join(live.BINARY, "tests", "live_overlap")
# As in overlap.c; the zone without an end is in no table.
SENT = collections.Counter({"A": 8, "B": 1, "C": 16, "outer": 10, "late": 15, "inner": 1, "early": 6, "long": 4000, "in long": 1,
                            "last": 5})
STARTS = {"A": 1, "B": 2, "C": 4, "outer": 30, "late": 35, "inner": 36, "early": 25, "long": 60, "in long": 70, "last": 90}


def run(check, *words):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True, timeout=300,
                          check=False)
    check.same(" ".join(words), done.returncode, 0)
    return done.stdout


def check_table(check, name, table):
    """Both contexts have all zones, with the lengths that were sent, as far from each other as they were."""
    found = sorted((row[0], int(row[3])) for row in list(csv.reader(io.StringIO(table)))[1:])
    check.same(name, found, sorted((zone, ms * 1000000) for zone, ms in SENT.items() for _ in range(2)))
    bases = collections.Counter(int(row[2]) - STARTS[row[0]] * 1000000 for row in list(csv.reader(io.StringIO(table)))[1:])
    check.same(name + ": starts", sorted(bases.values()), [len(SENT), len(SENT)])


def check_trace(check, name, trace, scratch):
    check_table(check, name, run(check, live.TENDRIL, "csvexport", "-g", trace))
    about = run(check, live.TENDRIL, "info", trace)
    check.same(name + ": nothing corrected", "changed " in about, False)
    check.same(name + ": names of GPU tracks", ("first queue" in about, "???" in about), (True, False))
    again, twice = os.path.join(scratch, "again.tracy"), os.path.join(scratch, "twice.tracy")
    for release in "0.9.1", "0.11.1", "0.14.0":
        run(check, live.TENDRIL, "update", "-q", "--format", release, trace, again)
        check_table(check, name + " as " + release, run(check, live.TENDRIL, "csvexport", "-g", again))
        exporter = os.path.join(live.STOCK, release, "bin", "csvexport")
        if release == "0.14.0" and live.STOCK and os.access(exporter, os.X_OK):
            check_table(check, name + ": stock csvexport", run(check, exporter, "-g", again))
    if os.path.exists(twice):
        os.unlink(twice)
    run(check, live.TENDRIL, "merge", trace, again, "-o", twice)
    rows = list(csv.reader(io.StringIO(run(check, live.TENDRIL, "csvexport", "-g", twice))))[1:]
    check.same(name + ": merged", len(rows), 4 * len(SENT))


def check_served(check, trace, scratch):
    recorded = os.path.join(scratch, "recorded.tracy")
    for name, capture in live.captures():
        server = Server(live.TENDRIL, trace)
        words = [capture] + (["capture"] if name == "tendril" else [])
        run(check, *words, "-f", "-a", "127.0.0.1", "-p", str(server.port), "-o", recorded)
        server.end()
        check_table(check, "served to " + name, run(check, live.TENDRIL, "csvexport", "-g", recorded))


def check_parts(check, scratch):
    """The last seconds, a file of a trigger, and what is recovered after a kill have all zones as they were sent."""
    trace = os.path.join(scratch, "part.tracy")
    check.same("keep", live.Run("tendril", live.TENDRIL, [PROGRAM], trace, options=("--keep", "600")).fault(), None)
    check_table(check, "--keep", run(check, live.TENDRIL, "csvexport", "-g", trace))
    options = ("--rotate", "--keep", "600", "--trigger", "message:all zones are sent")
    check.same("rotate", live.Run("tendril", live.TENDRIL, [PROGRAM], trace, options=options).fault(), None)
    table = run(check, live.TENDRIL, "csvexport", "-g", os.path.join(scratch, "part-0001.tracy"))
    found = [(row[0], int(row[3])) for row in list(csv.reader(io.StringIO(table)))[1:]]
    check.true("--rotate has zones that overlap", len(found) >= 6)
    check.same("--rotate: lengths", [row for row in found if row[1] != SENT[row[0]] * 1000000], [])
    port = str(live.free_port())
    with subprocess.Popen([PROGRAM, "stay"], env=dict(os.environ, TRACY_PORT=port), stdin=subprocess.PIPE) as program:
        with subprocess.Popen([live.TENDRIL, "capture", "-q", "-f", "-a", "127.0.0.1", "-p", port, "-o", trace]) as recorder:
            time.sleep(5)
            recorder.kill()
        program.kill()
    run(check, live.TENDRIL, "recover", "-q", "-f", trace)
    check_table(check, "recovered", run(check, live.TENDRIL, "csvexport", "-g", trace))


def main():
    check = live.Check()
    with tempfile.TemporaryDirectory() as scratch:
        trace = os.path.join(scratch, "overlap.tracy")
        for name, capture in reversed(live.captures()):
            check.same(name, live.Run(name, capture, [PROGRAM], trace).fault(), None)
            check_trace(check, name, trace, scratch)
            print("captured by " + name)
        check_served(check, trace, scratch)
        check_parts(check, scratch)
    check.leave()


main()
