#!/usr/bin/env python3
"""tt-metal's own files, imported and reported again, have the same values."""
import csv
import glob
import json
import os
import subprocess
import sys
import tempfile

SOURCE, BINARY = os.environ["TD_SOURCE_DIR"], os.environ["TD_BINARY_DIR"]
sys.path.insert(0, os.path.join(SOURCE, "tests", "tools"))
from common import TENDRIL, check, exit_status  # noqa: E402

CORPUS = os.path.join(os.environ.get("TD_CORPUS", os.path.join(SOURCE, "../shared/corpus")), "tt")


def through(source, folder, *options):
    """Imports a file and reports the trace."""
    trace = os.path.join(folder, "t.tracy")
    for command in ((TENDRIL, "import", "-q", "-o", trace, source), (TENDRIL, "report", "-q", "-o", folder, *options, trace)):
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
        check(f"{os.path.basename(source)}: {command[1]}", done.returncode == 0, done.stderr)


def table(path):
    with open(path, newline="", encoding="utf-8-sig") as f:
        return list(csv.reader(f))


def op_report(name, folder):
    through(os.path.join(CORPUS, name), folder, "--only", "ops")
    before = table(os.path.join(CORPUS, name))
    after = table(glob.glob(os.path.join(folder, "reports/*/ops_perf_results_*.csv"))[0])
    check(f"{name}: the columns", before[0] == after[0], before[0], after[0])
    check(f"{name}: the rows", len(before) == len(after), len(before), len(after))
    for number, (old, new) in enumerate(zip(before, after)):
        if old != new:
            check(f"{name}: row {number}", False, [pair for pair in zip(before[0], old, new) if pair[1] != pair[2]])
            break


def device_log(folder):
    source = os.path.join(CORPUS, "profile_log_device.wh_13col.csv")
    through(source, folder, "--columns", "13")
    before, after = table(source), table(os.path.join(folder, ".logs/profile_log_device.csv"))
    check("device log: the columns", [n.strip() for n in before[1]] == [n.strip() for n in after[1]], after[1])
    check("device log: the rows", sorted(before[2:]) == sorted(after[2:]),
          [row for row in after[2:] if row not in before][:3])


def noc_trace(folder):
    name = "T3K-fabric-traces_ring-4dev_noc_trace_dev1_AllGatherAsync_ID4.json"
    through(os.path.join(CORPUS, "noc_trace", name), folder, "--only", "noc")
    written = glob.glob(os.path.join(folder, ".logs/*.json"))
    check("NoC trace: the name", [os.path.basename(w) for w in written] == ["noc_trace_dev1_AllGatherAsync_ID4.json"], written)
    with open(os.path.join(CORPUS, "noc_trace", name), encoding="utf-8") as f:
        before = json.load(f)
    with open(written[0], encoding="utf-8") as f:
        after = json.load(f)
    keys = ("proc", "noc", "vc", "sx", "sy", "dx", "dy", "num_bytes", "type", "timestamp", "fabric_send", "zone", "zone_phase")

    phases = {"begin": "ZONE_START", "end": "ZONE_END"}  # the file is of a time when they were written so
    check("NoC trace: today's phases", {o["zone_phase"] for o in after if "zone_phase" in o} == {"ZONE_START", "ZONE_END"})
    for o in before:
        if "zone_phase" in o:
            o["zone_phase"] = phases[o["zone_phase"]]

    def facts(objects):
        return sorted(str([o.get(k) for k in keys]) for o in objects)
    check("NoC trace: the objects", facts(before) == facts(after))


LOG = """ARCH: blackhole, CHIP_FREQ[MHz]: 1000, Max Compute Cores: 130
PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since reset], data, run host ID, trace id, \
trace id counter, zone name, type, source line, source file, meta data
0,1,2,BRISC,1,100,0,1024,,,BRISC-FW,ZONE_START,9,fw.cc,{"workers_runtime_id": 7; "of": [1; 2]}
0,1,2,BRISC,9090,150,0,1024,,,,TS_DATA,0,,{"counter type": "FPU_COUNTER"; "value": 219; "ref cnt": 1000}
0,1,2,BRISC,77,160,0,1024,,,,TS_EVENT,0,,
0,1,2,BRISC,2,170,41,1024,,,stage,TS_DATA,3,k.cc,
0,1,2,BRISC,1,300,0,1024,,,BRISC-FW,ZONE_END,9,fw.cc,
"""


def meta_data(folder):
    """Values, events, counters and meta data of a log."""
    source = os.path.join(folder, "profile_log_device.csv")
    with open(source, "w", encoding="utf-8") as f:
        f.write(LOG)
    os.mkdir(os.path.join(folder, "out"))
    through(source, os.path.join(folder, "out"), "--only", "device-log")

    def rows(path):
        with open(path, encoding="utf-8") as f:
            return sorted((r[5], r[6], r[7], r[10], r[11], r[14]) for r in (line.rstrip("\n").split(",") for line in list(f)[2:]))
    before, after = rows(source), rows(os.path.join(folder, "out/.logs/profile_log_device.csv"))
    # The value of a counter is in the meta data; this program also writes it as the row's data.
    before = [r[:1] + ("219",) + r[2:] if "counter" in r[5] else r for r in before]
    check("values, events and meta data", before == after, before, after)


with tempfile.TemporaryDirectory() as scratch:
    meta_data(scratch)
if not os.path.isdir(CORPUS):
    print("skipped: no corpus")
    sys.exit(exit_status())
with tempfile.TemporaryDirectory() as scratch:
    for report in ("ops_perf_results_bh20_trace.csv", "ops_perf_results_bh_8xp150.csv",
                   "ops_perf_results_SEG_ENCODER_2024_10_04.head.csv"):
        op_report(report, tempfile.mkdtemp(dir=scratch))
    device_log(tempfile.mkdtemp(dir=scratch))
    noc_trace(tempfile.mkdtemp(dir=scratch))
sys.exit(exit_status())
