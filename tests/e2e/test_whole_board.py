"""Records 650 cores (13 x 10 x 5) and opens the trace; prints memory and time."""
import os
import resource
import time

from kit import csvexport, example, expect, folder, info, record


def main():
    with folder() as directory:
        trace = os.path.join(directory, "t.tracy")
        start = time.time()
        record(trace, [example("matmul"), "256", "1"], "--grid", "13x10", timeout=500)
        seconds = time.time() - start
        facts = info(trace)
        cores = [t for t in facts["tracks"] if t["kind"] == "core"]
        expect(len(cores) == 650, f"{len(cores)} cores in the trace, not 650")
        expect(facts["lost_zones"] == 0, "nothing lost")
        counts = {}
        for row in csvexport(trace):
            counts[row["name"]] = counts.get(row["name"], 0) + int(row["counts"])
        expect(counts["multiply"] == 16 * 16 * 16, f"every step is there: {counts['multiply']}")
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
        print(f"650 cores, {facts['zones']} zones: {seconds:.1f} s, largest process {peak} MiB, "
              f"file {os.path.getsize(trace) // 1024} KiB")


main()
