#!/usr/bin/env python3
"""Locks wrapped by tendril/locks.h: every wait, obtain and release is recorded, once and in order."""
import os
import tempfile

import live


def lock_of(dump, name):
    """(kinds, threads, marks, terminated) of the one lock of that name."""
    found = [i for i, row in enumerate(dump["LOCK"]) if name in (row[1], row[2][0])]
    if len(found) != 1:
        return "%d locks" % len(found)
    kinds = [0] * 6
    for event in dump["LOCK_EVENT"][found[0]]:
        kinds[event[3]] += 1
    return kinds, sum(bool(e[1]) for e in dump["LOCK_EVENT"][found[0]]), dump["LOCK"][found[0]][6] > 0


def overlaps(dump, name):
    """How often a plain lock was obtained while another thread had it."""
    index = next(i for i, row in enumerate(dump["LOCK"]) if name in (row[1], row[2][0]))
    held, bad = 0, 0
    for event in dump["LOCK_EVENT"][index]:
        held += {1: 1, 2: -1}.get(event[3], 0)
        bad += held not in (0, 1)
    return bad


def main():
    check = live.Check()
    with tempfile.TemporaryDirectory() as scratch:
        for name, capture in live.captures():
            run = live.Run(name, capture, [os.path.join(live.BINARY, "tests", "live_locks")],
                           os.path.join(scratch, "locks.tracy"))
            check.same(name, run.fault(), None)
            if run.fault():
                continue
            dump = run.dump()
            waits = int(run.out.split()[1])
            check.same(name + ": counter", lock_of(dump, "counter"), ([2000, 2000, 2000, 0, 0, 0], 200, False))
            check.same(name + ": table", lock_of(dump, "the table"),
                       ([400, 402, 402, 1600, 1602, 1602], 40, False))
            check.same(name + ": queue", lock_of(dump, "&queue.lock"),
                       ([3 + waits, 5 + waits, 5 + waits, 0, 0, 0], 0, True))
            check.same(name + ": mtx", lock_of(dump, "&mtx"), ([201, 203, 203, 0, 0, 0], 1, True))
            for plain in ("counter", "&queue.lock", "&mtx"):
                check.same("%s: %s obtained twice" % (name, plain), overlaps(dump, plain), 0)
            print("%s: locks exact" % name)
    check.leave()


main()
