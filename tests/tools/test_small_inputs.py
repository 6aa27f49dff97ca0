#!/usr/bin/env python3
"""Small inputs that once gave wrong times, names or nothing, and the right answer to each: a table. A line for a new one is a
file in tests/data/small and a row here; what a kind of input needs beyond one file has a test of its own."""
import csv
import io
import json
import os
import shutil
import subprocess
import tempfile

from common import SOURCE, TENDRIL, check, exit_status, unchanged

SMALL = os.path.join(SOURCE, "tests/data/small")

# file, zones (name, start and length in ns), number of tracks with zones, what the import says
IMPORTS = [
    ("epoch.json", [("aten::mm", 0, 120000), ("gemm", 20500, 60250)], 2, ""),
    ("bigtid.json", [("a", 0, 100000), ("b", 50000, 400000)], 2, ""),
    ("async.json", [("reqA", 0, 20000), ("reqB", 10000, 90000)], 2, ""),
    ("overlapX.json", [("A", 0, 100000), ("B", 50000, 400000)], 2, ""),
    ("nan.json", [("b", 0, 5000)], 1, "1 item is left out: 1 damaged event"),
    ("badquote.json", [("a", 0, 10000), ("c", 30000, 5000)], 1, "1 item is left out: 1 damaged event"),
    ("procname.json", [("a", 0, 3000), ("b", 0, 3000)], 2, ""),
    ("longname.json", [("a", 0, 3000), ("b", 0, 3000), ("b", 0, 3000)], 3, ""),
    ("counter.json", [], 0, ""),
    ("t.fxt", [("inner", 500, 200), ("inner", 3000, 500), ("outer", 0, 2000)], 1, ""),
    ("phase_noc_trace_dev0_k_ID1.json", None, 1, ""),
    ("two_devices.json", None, 0, ""),
]

# file, what the report says
REPORTS = [
    ("stale.csv", ["1 operation has implausible times and no part in sums"]),
    ("overlap.csv", ["2 operations began while another one ran on their device"]),
]


def run(*words):
    return subprocess.run([TENDRIL, *words], capture_output=True, text=True, timeout=100, check=False, stdin=subprocess.DEVNULL)


def imported(folder, name):
    trace = os.path.join(folder, "x.tracy")
    r = run("import", "-f", "-q", "-o", trace, os.path.join(SMALL, name))
    check(f"{name} is imported", r.returncode == 0, r.stderr)
    return trace, r.stderr


def imports(folder):
    for name, zones, tracks, says in IMPORTS:
        trace, said = imported(folder, name)
        check(f"{name}: what is said", says in said if says else not said, said)
        rows = list(csv.DictReader(io.StringIO(run("csvexport", "-u", trace).stdout)))
        found = sorted((row["name"], int(row["ns_since_start"]), int(row["exec_time_ns"])) for row in rows)
        check(f"{name}: zones", zones is None or found == sorted(zones), found)
        facts = unchanged(json.loads(run("info", "--json", trace).stdout))
        check(f"{name}: tracks", sum(track["zones"] > 0 for track in facts["tracks"]) == tracks, facts["tracks"])


def names(folder):
    def tracks(name):
        return [track["name"] for track in json.loads(run("info", "--json", imported(folder, name)[0]).stdout)["tracks"]]
    check("names of 40 bytes and more", any(len(name.encode()) > 60 for name in tracks("longname.json")))
    check("names of processes", all(any(word in name for name in tracks("procname.json")) for word in ("Renderer", "GPU Process")))
    check("two devices of one file", {name.split(" tile")[0] for name in tracks("two_devices.json")} == {"chip 0", "chip 3"})


def reports(folder):
    for name, says in REPORTS:
        logs, out = os.path.join(folder, name, ".logs"), os.path.join(folder, name + ".out")
        os.makedirs(logs)
        shutil.copy(os.path.join(SMALL, name), os.path.join(logs, "profile_log_device.csv"))
        r = run("report", os.path.dirname(logs), "-o", out)
        check(f"{name} is reported", r.returncode == 0, r.stderr)
        for words in says:
            check(f"{name}: {words}", words in " ".join((r.stdout + r.stderr).split()), r.stdout, r.stderr)


def main():
    with tempfile.TemporaryDirectory() as folder:
        imports(folder)
        names(folder)
        reports(folder)
    return exit_status()


if __name__ == "__main__":
    raise SystemExit(main())
