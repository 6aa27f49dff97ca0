#!/usr/bin/env python3
"""Samples in functions without frame pointers have their callers: shares of the functions that call them are those that
the program itself counted. The machine's kernel must allow samples, and the processor be one whose tables are read."""
import math
import os
import platform

import traces
from traces import BINARY, check

from test_sampled import environment, lines_of, losses, missing, run

PROGRAM = os.path.join(BINARY, "tests", "client_callers")


def shares(trace, names):
    """How many samples have each of the functions, and how many lack main(). Those of context switches, of which a busy
    machine has many, have no copy of the stack, so what has no frame pointer is not in them."""
    functions, seen, lost = lines_of(trace), dict.fromkeys(names, 0), 0
    for samples in trace.dump["SAMPLE"]:
        for _, stack in samples:
            inside = [line for address in stack for line in functions.get(address, ())]
            if "schedule" in inside:
                continue
            hits = [name for name in inside if name in seen]
            lost += "main" not in inside
            if hits:
                seen[hits[0]] += 1
    return seen, lost


def main():
    if platform.machine() != "x86_64":
        print("skipped: only the tables of x86-64 are read")
        return
    environment()
    for _ in range(5):
        trace, said = run(next(traces.recorders()), "1500", program=PROGRAM)
        if not losses(trace):
            break
        print("the machine is too busy: once more:", losses(trace))
    if not any(trace.dump["SAMPLE"]):
        print("skipped: this machine samples nothing:", missing(trace))
        return
    seen, lost = shares(trace, list(said))
    count, spent = sum(seen.values()), sum(said.values())
    check(count > 200, "samples of the functions", seen)
    # Those of the program's start and end, and frames that are larger than the copy of the stack.
    check(lost <= 0.02 * count + 30, "samples without main():", lost, "of", count, seen)
    for name, own in said.items():
        wanted = own / spent
        bound = 5 * math.sqrt(wanted * (1 - wanted) / count) + 0.02
        check(abs(seen[name] / count - wanted) < bound, name, "is", seen[name] / count, "of the samples and", wanted,
              "of the time; bound", bound, seen)


if __name__ == "__main__":
    main()
