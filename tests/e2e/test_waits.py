"""Waits for flows are counted although the sender's zone ends after the receiver has the flow, in both kinds of time."""
import json
import os
import re

from kit import BUILD, TENDRIL, example, expect, folder, info, record, run

KERNELS = os.path.join(BUILD, "tests", "kernels")


def main():
    program = [os.path.join(BUILD, "tests", "e2e", "together"), f"BRISC={KERNELS}/e2e_makes.elf",
               f"NCRISC={KERNELS}/e2e_takes.elf"]
    with folder() as directory:
        for clock in ("insn", "host"):
            trace = os.path.join(directory, "waits.tracy")
            record(trace, program, "--clock", clock)
            waits = info(trace, "--waits")["waits"]
            pairs = waits["pairs"]
            expect(waits["without_sender"] == 0, f"{clock}: each has a sender: {waits}")
            expect(len(pairs) == 1 and pairs[0]["flows"] == 20, f"{clock}: the flows: {pairs}")
            waited = pairs[0]["waited_ns"]
            # Of each item, what is left of its 100 us when the 40 us of the one before have been used.
            expect(1240000 <= waited and (clock == "host" or waited <= 1250000), f"{clock}: waited {waited} ns")
            print(f"{clock}: waited {waited} ns")
        # As in the viewer's panel, a wait that no flow explains is a row of its own.
        record(trace, [example("matmul"), "32", "1"], "--clock", "insn")
        text = run([TENDRIL, "info", "--waits", trace]).stdout
        expect(re.search(r"^  chip 0 tile 0,0 BRISC +no flow says +0 +[0-9.]+ [nu]s +0 ns$", text, re.M), text)
        # Two receivers of three have no sender.
        events = [{"ph": "X", "name": "zone", "ts": 10 * i, "dur": 5, "pid": 1, "tid": i} for i in range(4)]
        flows = [("s", 7, 0), ("f", 7, 1), ("f", 8, 2), ("f", 9, 3)]
        events += [{"ph": ph, "bp": "e", "name": "item", "cat": "c", "id": key, "ts": 10 * i + 1, "pid": 1, "tid": i}
                   for ph, key, i in flows]
        with open(os.path.join(directory, "flows.json"), "w", encoding="ascii") as f:
            json.dump(events, f)
        run([TENDRIL, "import", os.path.join(directory, "flows.json"), trace])
        waits = info(trace, "--waits")["waits"]
        expect(waits["without_sender"] == 2 and waits["launches_without_sender"] == 0, f"receivers alone: {waits}")
        text = run([TENDRIL, "info", "--waits", trace]).stdout
        expect("without a sender in the trace: 2 receivers\n" in text, text)


main()
