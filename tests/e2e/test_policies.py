"""Under each policy for full lanes: zones that arrived + zones reported as lost = zones executed."""
import os

from kit import example, expect, folder, info, record

SIZE, RUNS, TILES = 128, 3, 4
OUTPUT_TILES = (SIZE // 16) ** 2
STEPS = OUTPUT_TILES * (SIZE // 16)
# From the kernels' sources: BRISC, TRISC0, TRISC1, TRISC2, NCRISC, and the kernel's own zone of each core.
EXECUTED = RUNS * (OUTPUT_TILES + 3 * STEPS + 3 * STEPS + 2 * OUTPUT_TILES + 2 * STEPS + 3 * OUTPUT_TILES +
                   3 * OUTPUT_TILES + 5 * TILES)


def main():
    with folder() as directory:
        for policy in ("block", "drop", "overwrite"):
            trace = os.path.join(directory, policy + ".tracy")
            record(trace, [example("matmul"), str(SIZE), str(RUNS)], "--policy", policy)
            facts = info(trace)
            made = sum(n["count"] + n["open"] for n in facts["names"] if n["lost"])
            host = sum(t["zones"] for t in facts["tracks"] if t["kind"] == "thread")
            arrived = facts["zones"] - made - host
            print(f"{policy}: {arrived} arrived + {facts['lost_zones']} lost of {EXECUTED}, {facts['stalls']} waits")
            expect(arrived + facts["lost_zones"] == EXECUTED, f"{policy} accounts for every zone")
            if policy == "block":
                expect(facts["lost_zones"] == 0, "block loses nothing")
            if policy == "overwrite":
                expect(arrived > 0, "the newest survive, and whatever was taken in time")


main()
