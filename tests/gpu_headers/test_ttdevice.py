#!/usr/bin/env python3
"""tracy/TracyTTDevice.hpp: compiles; what it is given for cores comes out to the ns, in a row a core, with ours and with
stock captures; the fork's own header and client give the same; contexts that exceed a trace's numbers are reported."""
import os
import subprocess
import sys
import tempfile

import gpu_run as run

SOURCE, STANDARDS = "ttdevice.cpp", ["c++20"]  # it is run as C++17
GPU_TENSTORRENT, GPU_CUSTOM, GPU_VULKAN = 100, 7, 2
ORANGE, GIVEN, CHOSEN = 0xee9a00, 0x102030, 0x998877
MANY, ONE_BYTE = 300, 256


def row(chip, x, y, risc):
    return risc | x << 3 | y << 7 | chip << 11


def events():
    """Name, function, line, colour, depth, row, ns from the first of its context, ns long."""
    found = [("together", "TRACE ID:9", 12, GIVEN, 0, row(1, 3, 2, 6), 0, 400)]
    for x in (1, 2):
        for risc in range(5):
            at = row(1, x, 2, risc)
            found.append(("FW", "OP ID:9" if x == 1 else None, 12, GIVEN, 0, at, 8000 * x, 4000))
            found.append(("kernel", None, 12, GIVEN, 1, at, 8000 * x + 800, 800))
    return found


def markers():
    meta = "\nbytes: 64\nstage: write" if run.has_header("g++", "nlohmann/json.hpp", []) else ""
    brisc, erisc = row(3, 100, 100, 0), row(3, 100, 100, 5)
    return [("BRISC-FW", "OP ID:41", 30, ORANGE, 0, brisc, 0, 3000), ("BRISC-KERNEL", None, 30, ORANGE, 1, brisc, 1000, 1000),
            ("moment", "Op ID: 41\nData: 12345" + meta, 30, ORANGE, 2, brisc, 1500, 0),
            ("coloured", None, 30, CHOSEN, 0, erisc, 4000, 999)]


def found_in(zones):
    first = min(zone.start for zone in zones) if zones else 0
    return sorted([(z.name, z.function or None, z.line, z.color, z.depth, z.thread, z.start - first, z.end - z.start)
                   for z in zones], key=str)


def check_zones(check, data, expected):
    """expected: a list a context."""
    for number, zones in enumerate(expected):
        tracks = [track for track in data["tracks"] if track["context"] == number + 1]
        found = found_in([run.Zone(r, track["thread"], r[0]) for track in tracks for r in track["zones"]])
        check.that(found == sorted(zones, key=str), "context", number, "holds", found, "instead of", sorted(zones, key=str))


def check_contexts(check, data, kind, names):
    contexts = [[c[1], c[3], c[4]] for c in data["GPU_CONTEXT"]][:len(names)]
    check.that(contexts == [[1, kind, name] for name in names], "contexts", contexts)


def lost(data):
    return [text for text, in data["APP_INFO"] if "GPU contexts" in (text or "")]


def check_ours(program, trace):
    bad = 0
    for what, options, env, kind, many in (("any", [], {}, GPU_CUSTOM, ONE_BYTE - 2),
                                           ("the fork's", ["--format", "tt"], {"TENDRIL_PEER": "tt"}, GPU_TENSTORRENT, MANY)):
        check = run.Checks("ours, %s format" % what)
        check.that(run.collect(program, trace, args=["many"], env=env, options=options) == 0, "failed")
        if not check.bad:
            data = run.dump(trace)
            check_contexts(check, data, kind, ["chip 1", "chip 3"])
            check_zones(check, data, [events(), markers()])
            check.that(run.count_names(run.zones(data, True)).get("many") == many, "not", many, "zones of many contexts")
            missing = MANY - many
            check.that(len(lost(data)) == bool(missing), "told of lost contexts:", lost(data))
            check.that(not missing or (" %d GPU" % missing) in lost(data)[0], "not %d:" % missing, lost(data))
        bad += check.done()
    return bad


def check_stock(program, trace):
    bad = 0
    for release in sorted(os.listdir(run.STOCK)) if run.STOCK else []:
        capture = os.path.join(run.STOCK, release, "bin", "capture")
        if not os.access(capture, os.X_OK):
            continue
        fork = release == "ttfork"
        check = run.Checks("stock capture %s" % release)
        env = {"TENDRIL_PEER": "tt"} if fork else {}
        check.that(run.collect(program, trace, capture=capture, env=env) == 0, "failed")
        if not check.bad:
            data = run.dump(trace)
            newer = not fork and int(release.split(".")[1]) >= 12
            kind = GPU_TENSTORRENT if fork else GPU_CUSTOM if newer else GPU_VULKAN
            check_contexts(check, data, kind, ["chip 1", "chip 3"])
            check_zones(check, data, [events(), markers()])
        bad += check.done()
    return bad


def check_forks_header(scratch, trace):
    """The fork's own client and header, what they have of it, collected by ours."""
    program = os.path.join(scratch, "fork")
    if not run.link_stock("ttfork", SOURCE, [], [], program):
        return 0
    check = run.Checks("the fork's own client")
    check.that(run.collect(program, trace) == 0, "failed")
    if not check.bad:
        data = run.dump(trace)
        check_contexts(check, data, GPU_TENSTORRENT, ["chip 1"])
        check_zones(check, data, [events()])
    return check.done()


def main():
    if not run.compilers():
        print("skipped: no C++ compiler")
        return 0
    bad = run.compile_all(SOURCE, [], STANDARDS)
    with tempfile.TemporaryDirectory() as scratch:
        program, trace = os.path.join(scratch, "program"), os.path.join(scratch, "tt.tracy")
        subprocess.run(["g++", "-std=c++17", "-O0", "-Wall", "-DTRACY_ENABLE", *run.SANITIZE, "-I" + run.INCLUDE,
                        os.path.join(run.HERE, SOURCE), os.path.join(run.BINARY, "lib", "libtendril-client.a"), "-llz4",
                        "-lpthread", "-o", program], check=True)
        bad += check_ours(program, trace) + check_stock(program, trace) + check_forks_header(scratch, trace)
    return bad != 0


sys.exit(main())
