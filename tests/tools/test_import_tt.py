#!/usr/bin/env python3
"""`tendril import` of tt-metal's files: the numbers of real recordings, folders, several files in one trace; bad input
costs one line and leaves nothing."""
import csv
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile

from common import SOURCE, TENDRIL, check, exit_status, unchanged

DATA = os.path.join(SOURCE, "tests/data/tt")
LOG = os.path.join(DATA, "profile_log_device.wh_13col.csv")
NOC = os.path.join(DATA, "noc_trace_json_1x2_BLOCK_TO_2x4_HEIGHT.json")
CORPUS = os.path.join(os.environ.get("TD_CORPUS", os.path.join(SOURCE, "..", "shared", "corpus")), "tt")
# As in the README of the corpus: operations on chips, on the host, signposts, chips.
REPORTS = {"ops_perf_results_SEG_ENCODER_2024_10_04.head.csv": (293, 480, 0, 1),
           "ops_perf_results_SEG_ENCODER_2025_02_16.csv": (398, 781, 0, 1),
           "ops_perf_results_bh20_trace.csv": (21, 0, 6, 1),
           "ops_perf_results_bh_8xp150.csv": (208, 0, 0, 8),
           "ops_perf_results_bh_p100_counters.head.csv": (159, 0, 0, 1)}


