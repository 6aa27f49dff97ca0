#!/usr/bin/env python3
"""Symbols with their machine code, and the source place of each of its instructions: a capture has them, as one of each stock
release that is found has."""
import os
import tempfile

import live

PROGRAM = os.path.join(live.BINARY, "tests", "live_code")
TABLES = ("STACK_FRAME", "STACK_LINE", "SYMBOL", "SYMBOL_OF", "CODE")


def main():
    check = live.Check()
    counts = {}
    with tempfile.TemporaryDirectory() as scratch:
        for name, capture in live.captures():
            trace = os.path.join(scratch, name + ".tracy")
            run = live.Run(name, capture, [PROGRAM], trace, options=("--format", "any") if name == "tendril" else ())
            check.same(name, run.fault(), None)
            info = live.info(trace)
            counts[name] = {table: info["tables"].get(table, 0) for table in TABLES}
    ours = counts.pop("tendril")
    print(ours)
    check.true("functions have code", ours["CODE"] >= 3)
    check.true("each instruction has a place", ours["STACK_FRAME"] > 10 * ours["CODE"])
    check.same("addresses have symbols", ours["SYMBOL_OF"], ours["STACK_FRAME"])
    for name, theirs in counts.items():
        check.same("as many as in a capture of stock " + name, ours, theirs)
    check.leave()


main()
