"""Operations that a program announces are reported as they end, and at the end of the recording, with the same numbers."""
import csv
import glob
import json
import os
import subprocess
import sys

from kit import SOURCE, TENDRIL, example, expect, folder, record, run

sys.path.insert(0, os.path.join(SOURCE, "tests"))
from ports import free_port  # noqa: E402

RUNS = 3

with folder() as here:
    out, port = os.path.join(here, "out"), str(free_port())
    viewer = subprocess.Popen([TENDRIL, "report", "--follow", "localhost:" + port, "--json"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)
    record(os.path.join(here, "t.tracy"), [example("matmul"), "64", str(RUNS)], "--report", out, "--serve", port)
    followed, errors = viewer.communicate(timeout=60)
    expect(viewer.returncode == 0, f"report --follow: {errors}")

    with open(os.path.join(out, "operations.jsonl"), encoding="utf-8") as f:
        live = [json.loads(line) for line in f]
    expect([o["id"] for o in live] == [n << 10 for n in range(1, RUNS + 1)], f"operations as they ended: {live}")
    expect(all(o["name"] == "Matmul" and o["cores"] == 4 and not o["open"] for o in live), f"complete: {live}")
    followed = [json.loads(line) for line in followed.splitlines()]
    facts = [(o["id"], o["name"], o["cores"], o["kernel_ns"]) for o in live]
    expect([(o["id"], o["name"], o["cores"], o["kernel_ns"]) for o in followed] == facts, f"followed: {followed} {facts}")

    paths = glob.glob(os.path.join(out, "reports", "*", "ops_perf_results_*.csv"))
    with open(paths[0], newline="", encoding="utf-8") as f:
        rows = list(csv.DictReader(f))
    expect(len(rows) == RUNS, f"rows: {rows}")
    for row, op in zip(rows, live):
        expect(row["OP CODE"] == "Matmul" and int(row["GLOBAL CALL COUNT"]) == op["id"], f"row: {row}")
        expect(int(row["DEVICE KERNEL DURATION [ns]"]) == op["kernel_ns"], f"the same length: {row} {op}")
        expect(row["INPUT_1_Y_PAD[LOGICAL]"] == "64" and "shift" in row["ATTRIBUTES"], f"tensors: {row}")
        # The kernels ran while the host's zone was open; the clocks agree within their bound.
        start = int(row["DEVICE FW START CYCLE"])
        expect(int(row["HOST START TS"]) - 100000 < start < int(row["HOST END TS"]), f"on one timeline: {row}")
    again = run([TENDRIL, "report", "--json", "-o", os.path.join(here, "logs"), out])
    expect(json.loads(again.stdout)["operations"] == RUNS, "the written log has the operations")
print("ok")
