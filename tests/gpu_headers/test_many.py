#!/usr/bin/env python3
"""Zones of a GPU context in numbers: more than there are queries, of several threads, and on demand."""
import os
import sys
import tempfile

import gpu_run as run

FLOOD, QUERIES, AFTER, THREADS, EACH = 40000, 65536, 10, 4, 2500
EXPECTED = {
    "flood": ({"flood": QUERIES // 2, "after": AFTER}, 1),
    "threads": (dict({"thread %d" % i: EACH for i in range(THREADS)}, inner=THREADS * EACH), 0),
    "late": ({"after": AFTER}, 0),
}


def main():
    flags, libs = run.pkg_config("--cflags", "OpenCL"), run.pkg_config("--libs", "OpenCL")
    if flags is None or not run.compilers():
        print("skipped: no package OpenCL or no C++ compiler")
        return 0
    bad = 0
    with tempfile.TemporaryDirectory() as scratch:
        program, trace = os.path.join(scratch, "program"), os.path.join(scratch, "many.tracy")
        run.link("opencl_many.cpp", [*flags, "-DCL_USE_DEPRECATED_OPENCL_1_2_APIS"], libs, program)
        for what, (names, warnings) in EXPECTED.items():
            late = what == "late"
            env = {"TRACY_ON_DEMAND": "1", "TENDRIL_WAIT_CONNECT_MS": "0"} if late else {}
            code = run.collect(program, trace, args=[what], env=env, after_a_line=late)
            if code == run.NO_DEVICE:
                print("compiled; not run: no OpenCL device here")
                return 0
            found, warned, nested = {}, 0, True
            if not code:
                data = run.dump(trace)
                zones = run.zones(data, True)
                found, warned = run.count_names(zones), len(data["MESSAGE"])
                nested = all(zone.depth == (zone.name == "inner") and not zone.open for zone in zones)
            right = not code and found == names and warned == warnings and nested
            print("%s: %s" % (what, "as marked" if right else "%s, %d messages, nesting %s" % (found, warned, nested)))
            bad += not right
    return bad != 0


sys.exit(main())
