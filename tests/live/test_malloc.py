#!/usr/bin/env python3
"""libtendril-malloc: every allocation and free of a program is recorded once, by our capture and by stock ones."""
import os
import subprocess
import sys
import tempfile

import live

M = 1000000
SHARED = os.path.join(live.BINARY, "lib", "libtendril-malloc.so")
# Sizes that the program itself allocates, and whether they are never freed.
LARGE = sorted([(M + 1, True)] + [(size, False) for size in (
    M + 2, 3 * (M + 3), M + 4, 2 * M + 4, M + 5, M + 6, 2 * (M + 7), M + 8, 256 * 4096, M + 9, M + 10, M + 11, M + 12)])

WORK = """
import json, threading, subprocess
def work():
    for i in range(150):
        json.loads(json.dumps({"a": [str(k) for k in range(50)]}))
threads = [threading.Thread(target=work) for i in range(4)]
[t.start() for t in threads]
[t.join() for t in threads]
print(subprocess.run(["/bin/true"]).returncode)
"""


def pool_of(dump):
    found = [i for i, row in enumerate(dump["POOL"]) if row[0] == "malloc"]
    return dump["MEMORY"][found[0]] if len(found) == 1 else []


def check_exact(check, name, dump):
    rows = pool_of(dump)
    large = sorted((row[1], row[5] < 0) for row in rows if row[1] >= M)
    # A block that could not grow is in the trace a second time, with its old size.
    check.same(name + ": large ones", [one for one in large if one[0] < 5 * M], LARGE)
    check.same(name + ": what could not grow", [one[1] for one in large if one[0] >= 5 * M], [False, False])
    check.true(name + ": all threads", len({row[6] for row in rows}) > 100)
    check.true(name + ": small ones", len(rows) > 80000)
    # Never freed: some blocks of main() and of the C library.
    check.true(name + ": few stay", sum(row[5] < 0 for row in rows) < 100)


def overlaps(rows):
    """Allocations that begin before the previous one at the same address has ended."""
    last, bad = {}, 0
    for address, _, _, _, start, end, *_ in rows:
        if address in last and (last[address] < 0 or last[address] > start):
            bad += 1
        last[address] = end
    return bad


def main():
    if not os.path.exists(SHARED):
        print("skipped: built with a sanitizer, whose malloc() stays")
        return
    check = live.Check()
    python = "/usr/bin/python3" if os.access("/usr/bin/python3", os.X_OK) else sys.executable
    with tempfile.TemporaryDirectory() as scratch:
        trace = os.path.join(scratch, "malloc.tracy")
        linked = [os.path.join(live.BINARY, "tests", "live_allocate")]
        bare = [os.path.join(live.BINARY, "tests", "live_allocate_bare")]
        for name, capture in live.captures():
            for how, program, env in (("linked", linked, {}), ("preloaded", bare, {"LD_PRELOAD": SHARED})):
                # `env` sets LD_PRELOAD for the program alone.
                command = ["env"] + ["%s=%s" % item for item in env.items()] + program
                run = live.Run(name, capture, command, trace)
                what = "%s, %s" % (name, how)
                check.same(what, run.fault(), None)
                if run.fault():
                    continue
                check.true(what + ": done", run.out == "done\n")
                check.true(what + ": nothing odd", "odd" not in run.capture_out)
                dump = run.dump()
                check_exact(check, what, dump)
                check.same(what + ": overlaps", overlaps(pool_of(dump)), 0)
            run = live.Run(name, capture, ["env", "LD_PRELOAD=" + SHARED, "PYTHONMALLOC=malloc", python, "-c", WORK], trace)
            check.same(name + ", python", run.fault(), None)
            check.same(name + ", python says", run.out, "0\n")
            check.true(name + ", python: nothing odd", "odd" not in run.capture_out)
            run = live.Run(name, capture, [os.path.join(live.BINARY, "tests", "live_begin_late")], trace,
                           env={"TRACY_MANUAL_LIFETIME": "1", "TENDRIL_WAIT_CONNECT_MS": "0"})
            check.same(name + ", begun late", run.fault(), None)
            check.same(name + ", begun late, kept", [row[1] for row in pool_of(run.dump()) if row[1] >= M], [M + 1])
            print("%s: every allocation once" % name)
        stacks = live.Run("tendril", live.TENDRIL, linked, trace, env={"TENDRIL_MALLOC_DEPTH": "4"})
        check.same("with call stacks", stacks.fault(), None)
        rows = pool_of(stacks.dump())
        check.true("with call stacks: most have one", sum(bool(row[2]) for row in rows) > 0.9 * len(rows))
        alone = subprocess.run(linked, stdout=subprocess.PIPE, check=False, env=dict(os.environ, TRACY_ON_DEMAND="1"))
        check.same("nobody records", (alone.returncode, alone.stdout), (0, b"done\n"))
    check.leave()


main()
