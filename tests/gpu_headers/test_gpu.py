#!/usr/bin/env python3
"""A header for a GPU interface: compiles with every compiler and standard; its program, run on a software
implementation of the interface, is collected by `tendril capture`, and by stock captures where $TD_STOCK_DIR has
them; the same program with Tracy's own headers marks the same zones.

    test_gpu.py opencl|opengl|vulkan
"""
import csv
import io
import os
import subprocess
import sys
import tempfile

import gpu_run as run

# How far the GPU's clock may be off: software implementations use the CPU's, but the moment that both clocks are read
# at is as exact as the machine is idle.
SLACK_NS = 20_000_000

EVERY_KIND = {"colour": 1, "stack": 1, "colour and stack": 1, "first": 1, "second": 1, "third": 1, "fourth": 1,
              "made here": 2, "by class": 1}


class OpenCL:
    source, package, type_number, context_names = "opencl.cpp", "OpenCL", 3, ["the device", "another"]
    flags = ["-DCL_USE_DEPRECATED_OPENCL_1_2_APIS"]
    expected = dict(EVERY_KIND, scale=5)
    only_ours = {"no event": 1}
    warnings = 1
    variants = {"": []}


class OpenGL:
    source, package, type_number, context_names = "opengl.cpp", "gl egl", 1, ["the window"]
    flags = []
    expected = dict(EVERY_KIND, draw=5)
    only_ours = {}
    warnings = 0
    variants = {"": [], "calibrated": ["-DTRACY_OPENGL_AUTO_CALIBRATION"]}


class Vulkan:
    source, package, type_number, context_names = "vulkan.cpp", "vulkan", 2, ["the queue", "another"]
    flags = []
    expected = dict(EVERY_KIND, draw=5)
    only_ours = {}
    warnings = 0
    variants = {"": [], "calibrated": ["-DCALIBRATED"],
                "table host calibrated": ["-DTRACY_VK_USE_SYMBOL_TABLE", "-DHOST_CALIBRATED"],
                **({"host calibrated": ["-DHOST_CALIBRATED"], "table": ["-DTRACY_VK_USE_SYMBOL_TABLE"],
                    "table calibrated": ["-DTRACY_VK_USE_SYMBOL_TABLE", "-DCALIBRATED"]} if run.THOROUGH else {})}


APIS = {"opencl": OpenCL, "opengl": OpenGL, "vulkan": Vulkan}


def check_zones(check, api, data, expected):
    gpu, cpu = run.zones(data, True), run.zones(data, False)
    check.that(run.count_names(gpu) == expected, "GPU zones", run.count_names(gpu), "instead of", expected)
    by_name = {zone.name: zone for zone in gpu}
    for depth, name in enumerate(("first", "second", "third", "fourth")):
        check.that(by_name[name].depth == depth, name, "is at depth", by_name[name].depth)
    for name in ("stack", "colour and stack", "third"):
        check.that(by_name[name].stack, name, "has no call stack")
    check.that(by_name["colour"].color == 0xff8000, "colour is", hex(by_name["colour"].color or 0))
    check.that(by_name["scale" if "scale" in by_name else "draw"].file.endswith(api.source), "file of a zone")
    window = next(zone for zone in cpu if zone.name == "window")
    for zone in gpu:
        check.that(not zone.open and zone.end >= zone.start, zone.name, "from", zone.start, "to", zone.end)
        check.that(zone.start >= max(window.start, zone.cpu_start) - SLACK_NS, zone.name, "begins",
                   max(window.start, zone.cpu_start) - zone.start, "ns before it was issued")
        check.that(zone.end <= window.end + SLACK_NS, zone.name, "ends", zone.end - window.end, "ns after it was found")
    for above in [zone for zone in gpu if zone.children]:
        inner = [z for z in gpu if z.depth == above.depth + 1 and above.start <= z.start and z.end <= above.end]
        check.that(len(inner) >= above.children, above.name, "does not hold what is in it")
    return gpu


def check_ours(api, variant, program, scratch, args):
    check = run.Checks("%s %s" % (api.source, variant))
    trace = os.path.join(scratch, "ours.tracy")
    code = run.collect(program, trace, args=args)
    if code:
        return code
    data = run.dump(trace)
    check_zones(check, api, data, dict(api.expected, **api.only_ours))
    contexts = [[row[3], row[4]] for row in data["GPU_CONTEXT"]]
    check.that(contexts == [[api.type_number, name] for name in api.context_names], "contexts", contexts)
    check.that(data["GPU_CONTEXT"][0][1] == int("calibrated" in variant), "calibrated", data["GPU_CONTEXT"])
    warned = [m[2] for m in data["MESSAGE"]]
    check.that(len(warned) == api.warnings, "messages", warned)
    return 1 if check.bad else 0


