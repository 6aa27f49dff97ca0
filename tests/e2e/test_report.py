"""Operations that a program announces are reported as they end, and at the end of the recording, with the same numbers."""
import csv
import glob
import json
import os
import re
import subprocess
import sys
from collections import Counter

from kit import BUILD, SOURCE, TENDRIL, example, expect, folder, info, record, run

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

    # Who waited for whom: the sums of the operations are those of the trace.
    def waits(*options):
        text = run([TENDRIL, "info", "--all", *options, os.path.join(here, "t.tracy")]).stdout
        found = re.findall(r"^  (chip \S+ tile \S+ \S+) +((?:chip|Main) \S+(?: tile \S+ \S+)?) +(\d+) ", text, re.M)
        return text, Counter({(waiter, giver): int(flows) for waiter, giver, flows in found})

    text, whole = waits("--waits")
    outputs = {pair for pair in whole if pair[0].endswith("NCRISC") and pair[1] == pair[0].replace("NCRISC", "TRISC2")}
    expect(len(outputs) == 4 and "  most awaited: chip 0 tile " in text, f"waits: {text}")
    each = Counter()
    for n in range(1, RUNS + 1):
        text, flows = waits("--op", str(n))
        each += flows
        expect(re.search(f"  op {n << 10} .*on device 0: 4 tiles, 20 launches", text) and "  last to end: tile " in text, f"op {n}: {text}")
        expect(re.search(r"from the end back:\n    chip 0 tile .* received .* of .*, sent .* and received .* after", text), f"chain: {text}")
    expect(each == whole, f"operations {each} trace {whole}")

    # The same as JSON.
    def pairs(part):
        return Counter({(p["waiter"]["name"], p["giver"]["name"]): p["flows"] for p in part["pairs"]})

    found = info(os.path.join(here, "t.tracy"), "--waits", "--op", "2")
    expect(pairs(found["waits"]) == whole and f'most awaited: {found["waits"]["most_awaited"]["giver"]["name"]}, by '
           in waits("--waits")[0], f"JSON of waits: {found['waits']}")
    op, = found["operations"]
    expect(found["op"] == 2 and op["run_id"] == 2 << 10 and pairs(op) == waits("--op", "2")[1], f"JSON of op 2: {op}")
    last = max(op["tiles"], key=lambda tile: tile["end_ns"])
    expect(len(op["tiles"]) == 4 and op["launches"] == 20 and op["end_ns"] == last["end_ns"], f"tiles: {op}")
    expect((last["x"], last["y"]) == (op["last_tile"]["x"], op["last_tile"]["y"]), f"last tile: {op}")
    chain = [(c["receiver"]["name"], c["sent_ns"], c["received_ns"]) for c in op["chain"]]
    expect(chain and chain[0][0].startswith(f"chip 0 tile {last['x']},{last['y']} "), f"the chain begins at the last tile: {chain}")
    expect(all(op["start_ns"] <= sent and received <= op["end_ns"] for _, sent, received in chain), f"chain: {chain}")
    wrong = run([TENDRIL, "info", "--op", "77", os.path.join(here, "t.tracy")], check=False)
    expect(wrong.returncode != 0 and wrong.stderr.count("\n") == 1, f"no such operation: {wrong.stderr}")
    wrong = run([TENDRIL, "info", "--waits", "--compensate", os.path.join(here, "t.tracy")], check=False)
    expect(wrong.returncode == 2 and "--compensate" in wrong.stderr, f"waits and compensate: {wrong.stderr}")

