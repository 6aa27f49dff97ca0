"""Waits for flows are counted although the sender's zone ends after the receiver has the flow, in both kinds of time."""
import os

from kit import BUILD, TENDRIL, expect, folder, info, record, run

KERNELS = os.path.join(BUILD, "tests", "kernels")


def main():
    program = [os.path.join(BUILD, "tests", "e2e", "together"), f"BRISC={KERNELS}/e2e_makes.elf",
               f"NCRISC={KERNELS}/e2e_takes.elf"]
    with folder() as directory:
        for clock in ("insn", "host"):
            trace = os.path.join(directory, "waits.tracy")
            record(trace, program, "--clock", clock)
            pairs = info(trace, "--waits")["waits"]["pairs"]
            expect(len(pairs) == 1 and pairs[0]["flows"] == 20, f"{clock}: the flows: {pairs}")
            waited = pairs[0]["waited_ns"]
            # Of each item, what is left of its 100 us when the 40 us of the one before have been used.
            expect(1240000 <= waited and (clock == "host" or waited <= 1250000), f"{clock}: waited {waited} ns")
            print(f"{clock}: waited {waited} ns")


main()
