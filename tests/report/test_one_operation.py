#!/usr/bin/env python3
"""An operation has the same numbers in `info --json --op`, in the files of `report`, and in the table that the viewer's
panel Operations shows: also an id on several chips, an id twice on the same cores, operations at the same time, and
launches without a begin or an end."""
import csv
import glob
import io
import json
import os
import subprocess
import sys
import tempfile

from device_logs import SECOND, Launch, run, write_log
from pages import BINARY, check, failures

RISCS = ("BRISC", "NCRISC", "TRISC_0")


def launches_of(op, start, length, tiles, device=0):
    """Each RISC begins 100 cycles after the one before, and the later tiles end later."""
    return [Launch(op, x, risc, start + 100 * r, start + 100 * r + length + 1000 * x, device)
            for x in tiles for r, risc in enumerate(RISCS)]


def hard_cases():
    at = 7 * SECOND
    made = launches_of(1, at, 20000, (1, 2, 3))
    made += launches_of(1, at + 500, 30000, (1, 2), device=1)      # the same id on another chip
    made += launches_of(1, at + 100000, 25000, (1, 2, 3))          # and again on the same cores
    made += launches_of(2, at + 200000, 90000, (1,))               # two sub-devices at the same time
    made += launches_of(3, at + 210000, 20000, (2, 3))
    made += launches_of(4, at + 400000, 20000, (1, 2))
    made[-1].set(fw_start=None, start=None)                        # a launch without a begin
    made += launches_of(5, at + 500000, 20000, (1, 2))
    made[-1].set(end=None, fw_end=None)                            # and one without an end
    return made


def numbers(device, run_id, tiles, start, duration):
    return (int(device), int(run_id), int(tiles), None if start is None else int(start), int(duration))


def of_report(out):
    with open(glob.glob(os.path.join(out, ".logs", "cpp_device_perf_report.csv"))[0], encoding="ascii", newline="") as f:
        rows = list(csv.DictReader(f))
    return sorted(numbers(r["DEVICE ID"], r["GLOBAL CALL COUNT"], r["CORE COUNT"], None,
                          r["DEVICE KERNEL DURATION [ns]"]) for r in rows)


def of_json(rows):
    return sorted(numbers(r["device"], r["run_id"], r["tile_count"], r["start_ns"], r["duration_ns"]) for r in rows)


def of_table(text):
    return of_json(csv.DictReader(io.StringIO(text)))


def without_starts(rows):
    return sorted((*row[:3], None, row[4]) for row in rows)


def main():
    with tempfile.TemporaryDirectory(prefix="tendril-test-") as folder:
        log, trace, out = (os.path.join(folder, name) for name in ("profile_log_device.csv", "t.tracy", "out"))
        launches = hard_cases()
        write_log(log, launches)
        run("import", "-q", "-o", trace, log)
        run("report", "--only", "perf", "-o", out, trace)
        reported = of_report(out)
        table = of_table(subprocess.run([os.path.join(BINARY, "tests", "print_table"), trace, "operations"],
                                        stdout=subprocess.PIPE, text=True, check=True).stdout)
        asked = []
        for op in range(1, 6):
            asked += json.loads(run("info", "--json", "--op", str(op), trace).stdout)["operations"]
        check(len(reported) == 7, "an operation is of one chip, and one run: %s" % reported)
        check(of_json(asked) == table, "info --json %s\nthe table %s" % (of_json(asked), table))
        check(without_starts(table) == reported, "the table %s\nreport %s" % (without_starts(table), reported))
        first = [row for row in reported if row[:2] == (0, 1 << 10)]
        # From the begin of BRISC on tile 1 to the end of TRISC0 on tile 3, 10 cycles within the firmware.
        check([row[4] for row in first] == [20000 + 200 + 3000 - 20, 25000 + 200 + 3000 - 20], "from first begins to last ends: %s" % first)
        check({r["run_id"] >> 10: r["open"] for r in asked}[5] == 1, "a launch without an end is open: %s" % asked)
        check([r["shared_ns"] > 0 for r in asked if r["run_id"] == 3 << 10] == [True], "op 3 ran while op 2 did: %s" % asked)
        compared = json.loads(run("compare", "--by", "op", "--json", trace, trace).stdout)["names"]
        closed = sum(r["duration_ns"] for r in asked if not r["open"])
        check(sum(name["a"]["total_ns"] for name in compared) == closed, "compare --by op: %s, not %d" % (compared, closed))


main()
sys.exit(1 if failures() else 0)
