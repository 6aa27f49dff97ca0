#!/usr/bin/env python3
"""A program that exports its client is the only one of its process that records, also where a library that it loads has
a copy of the client and where libtendril-malloc.so is preloaded.
"""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "live"))
import live

PROGRAM = os.path.join(live.BINARY, "tests", "client_copies")
PLUGIN = os.path.join(live.BINARY, "tests", "client_copies_plugin.so")
MALLOC = os.path.join(live.BINARY, "lib", "libtendril-malloc.so")
BYTES = 123457  # what the program allocates three times


def main():
    check = live.Check()
    ways = [("alone", {})] + ([("preloaded", {"LD_PRELOAD": MALLOC})] if os.path.exists(MALLOC) else [])
    with tempfile.TemporaryDirectory() as folder:
        for name, env in ways:
            trace = os.path.join(folder, "copies.tracy")
            command = ["env", *["%s=%s" % item for item in env.items()], PROGRAM, PLUGIN]
            run = live.Run("tendril", live.TENDRIL, command, trace)
            check.same(name, run.fault(), None)
            if run.fault():
                continue
            ports = run.out.split()
            check.same(name + ": one port", ports[0], ports[1])
            dump = run.dump()
            zones = sorted(zone[2][0] for track in dump["tracks"] for zone in track["zones"])
            check.same(name + ": zones", zones, ["of the library", "of the program"])
            check.same(name + ": messages", [message[2] for message in dump["MESSAGE"]],
                       ["message of the library", "after the library"])
            pools = {row[0]: rows for row, rows in zip(dump["POOL"], dump["MEMORY"])}
            check.same(name + ": memory of the library", [row[1] for row in pools["pool of the library"]], [10])
            taken = [row[1] for row in pools.get("malloc", []) if row[1] == BYTES]
            check.same(name + ": memory of malloc()", taken, [BYTES] * 3 if env else [])
    check.leave()


main()
