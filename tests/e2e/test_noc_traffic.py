"""Transfers over the NoC of a recording: the viewer counts what the report's NoC traces have, and draws them."""
import glob
import json
import os
import sys

from kit import BUILD, SOURCE, TENDRIL, expect, folder, record, run

sys.path.insert(0, os.path.join(SOURCE, "tests/viewer"))
from driven import start  # noqa: E402

MOVES = ("READ", "WRITE_", "WRITE_MULTICAST")
TILES, OPS, ROUNDS = 9, 2, 3

with folder() as here:
    trace = os.path.join(here, "t.tracy")
    program = [os.path.join(BUILD, "tests", "e2e", "traffic"), os.path.join(BUILD, "tests", "kernels", "e2e_traffic.elf")]
    record(trace, [*program, str(ROUNDS)], "--grid", "3x3")
    run([TENDRIL, "report", "-o", here, trace])
    events = []
    for path in glob.glob(os.path.join(here, ".logs", "noc_trace_*.json")):
        with open(path, encoding="utf-8") as f:
            events += [e for e in json.load(f) if e.get("type") in MOVES]
    expect(len(events) == OPS * ROUNDS * (2 * TILES + 1), f"{len(events)} transfers in the report")
    if run([TENDRIL, "view", "--help"], check=False).returncode != 0:
        print("skipped: built without the viewer")
        sys.exit(0)
    viewer, client = start(os.path.join(here, "socket"), trace)
    if client is None:
        error = viewer.stderr.read()
        expect("OpenGL" in error or "SDL" in error, f"the viewer starts: {error}")
        print("skipped: " + error)
        sys.exit(0)
    expect(client.ask("chip noc")["ok"], "the panel opens")
    expect(client.ask("screenshot", os.path.join(here, "t.png"))["ok"], "a picture waits until they are counted")
    noc = client.ask("state")["noc"]
    expect(noc["transfers"] == len(events), f"transfers: {noc}")
    expect(noc["bytes"] == sum(e["num_bytes"] for e in events), f"bytes: {noc}")
    expect(0 < noc["busiest_link_bytes"] <= noc["bytes"], f"the busiest link: {noc}")
    client.ask("quit")
    expect(viewer.wait(60) == 0, "the viewer ends")
