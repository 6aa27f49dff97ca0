#!/usr/bin/env python3
"""Operations with times that cannot be right are named and in no sum; operations that overlap count once. The same of
a device log and of the trace that it is imported to; the CSV has what tt-metal's scripts calculate."""
import csv
import glob
import html
import os
import re
import sys
import tempfile

from device_logs import SECOND, Launch, run, write_log
from pages import check, failures

STALE = 76000000  # cycles, of an earlier run


def usual(first=7 * SECOND, ops=4, cores=2):
    """Operations of 1000 cycles, one each 2000 cycles, on two RISCs of each core."""
    return [Launch(op, x, risc, first + 2000 * (op - 1), first + 2000 * (op - 1) + 1000)
            for op in range(1, ops + 1) for x in range(1, cores + 1) for risc in ("BRISC", "NCRISC")]


def find(launches, op, x=1, risc="BRISC"):
    return [l for l in launches if (l.op, l.x, l.risc) == (op << 10, x, risc)][0]


def facts_of_page(path):
    with open(path, encoding="utf-8") as f:
        text = html.unescape(re.sub("<[^>]*>", "", f.read())).replace("\xa0", " ")
    times = re.search(r"(\S+ \S+) from the first operation to the last one of each device: (\S+ \S+) in which "
                      r"operations ran, and (\S+ \S+) of gaps", text)
    said = re.search(r"(\d+) operations? with implausible times", text)
    over = re.search(r"(\d+) operations? began while another", text)
    return (times.groups() if times else None, int(said.group(1)) if said else 0, int(over.group(1)) if over else 0,
            text)


def report(name, launches, by_time=False):
    """The facts of the pages: of the log, and of the trace; and the rows of the report."""
    with tempfile.TemporaryDirectory(prefix="tendril-test-") as folder:
        logs = os.path.join(folder, "in", ".logs")
        os.makedirs(logs)
        write_log(os.path.join(logs, "profile_log_device.csv"), launches, by_time)
        page, trace = os.path.join(folder, "p.html"), os.path.join(folder, "t.tracy")
        done = run("report", "-o", os.path.join(folder, "out"), "--html", page, os.path.join(folder, "in"))
        of_log = facts_of_page(page)
        check(("implausible" in done.stderr) == (of_log[1] > 0), "%s: one line says it: %r" % (name, done.stderr))
        path = glob.glob(os.path.join(folder, "out", "reports", "*", "ops_perf*.csv"))[0]
        with open(path, encoding="ascii", newline="") as f:
            table = list(csv.DictReader(f))
        run("import", "-q", "-o", trace, logs)
        run("report", "--html", page, trace)
        return of_log, facts_of_page(page), table


def check_same(name, launches, times, doubted, overlaps=0, traced=True, by_time=(False, True)):
    for order in by_time:
        of_log, of_trace, table = report(name, launches, order)
        check(of_log[:3] == (times, doubted, overlaps), "%s, of a log: %s" % (name, of_log[:3]))
        if traced:
            check(of_trace[:3] == (times, doubted, overlaps), "%s, of a trace: %s" % (name, of_trace[:3]))
        check(not re.search(r"\d s\b", of_log[3]), "%s: no seconds: %s" % (name, of_log[3]))
    return table


def check_stale():
    whole = ("6.98 µs", "3.92 µs", "3.06 µs")
    check_same("nothing is wrong", usual(), whole, 0)
    # Of three operations; between the second and the last one the third has run.
    rest = ("4.98 µs", "2.94 µs", "2.04 µs")
    launches = usual()
    find(launches, 3, 2).set(start=STALE)
    table = check_same("a kernel begins too early", launches, rest, 1)
    kernel = {row["GLOBAL CALL COUNT"]: row["DEVICE KERNEL DURATION [ns]"] for row in table}
    check(kernel == {"1024": "980", "2048": "980", "3072": "6924004990", "4096": "980"}, "the CSV is the scripts': %s" % kernel)
    launches = usual()
    find(launches, 3, 2).set(start=0)
    check_same("a kernel begins at 0", launches, rest, 1)
    launches = usual()
    find(launches, 3, 2).set(fw_start=0, start=0, end=0, fw_end=0)
    check_same("all times of a launch are 0", launches, rest, 1, traced=False)
    launches = usual(ops=3) + [Launch(9, 1, risc, 0, 0).set(start=0, end=0) for risc in ("BRISC", "NCRISC")]
    check_same("all times of an operation are 0", launches, ("4.98 µs", "2.94 µs", "2.04 µs"), 1)
    launches = usual()
    find(launches, 3).set(end=STALE)
    check_same("a kernel ends before it begins", launches, rest, 1, traced=False)
    launches = usual()
    find(launches, 3).set(end=8 * SECOND)
    check_same("a kernel ends too late", launches, rest, 1, traced=False)
    launches = usual()
    find(launches, 3).set(fw_start=STALE, start=STALE + 10)
    check_same("firmware and kernel begin too early", launches, rest, 1, traced=False, by_time=[False])
    launches = usual()
    find(launches, 3).set(fw_start=STALE)
    check_same("firmware begins too early", launches, rest, 1, traced=False, by_time=[False])
    launches = usual()
    for risc in ("BRISC", "NCRISC"):
        find(launches, 3, 2, risc).set(start=STALE)
    check_same("all kernels of a tile begin too early", launches, rest, 1)


def check_first():
    """The first operation has none before it: the other launches show that one begins too early."""
    rest = ("6.00 µs", "2.94 µs", "3.06 µs")
    launches = usual()
    find(launches, 1, 2).set(fw_start=STALE, start=STALE + 10)
    check_same("the first one begins too early", launches, rest, 1)
    launches = usual()
    find(launches, 1, 2).set(start=STALE)
    check_same("the kernel of the first one begins too early", launches, rest, 1)
    # A tile that begins before the others is no fault.
    launches = usual()
    for risc in ("BRISC", "NCRISC"):
        find(launches, 1, 1, risc).set(fw_start=7 * SECOND - 900000, start=7 * SECOND - 899990)
    check_same("the first one begins 0.9 ms early", launches, ("906.98 µs", "903.92 µs", "3.06 µs"), 0)


def check_overlap():
    one = [Launch(1, 1, "BRISC", 1000, 101000), Launch(2, 2, "BRISC", 20000, 60000), Launch(3, 2, "BRISC", 61000, 70000),
           Launch(4, 1, "BRISC", 102000, 103000)]
    table = check_same("sub-devices", one, ("101.98 µs", "100.96 µs", "1.02 µs"), 0, 2)
    check([row["OP TO OP LATENCY [ns]"] for row in table] == ["0", "-80980", "1020", "32020"], "the CSV: %s" % table)
    two = [Launch(1, 1, "BRISC", 1000, 5000), Launch(2, 2, "BRISC", 3000, 9000), Launch(3, 1, "BRISC", 10000, 11000)]
    check_same("in part", two, ("9.98 µs", "8.96 µs", "1.02 µs"), 0, 1)
    devices = usual(SECOND, 2) + [Launch(1, 1, "BRISC", SECOND, SECOND + 1000, device=1)]
    check_same("two devices at once are no overlap", devices, ("3.96 µs", "2.94 µs", "1.02 µs"), 0)


check_stale()
check_first()
check_overlap()
sys.exit(1 if failures() else 0)
