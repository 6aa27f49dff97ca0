#!/usr/bin/env python3
"""Instances of a template have source locations of equal content. The trace and its tables keep them apart, as the program
sends them; comparisons between traces go by name."""
import collections
import csv
import io
import os
import subprocess
import tempfile

import live

PROGRAM = os.path.join(live.BINARY, "tests", "live_twins")
INSTANCES, CALLS = 28, 5
ROWS = {("instance", str(CALLS)): INSTANCES, ("made", str(CALLS)): 1}


def tool(check, *words):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True, timeout=300,
                          check=False)
    check.same(" ".join(words), (done.returncode, done.stderr), (0, ""))
    return done.stdout


def rows(table):
    """How often each (name, count) occurs in the table's rows."""
    return collections.Counter((row[0], row[5]) for row in list(csv.reader(io.StringIO(table)))[1:])


def check_trace(check, name, trace, scratch):
    check.same(name + ": csvexport", rows(tool(check, live.TENDRIL, "csvexport", trace)), ROWS)
    names = [each for track in live.info(trace)["tracks"] for each in track["names"]]
    check.same(name + ": info", collections.Counter((each["name"], str(each["count"])) for each in names), ROWS)
    for row in csv.DictReader(io.StringIO(tool(check, live.TENDRIL, "compare", "--csv", trace, trace))):
        calls = CALLS * (INSTANCES if row["name"] == "instance" else 1)
        check.same(name + ": compare " + row["name"], (row["count_a"], row["count_b"]), (str(calls), str(calls)))
    again = os.path.join(scratch, "again.tracy")
    for release in "0.9.1", "0.11.1", "0.14.0":
        tool(check, live.TENDRIL, "update", "-q", "--format", release, trace, again)
        check.same("%s: format %s" % (name, release), rows(tool(check, live.TENDRIL, "csvexport", again)), ROWS)
        exporter = os.path.join(live.STOCK, release, "bin", "csvexport")
        if live.STOCK and os.access(exporter, os.X_OK):
            check.same("%s: csvexport of %s" % (name, release), rows(tool(check, exporter, again)), ROWS)


def main():
    check = live.Check()
    with tempfile.TemporaryDirectory() as scratch:
        trace = os.path.join(scratch, "twins.tracy")
        for name, capture in live.captures():
            run = live.Run(name, capture, [PROGRAM], trace)
            check.same(name, run.fault(), None)
            check_trace(check, name, trace, scratch)
            print("captured by " + name)
    check.leave()


main()