# The NoC events of a kernel become the NoC trace of its operation.
with folder() as here:
    launch, kernel = (os.path.join(BUILD, "tests", name) for name in ("e2e/launch", "kernels/e2e_noc_events.elf"))
    record(os.path.join(here, "t.tracy"), [launch, kernel], "--report", os.path.join(here, "out"))
    with open(os.path.join(here, "out", ".logs", "noc_trace_dev0_ID1.json"), encoding="utf-8") as f:
        events = [e for e in json.load(f) if "type" in e]
    types = ["READ", "READ_BARRIER_START", "READ_BARRIER_END", "WRITE_", "WRITE_BARRIER_START", "WRITE_BARRIER_END",
             "WRITE_MULTICAST", "FULL_BARRIER", "SEMAPHORE_INC", "READ_SET_STATE", "READ_WITH_STATE", "WRITE_SET_STATE",
             "WRITE_WITH_STATE", "SEMAPHORE_SET_REMOTE", "FULL_BARRIER", "WRITE_FLUSH_WITH_TRID", "READ", "SEMAPHORE_INC"]
    expect([e["type"] for e in events] == types, f"events: {events}")
    expect([e.get("num_bytes") for e in events if "vc" in e] == [128, 64, 32, 4, 48, 48, 16, 16, 4, 96, 0], f"bytes: {events}")
    place = (events[0]["dx"], events[0]["dy"])  # of the tile itself
    expect(all((e["sx"], e["sy"]) == place for e in events), f"places: {events}")
    expect(all((e["mcast_end_x"], e["mcast_end_y"]) == place for e in events if "mcast_end_x" in e), f"places: {events}")
    expect(events[8]["vc"] == 1 and events[8]["proc"] == "BRISC", f"the kernel's own event: {events[8]}")
    expect((events[-2]["noc"], events[-2]["vc"]) == ("NOC_1", 2), f"an event of the other NoC: {events[-2]}")
    # Locks, waits and packets are messages; a wait is a zone as well.
    text = run([TENDRIL, "csvexport", "-m", os.path.join(here, "t.tracy")]).stdout
    own = [line.rpartition(",")[0] for line in text.splitlines()][-7:]
    expect(own == ["CB_LOCK 0x12340 num_bytes=64", "CB_UNLOCK 0x12340 num_bytes=64", "MEM_LOCK 0x12380 num_bytes=32",
                   "MEM_UNLOCK 0x12380 num_bytes=32", "CB-WAIT-KEY: 4", "CB-PUSH: 5", "FABRIC-HEADER: 4656"], f"messages: {own}")
    expect("CB-WAIT," in run([TENDRIL, "csvexport", "-u", os.path.join(here, "t.tracy")]).stdout, "the zone of a wait")

# Performance counters of the tile become columns, and so does the work of a dispatch core for the operation.
with folder() as here:
    launch = os.path.join(BUILD, "tests", "e2e", "launch")
    counters, dispatch = (os.path.join(BUILD, "tests", "kernels", f"e2e_{name}.elf") for name in ("counters", "dispatch"))
    record(os.path.join(here, "t.tracy"), [launch, "TRISC1", counters, "NCRISC", dispatch], "--report", os.path.join(here, "out"))
    text = run([TENDRIL, "csvexport", "-m", os.path.join(here, "t.tracy")]).stdout
    found = dict(re.findall(r"^counter (\w+): (\d+ of \d+),", text, re.M))
    cycles = found["FPU_COUNTER"].split(" of ")[1]
    expect(found == {"FPU_COUNTER": f"0 of {cycles}", "SFPU_COUNTER": f"64 of {cycles}", "MATH_COUNTER": f"64 of {cycles}"},
           f"two functions of 32 ticks: {text}")
    with open(glob.glob(os.path.join(here, "out", "reports", "*", "ops_perf_results_*.csv"))[0], encoding="utf-8") as f:
        row, = csv.DictReader(f)
    share = round(6400 / int(cycles), 3)
    expect([float(row[f"SFPU Util {s} (%)"]) for s in ("Min", "Median", "Max")] == [share] * 3, f"share {share}: {row}")
    expect(row["FPU Util Max (%)"] == "0.0", f"no product: {row}")
    zones = run([TENDRIL, "csvexport", "-u", os.path.join(here, "t.tracy")]).stdout
    spans = [(int(a), int(b)) for a, b in re.findall(r"^CQ-DISPATCH,[^,]*,\d+,(\d+),(\d+),", zones, re.M)]
    length = spans[2][0] + spans[2][1] - spans[0][0]  # the second zone is of another operation
    expect(int(row["DISPATCH GO SEND WAIT TIME [ns]"]) == length, f"dispatch {length}: {row} {zones}")
    expect(not row.get("DISPATCH TOTAL CQ CMD OP TIME [ns]"), f"none on BRISC: {row}")
print("ok")