def named_in_csv(text):
    rows = list(csv.DictReader(io.StringIO(text)))
    names = {}
    for row in rows:
        name = row.get("name") or next(iter(row.values()))
        names[name] = names.get(name, 0) + 1
    return names


def check_stock_capture(api, program, scratch, args):
    """Stock captures of every release take our client's stream; the newest one's csvexport lists every GPU zone."""
    bad = 0
    for release in sorted(os.listdir(run.STOCK)) if run.STOCK else []:
        tools = os.path.join(run.STOCK, release, "bin")
        if not os.access(os.path.join(tools, "capture"), os.X_OK) or release == "ttfork":
            continue
        check = run.Checks("%s, stock capture %s" % (api.source, release))
        trace = os.path.join(scratch, "stock.tracy")
        check.that(run.collect(program, trace, capture=os.path.join(tools, "capture"), args=args) == 0, "failed")
        if not check.bad:
            check_zones(check, api, run.dump(trace), dict(api.expected, **api.only_ours))
        if not check.bad and release == "0.14.0":
            for _ in range(5): # it does not always wait for the zones that it prints
                out = subprocess.run([os.path.join(tools, "csvexport"), "-g", trace], stdout=subprocess.PIPE,
                                     universal_newlines=True, timeout=200).stdout
                names = named_in_csv(out)
                if names:
                    break
            for name, count in api.expected.items():
                check.that(names.get(name) == count, "csvexport -g lists", name, names.get(name), "times:", out[:500])
        print("stock capture %s: %s" % (release, "%d wrong" % check.bad if check.bad else "the same zones"))
        bad += check.bad
    return bad


def check_stock_headers(api, flags, libs, scratch, args):
    """With Tracy's own headers the program marks the same."""
    bad = 0
    for release in ("0.11.1", "0.14.0"):
        program, trace = os.path.join(scratch, "stock-program"), os.path.join(scratch, "theirs.tracy")
        # Its zones of OpenCL do not work with the default depth of call stacks there, 0.
        more = ["-DTRACY_CALLSTACK=1"] if api is OpenCL and release >= "0.14" else []
        if not run.link_stock(release, api.source, [*flags, *more], libs, program):
            continue
        check = run.Checks("%s with headers of %s" % (api.source, release))
        # Now and then their client ends a program by a signal of its own.
        done = next((code for code in (run.collect(program, trace, args=args) for _ in range(3)) if code >= 0), -11)
        if done < 0:
            print("headers of %s: not compared, the program dies of a signal" % release)
            continue
        check.that(done == 0, "failed")
        if not check.bad:
            names = run.count_names(run.zones(run.dump(trace), True))
            check.that(names == api.expected, "GPU zones", names, "instead of", api.expected)
        print("headers of %s: %s" % (release, "%d wrong" % check.bad if check.bad else "the same zones"))
        bad += check.bad
    return bad


def main():
    api = APIS[sys.argv[1]]
    package = run.pkg_config("--cflags", *api.package.split())
    if package is None or not run.compilers():
        print("skipped: no package %s or no C++ compiler" % api.package)
        return 0
    flags, libs = [*package, *api.flags], run.pkg_config("--libs", *api.package.split())
    bad = 0
    with tempfile.TemporaryDirectory() as scratch:
        for variant, more in api.variants.items():
            bad += run.compile_all(api.source, [*flags, *more], ["c++11"] if variant else run.STANDARDS, not variant)
            program = os.path.join(scratch, "program")
            run.link(api.source, [*flags, *more], libs, program)
            code = check_ours(api, variant, program, scratch, [])
            if code == run.NO_DEVICE:
                print("compiled; not run: no device for %s here" % sys.argv[1])
                return bad != 0
            bad += code
            print("%s %s: %s" % (api.source, variant, "wrong" if code else "all zones as marked"))
        if not bad:
            bad += check_stock_capture(api, program, scratch, [])
            bad += check_stock_headers(api, flags, libs, scratch, [])
    return bad != 0


sys.exit(main())
