"""`tendril hang` and `tendril top` find three tiles that wait for each other among 130, from outside."""
import json
import os

from kit import BUILD, TENDRIL, expect, folder, record, run

KERNEL = os.path.join(BUILD, "tests", "kernels", "e2e_ring.elf")
RING = os.path.join(BUILD, "tests", "e2e", "ring")
GRID = "13x10"
STUCK = [(0, 0), (11, 2), (9, 5)]  # tiles 0, 37 and 74


def main():
    with folder() as directory:
        trace, out = os.path.join(directory, "t.tracy"), os.path.join(directory, "out")
        command = (f"{TENDRIL} hang --json > {out}.json; status=$?; {TENDRIL} hang > {out}.txt; "
                   f"{TENDRIL} top -n 1 --period 0.3 > {out}.top || exit 90; "
                   f"{TENDRIL} hang --at $TENDRIL_BOARD > {out}.path; rm $(dirname $TENDRIL_BOARD)/*.elf; "
                   f"{TENDRIL} top -n 1 --period 0.1 > {out}.bare || exit 91; exit $status")
        done = record(trace, [RING, KERNEL, "3", command], "--grid", GRID, check=False)
        expect(done.returncode == 1, f"hang exits with 1 when cores are stuck: {done.returncode}\n{done.stderr}")
        with open(out + ".json", encoding="utf-8") as f:
            seen = json.load(f)
        expect(seen["states"]["stuck"] == 3 and seen["states"]["done"] == 127, f"states: {seen['states']}")
        places = sorted((c["x"], c["y"]) for c in seen["cores"])
        expect(places == sorted(STUCK), f"stuck tiles: {places}")
        for core in seen["cores"]:
            zones = core["open_zones"]
            expect(core["core"] == "BRISC" and core["state"] == "stuck" and core["op"] == 7, f"core: {core}")
            expect(core["waits_in"] == "semaphore", f"waits in {core['waits_in']}")
            expect([z["name"] for z in zones] == ["exchange", "semaphore"], f"open zones: {zones}")
            expect(zones[0]["age_s"] >= zones[1]["age_s"] > 0, f"ages: {zones}")
            expect(core["symbol"] == "main" and core["line"] > 0 and core["file"].endswith(("sem.h", "ring.c", "zone.h", "fence.h")),
                   f"where it is: {core}")
            expect(zones[1]["file"].endswith("sem.h") and zones[1]["line"] > 0, f"place: {zones[1]}")
        with open(out + ".txt", encoding="utf-8") as f:
            lines = f.read().splitlines()
        expect(" 3 stuck, 127 done" in lines[0] and len(lines) == 4, f"text: {lines}")
        expect(all(": pc 0x" in line and " (main+0x" in line for line in lines[1:]), f"text: {lines}")
        expect(all("waits in semaphore (" in line and ", in exchange (" in line for line in lines[1:]), f"text: {lines}")
        with open(out + ".top", encoding="utf-8") as f:
            top = f.read()
        expect("100.0%  wait: semaphore" in top, f"top:\n{top}")
        expect(sum("stuck" in line and "100%" in line for line in top.splitlines()) == 3, f"top:\n{top}")

        # The board's path is enough to find the kernels; without them, one line says so.
        with open(out + ".path", encoding="utf-8") as f:
            expect(f.read().count("waits in semaphore (") == 3, "the kernels next to a board's path")
        with open(out + ".bare", encoding="utf-8") as f:
            bare = f.read()
        expect("zones of 3 cores are not known: the ELF with build id " in bare, f"without ELFs:\n{bare}")

        nothing = record(trace, [RING, KERNEL, "0", f"{TENDRIL} hang > {out}.txt"], "--grid", "2x2", check=False)
        expect(nothing.returncode == 0, f"hang exits with 0 when none is stuck: {nothing.stderr}")
        with open(out + ".txt", encoding="utf-8") as f:
            text = f.read()
        expect(" 0 stuck, 4 done" in text and len(text.splitlines()) == 1, f"text: {text}")

        wrong = run([TENDRIL, "hang", "--at", "shm:/nonexistent"], check=False)
        expect(wrong.returncode != 0 and len(wrong.stderr.splitlines()) == 1, f"a wrong place: {wrong.stderr}")


main()
