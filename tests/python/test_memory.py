"""Python's allocations are in the trace: each allocation with its end."""
import sys

import kit
from kit import PROGRAMS, Trace, check


def main():
    trace = Trace(PROGRAMS + "/allocates.py", before=())
    check(trace.code == 0 and trace.out == "10 123456\n", f"{trace.code} {trace.out} {trace.err}")
    pools = {pool["name"]: pool for pool in trace.info()["memory_pools"]}
    check("python" in pools, str(pools))
    pool = pools["python"]
    check(pool["events"] > 1200, f"too few allocations: {pool}")
    check(123456 < pool["peak_bytes"] < 600000, f"not what the program holds at once: {pool}")
    check(pool["active"] == 0, f"the interpreter frees all at its end, but the trace has not all ends: {pool}")
    return 1 if kit.failures() else print("ok") or 0


if __name__ == "__main__":
    sys.exit(main())
