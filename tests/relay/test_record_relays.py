"""A recording with relay cores has the same contents as one in which the host polls the lanes."""
import collections
import os
import sys

sys.path.insert(0, os.path.join(os.environ["TD_SOURCE_DIR"], "tests", "e2e"))
from kit import dump, example, expect, folder, info, record  # noqa: E402

PROGRAM = [example("matmul"), "64", "2"]
# Which core comes first at a buffer differs from run to run, and so does whether it has to wait.
SAME_EACH_RUN = ("-KERNEL", "multiply", "pack", "tile row")


def zones(trace):
    """By the names of tracks: their numbers follow the order in which cores came first."""
    named = [(zone[2][0], track["name"]) for track in dump(trace)["tracks"] for zone in track["zones"]]
    return collections.Counter(pair for pair in named if any(s in pair[0] for s in SAME_EACH_RUN))


def main():
    with folder() as directory:
        found = {}
        for drain in ("poll", "relay"):
            trace = os.path.join(directory, drain + ".tracy")
            done = record(trace, PROGRAM, "--grid", "2x2", "--drain", drain)
            expect("lost         0 zones, 0 other" in done.stdout, done.stdout)
            expect(info(trace)["zones"] > 500, "the trace is not empty")
            found[drain] = zones(trace)
        expect(len(found["poll"]) >= 20, f"each of twenty cores has a kernel: {found['poll']}")
        expect(found["poll"] == found["relay"], f"only polled: {found['poll'] - found['relay']}, only relayed: {found['relay'] - found['poll']}")
        refused = record(os.path.join(directory, "no.tracy"), PROGRAM, "-b", "tensix_sim_quasar", "--drain", "relay",
                         check=False)
        expect(refused.returncode != 0 and "has no cores for relays" in refused.stderr, refused.stderr)
        expect(len(refused.stderr.strip().splitlines()) == 1, "one line: " + refused.stderr)
        print(f"{sum(found['relay'].values())} zones of {len(found['relay'])} kinds are the same")


main()