def tendril(*words, **more):
    return subprocess.run([TENDRIL, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True,
                          timeout=120, check=False, **more)


def info(trace):
    return unchanged(json.loads(tendril("info", "--json", trace).stdout))


def messages(trace):
    return tendril("csvexport", "-m", trace).stdout


def check_log(trace):
    done = tendril("import", "-f", "-o", trace, LOG)
    check("the log", done.returncode == 0 and "rows         200 of device logs" in done.stdout, done)
    check("the log's open zones", done.stderr.startswith("tendril import: 2 zones have no end in the file"), done.stderr)
    rows = list(csv.reader(io.StringIO(tendril("csvexport", "-u", trace).stdout)))[1:]
    lengths = [(row[0], int(row[4])) for row in sorted(rows, key=lambda row: int(row[3]))]
    check("the launches' lengths", lengths[:8] == [
        ("BRISC-FW", 9241), ("BRISC-KERNEL", 8181), ("BRISC-FW", 8608), ("BRISC-KERNEL", 7467), ("BRISC-FW", 9204),
        ("BRISC-KERNEL", 8147), ("BRISC-FW", 8533), ("BRISC-KERNEL", 7380)], lengths)
    text = messages(trace)
    check("the NoC events", text.count("NoC WRITE_ ") == 160 and text.count("NoC WRITE_BARRIER_END") == 11, text)
    facts = info(trace)
    check("one core", (facts["cores"], facts["tracks"][0]["name"], facts["last_time_ns"]) ==
          (1, "chip 0 tile 1,1 BRISC", 1036605781), facts["tracks"])
    note = "tendril.chip_clock: chip 0 wormhole_b0 1000.000000 MHz 0 cores, time 0 is cycle 2170879416545"
    check("the clock", note in facts["app_info"], facts["app_info"])


def check_noc(trace):
    done = tendril("import", "-f", "-o", trace, NOC)
    facts = info(trace)
    check("a NoC trace", (done.returncode, facts["cores"], facts["zones"], facts["messages"], facts["last_time_ns"]) ==
          (0, 16, 16, 160, 7320), done, facts)
    with open(NOC, encoding="utf-8") as file:
        piped = tendril("import", "-q", "-f", "-o", trace, "-", stdin=file)
    check("a NoC trace from a pipe", (piped.returncode, info(trace)["zones"]) == (0, 16), piped)


def check_reports(trace):
    if not os.path.isdir(CORPUS):
        print("skipped: no corpus at %s (set TD_CORPUS): reports of operations" % CORPUS)
        return
    for name, (device, host, signposts, chips) in REPORTS.items():
        path = os.path.join(CORPUS, name)
        done = tendril("import", "-f", "-o", trace, path)
        line = "operations   %d on chips, %d on the host, %d signposts\n" % (device, host, signposts)
        check(name, done.returncode == 0 and line in done.stdout, done)
        text = messages(trace)
        check(name + ": messages", (text.count("`TT_DNN_DEVICE_OP: "), text.count("`TT_DNN_FALL_BACK_OP: "),
                                    text.count("`TT_SIGNPOST: ")) == (device, host, signposts))
        tracks = [track for track in info(trace)["tracks"] if "operations" in track["name"]]
        check(name + ": zones on chips", sum(track["zones"] for track in tracks) == device, tracks)
        check(name + ": chips", len({track["name"].split()[1] for track in tracks}) == chips, tracks)
        check_columns(name, path, text)


def check_json_log(scratch, trace):
    """The rows of a log with 14 columns, which another tool has kept as JSON."""
    path = os.path.join(CORPUS, "mockDeviceLog.json")
    if not os.path.exists(path):
        print("skipped: there is no %s (set TD_CORPUS)" % path)
        return
    with open(path, encoding="utf-8") as file:
        kept = json.load(file)
    rows = kept["deviceLog"]["data"]
    log = os.path.join(scratch, "log.csv")
    with open(log, "w", encoding="utf-8") as file:
        file.write("ARCH: %(architecture)s, CHIP_FREQ[MHz]: %(frequency)s\n" % kept["deviceMeta"])
        file.write(",  ".join([*rows[0], "meta data"]) + "\n")
        for row in rows:
            file.write(",".join([*row.values(), ""]) + "\n")
    done = tendril("import", "-f", "-o", trace, log)
    zones = sorted((row[0], int(row[4])) for row in
                   list(csv.reader(io.StringIO(tendril("csvexport", "-u", trace).stdout)))[1:])
    check("a log with 14 columns", done.returncode == 0 and zones ==
          [("BRISC-FW", 7661), ("BRISC-FW", 40767), ("BRISC-FW", 49137), ("BRISC-KERNEL", 4840)], zones, done)


def check_columns(name, path, text):
    """Each row's columns are in the JSON of its message, as the file has them."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    wanted = [{key: value.strip() for key, value in row.items() if value.strip()} for row in rows
              if row["OP TYPE"] != "signpost"]
    found = [json.loads(part[part.index("{"):part.index("`")])["report"] for part in text.split(" ->\n")[1:]]
    check(name + ": all columns", sorted(map(repr, found)) == sorted(map(repr, wanted)))


def check_folder(scratch, trace):
    logs = os.path.join(scratch, "profiler", ".logs")
    os.makedirs(logs)
    shutil.copy(LOG, os.path.join(logs, "profile_log_device.csv"))
    shutil.copy(NOC, os.path.join(logs, "noc_trace_dev0_Op_ID1.json"))
    with open(os.path.join(logs, "ops_perf_results_2025.csv"), "w", encoding="utf-8") as file:
        file.write("OP CODE,OP TYPE,GLOBAL CALL COUNT,DEVICE ID,HOST START TS,HOST END TS,DEVICE FW START CYCLE,"
                   "DEVICE FW END CYCLE,DEVICE FW DURATION [ns]\nUntilize,tt_dnn_device,1024,0,5000,6000,"
                   "2170879416472,2170879425938,9466\n")
    done = tendril("import", "-f", "-o", trace, os.path.dirname(logs))
    facts = info(trace)
    check("a folder", done.returncode == 0 and "1 NoC traces are left out" in done.stderr, done)
    check("a folder: the tracks", sorted(track["name"] for track in facts["tracks"]) ==
          ["chip 0 operations", "chip 0 tile 1,1 BRISC", "host"], facts["tracks"])
    check("a folder: one clock", any("time 0 is cycle 2170879411472" in line for line in facts["app_info"]),
          facts["app_info"])
    os.unlink(os.path.join(logs, "ops_perf_results_2025.csv"))
    with open(os.path.join(logs, "tracy_ops_data.csv"), "w", encoding="utf-8") as file:
        file.write("MessageName;total_ns\n`TT_DNN_DEVICE_OP: \"Untilize\", 1, 0, false, 1024 ->\n{}`;5000\n")
    done = tendril("import", "-f", "-o", trace, logs)
    check("messages of a program", done.returncode == 0 and "host         1 messages" in done.stdout, done)
    check("messages: one clock", any("time 0 is cycle 2170879411545" in line for line in info(trace)["app_info"]),
          info(trace)["app_info"])
    both = tendril("import", "-f", "-o", trace, LOG, NOC)
    check("two files", (both.returncode, info(trace)["zones"]) == (0, 26), both)


def check_refused(scratch, trace):
    empty = os.path.join(scratch, "empty folder")
    os.makedirs(empty)
    bad = os.path.join(scratch, "bad.csv")
    with open(LOG, encoding="utf-8") as file:
        lines = file.read().split("\n")
    lines[9] = lines[9].replace("BRISC,12345", "BRISC,many")
    with open(bad, "w", encoding="utf-8") as file:
        file.write("\n".join(lines))
    for words, text in (((bad,), bad + ":10: timer_id is 'many', which is no number that it can be"),
                        ((empty,), empty + ": neither this folder nor its folder .logs has profile_log_device.csv"),
                        ((LOG, os.path.join(SOURCE, "README.md")), "README.md: this is no file of tt-metal"),
                        ((LOG, os.path.join(scratch, "missing")), "missing")):
        done = tendril("import", "-o", trace, *words)
        check(text, done.returncode == 1 and done.stderr.count("\n") == 1 and text in done.stderr, done)
    check("nothing is left", not os.path.exists(trace))
    with open(bad, "w", encoding="utf-8") as file:
        file.write("\n".join(lines[:9]) + "\n0,1,1,BR")
    done = tendril("import", "-q", "-o", trace, bad)
    check("a cut log", done.returncode == 0 and "bad.csv breaks off" in done.stderr, done)


def main():
    with tempfile.TemporaryDirectory() as scratch:
        trace = os.path.join(scratch, "imported.tracy")
        check_log(trace)
        check_noc(trace)
        check_json_log(scratch, trace)
        check_reports(trace)
        check_folder(scratch, trace)
        os.unlink(trace)
        check_refused(scratch, trace)
    return exit_status()


if __name__ == "__main__":
    sys.exit(main())
