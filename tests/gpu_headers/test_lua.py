#!/usr/bin/env python3
"""tracy/TracyLua.hpp with every Lua that is here: a script with all markers is collected by `tendril capture` and by
stock captures; markers off, LuaRemove blanks them and nothing else."""
import os
import re
import subprocess
import sys
import tempfile

import gpu_run as run

SCRIPT = os.path.join(run.HERE, "script.lua")
NAMED = dict({"round %d" % i: 1 for i in range(1, 11)}, **{"leaf": 10, "deep": 1, "named with stack": 1,
                                                          "in a coroutine": 2, "script": 1, "hook": 1})
# Of the function that is called with the hook: the caller is C, so it has no name but its file's.
HOOKED = {"inner": 3, "len": 3, "script.lua": 1}


def check(data, where, ours, hook):
    bad = 0

    def that(holds, *words):
        nonlocal bad
        if not holds:
            bad += 1
            print("%s:" % where, *words)

    zones = run.zones(data, False)
    names = run.count_names(zones)
    for name, count in NAMED.items():
        that((name == "hook" and not hook) or names.get(name) == count, name, names.get(name), "times")
    if hook:
        for name, count in ({"inner": 3, "script.lua": 1} if where.startswith("luajit") else HOOKED).items():
            that(names.get(name) == count, "hook:", name, names.get(name), "times", names)
    by_name = {zone.name: zone for zone in zones}
    leaf, deep = by_name["leaf"], by_name["deep"]
    that(leaf.text == "n = 10)" and leaf.function == "leaf" and leaf.file == "@script.lua" and leaf.line == 3,
         "leaf:", leaf.text, leaf.function, leaf.file, leaf.line)
    that(by_name["round 3"].source == "work" and by_name["round 3"].children == 1, "round 3 has no leaf in it")
    that(not any(zone.open for zone in zones), "zones stay open")
    lines = {row[0]: row for row in data["STACK_LINE"]} if "STACK_LINE" in data else {}
    that(deep.stack and len(deep.stack) > 5, "call stack of", deep.stack)
    that(len(by_name["named with stack"].stack or []) >= 2, "call stack of 2")
    texts = [str(row) for row in data["STACK_LINE"]]
    that(any("deep" in t and "@script.lua" in t for t in texts), "no frame of the script", texts[:3])
    that(lines is not None and "a message, with (brackets" in [m[2] for m in data["MESSAGE"]], "message")
    if ours:
        sections = [row for row in data["SECTION"]]
        that(len(sections) in (0, 1), "sections", sections)
    return bad


def run_ours(package, flags, libs, scratch):
    program, trace = os.path.join(scratch, "program"), os.path.join(scratch, "lua.tracy")
    run.link("lua.cpp", flags, libs, program)
    bad = run.collect(program, trace, args=[SCRIPT])
    if not bad:
        bad = check(run.dump(trace), package, True, True)
    for release in sorted(os.listdir(run.STOCK)) if run.STOCK and not bad else []:
        capture = os.path.join(run.STOCK, release, "bin", "capture")
        if not os.access(capture, os.X_OK) or release == "ttfork":
            continue
        wrong = run.collect(program, trace, capture=capture, args=[SCRIPT])
        if not wrong:
            wrong = check(run.dump(trace), "%s, stock capture %s" % (package, release), True, True)
        print("stock capture %s: %s" % (release, "wrong" if wrong else "the same zones"))
        bad += wrong
    for release in ("0.11.1", "0.14.0"):
        hook = release >= "0.12" and package != "luajit" # theirs leave zones of C functions open there
        more = [] if hook else ["-DWITHOUT_HOOK"]
        if bad or not run.link_stock(release, "lua.cpp", [*flags, *more], libs, program):
            continue
        bad += run.collect(program, trace, args=[SCRIPT])
        bad += check(run.dump(trace), "%s with headers of %s" % (package, release), False, hook)
        print("headers of %s: %s" % (release, "wrong" if bad else "the same zones"))
    return bad


def run_off(package, flags, libs, scratch):
    """Without markers: the script does the same, and what LuaRemove leaves has no marker and every line."""
    program, left = os.path.join(scratch, "off"), os.path.join(scratch, "left.lua")
    subprocess.run(["g++", "-std=c++11", *flags, "-I" + run.INCLUDE, os.path.join(run.HERE, "lua.cpp"), *libs, "-o",
                    program], check=True)
    subprocess.run([program, SCRIPT, left], check=True)
    with open(SCRIPT, encoding="utf-8") as f:
        before = f.read()
    with open(left, encoding="utf-8") as f:
        after = f.read()
    bad = len(before) != len(after) or before.count("\n") != after.count("\n")
    bad = bad or re.search(r"tracy\.(Zone|Message|Section)\w*\(", after) is not None
    for old, new in zip(before.split("\n"), after.split("\n")):
        kept = "tracy." not in old or old.strip().startswith(("--", "if"))
        if old != new if kept else new.strip() not in ("", "section = 0"):
            bad = True
            print("%s: %r became %r" % (package, old, new))
    return int(bad)


def main():
    bad = found = 0
    with tempfile.TemporaryDirectory() as scratch:
        for package in ("lua5.4", "luajit", "lua5.1"):
            flags, libs = run.pkg_config("--cflags", package), run.pkg_config("--libs", package)
            if flags is None or not run.compilers():
                continue
            found += 1
            bad += run.compile_all("lua.cpp", flags, run.STANDARDS if found == 1 else ["c++11"], found == 1)
            wrong = run_ours(package, flags, libs, scratch) + run_off(package, flags, libs, scratch)
            print("%s: %s" % (package, "wrong" if wrong else "all zones as marked"))
            bad += wrong
    if not found:
        print("skipped: no Lua or no C++ compiler")
    return bad != 0


sys.exit(main())
