#!/usr/bin/env python3
"""Every macro and function of the marker headers, compiled by gcc in the oldest and clang in the newest standard, or
thoroughly by both in every one, with the markers on and off; what runs is collected by `tendril capture` and compared with expected.py, event by event.

Usage: test_headers.py [VARIANT ...]     VARIANT --print: prints what was recorded and compares nothing
"""
import concurrent.futures
import json
import os
import pprint
import re
import shutil
import subprocess
import sys
import tempfile
from itertools import product

import expected

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from checks import THOROUGH
from ports import free_port

SOURCE = os.environ.get("TD_SOURCE_DIR", os.getcwd())
BINARY = os.environ.get("TD_BINARY_DIR", os.path.join(SOURCE, "build"))
SANITIZE = os.environ.get("TD_SANITIZE", "").split()
HERE = os.path.join(SOURCE, "tests", "headers")
INCLUDE = os.path.join(SOURCE, "host", "client", "include")
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror", "-D_GNU_SOURCE"]
LANGUAGES = {
    "c": {"compilers": ["gcc", "clang"], "standards": ["c11", "c17"], "on": ["macros.c", "functions.c"],
          "off": ["macros.c"], "flags": []},
    "c++": {"compilers": ["g++", "clang++"], "standards": ["c++11", "c++14", "c++17", "c++20"],
            "on": ["macros.cpp", "classes.cpp", "places.cpp", "items.cpp"], "off": ["macros.cpp"],
            "flags": ["-Wold-style-cast", "-fno-exceptions", "-fno-rtti"]},
}
# What lies between the oldest and the newest standard has nothing that the headers use: programs are compiled, not run.
RUN = ("c11", "c17", "c++11", "c++20")
# Programs with other settings than the default, in one standard: language, settings, which markers have call stacks
# (all that do not choose, none), what else differs from expected.py (None: is missing).
SWITCHES = [
    ("c", ["-DTENDRIL_C_API=11"], None, {}),
    ("c", ["-DTRACY_MANUAL_LIFETIME"], None, {}),
    ("c", ["-DTRACY_CALLSTACK=8"], "all", {}),
    # The recorder learns when it came.
    ("c++", ["-DTRACY_ON_DEMAND"], None, {"frames": {"": 6}}),
    # Locks that are made before the start are not recorded.
    ("c++", ["-DTRACY_FIBERS", "-DTRACY_DELAYED_INIT", "-DTRACY_MANUAL_LIFETIME"], None,
     {"locks": {"described": None, "named shared": None}}),
    ("c++", ["-DTRACY_CALLSTACK=8", "-DTRACY_ALLOW_SHADOW_WARNING", "-Wno-shadow"], "all", {}),
    ("c++", ["-DTENDRIL_C_API=11"], None, {}),
    # Without call stacks no code is sent, and with protocol 82 recorders then ask for no sources.
    ("c++", ["-DTRACY_NO_CALLSTACK"], "none", {"sources": {"file.x": None}}),
]


def run(command, **kw):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True,
                          errors="replace", check=False, **kw)


def compile_files(language, compiler, standard, on, switches, folder):
    """Objects, and the compiler's output, if any."""
    info = LANGUAGES[language]
    # The library is built with gcc; clang's sanitizers need another runtime.
    flags = SANITIZE if on and not compiler.startswith("clang") else []
    objects = []
    for name in info["on" if on else "off"]:
        out = os.path.join(folder, name + ".o")
        done = run([compiler, "-std=" + standard, "-O1", *WARNINGS, *info["flags"], *flags,
                    *(["-DTRACY_ENABLE"] if on else []), "-I" + INCLUDE, "-I" + SOURCE, *switches,
                    *(["-c", "-o", out] if standard in RUN else ["-fsyntax-only"]), os.path.join(HERE, name)])
        if done.returncode or done.stdout:
            return objects, done.stdout[:3000] or "compiler failed"
        objects.append(out)
    return objects, ""


def check_off(objects, folder):
    """Without TRACY_ENABLE a program needs nothing of the client."""
    program = os.path.join(folder, "off")
    # The C compiler links, without a C++ runtime.
    done = run(["gcc", *objects, "-pthread", "-o", program])
    if done.returncode:
        return done.stdout[:2000]
    symbols = run(["nm", *objects]).stdout
    left = [line for line in symbols.splitlines() if "tracy_" in line or "td_" in line]
    return "left of markers that are off: %s" % left if left else "" if run([program]).returncode == 0 else "fails"


def collect(objects, folder):
    """(the recorded facts, the reason if there are none)"""
    program, trace = os.path.join(folder, "on"), os.path.join(folder, "on.tracy")
    done = run(["gcc", *SANITIZE, *objects, os.path.join(BINARY, "lib", "libtendril-client.a"), "-llz4", "-lm", "-pthread",
                "-o", program])
    if done.returncode:
        return None, done.stdout[:2000]
    port = free_port()
    env = dict(os.environ, TRACY_PORT=str(port), TENDRIL_WAIT_CONNECT_MS="20000")
    with subprocess.Popen([program], env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as running:
        got = run([os.path.join(BINARY, "bin", "tendril"), "capture", "-f", "--format", "0.14.0", "-o", trace, "-p",
                   str(port)], timeout=100)
        said = running.communicate(timeout=200)[0].decode("utf-8", "replace")
    if got.returncode or running.returncode or said or re.search("^odd", got.stdout, re.M):
        return None, "capture %d, program %d: %s%s" % (got.returncode, running.returncode, got.stdout, said)
    dump = run([os.path.join(BINARY, "tests", "trace_dump"), trace])
    return facts(json.loads(dump.stdout)), ""


def zone(row):
    name, function, _, _, color = row[2]
    return [row[0], name or function, color, row[6], row[7], row[8], bool(row[5])]


def lock(dump, i):
    _, name, srcloc, kind, _, _, terminated = dump["LOCK"][i]
    kinds = [0] * 6
    for event in dump["LOCK_EVENT"][i]:
        kinds[event[3]] += 1
    return name or srcloc[1], [kind, kinds, sum(bool(e[1]) for e in dump["LOCK_EVENT"][i]), terminated > 0]


def facts(dump):
    contexts = [row[4] for row in dump["GPU_CONTEXT"]]
    return {
        "zones": {t["name"]: [zone(row) for row in t["zones"]] for t in dump["tracks"] if not t["context"]},
        "hints": {t["name"]: t["hint"] for t in dump["tracks"] if t["hint"]},
        "gpu": {contexts[t["context"] - 1]: [zone(row) for row in t["zones"]] for t in dump["tracks"] if t["context"]},
        "messages": [[m[2], m[3], m[6], bool(m[4])] for m in dump["MESSAGE"]],
        "information": sorted(row[0] for row in dump["APP_INFO"] if not row[0].startswith("tendril.")),  # of several threads
        "plots": {p[5]: [p[1:5], [value for _, value in dump["POINT"][i]]]
                  for i, p in enumerate(dump["plots"]) if p[0] == 0},
        "frames": {name or "": len(dump["FRAME"][i]) for i, (name, _) in enumerate(dump["frame_sets"])},
        "images": [row[:3] for row in dump["IMAGE"]],
        "locks": dict(lock(dump, i) for i in range(len(dump["LOCK"]))),
        "memory": {row[0] or "": [[m[1], bool(m[2]), bool(m[3]), m[5] >= 0] for m in dump["MEMORY"][i]]
                   for i, row in enumerate(dump["POOL"])},
        "sources": {row[0]: bytes.fromhex(row[1]).decode() for row in dump["SOURCE"] if row[0] == "file.x"},
        "sections": [[row[0], row[3], row[2] > 0] for row in dump["SECTION"]],
        "categories": sorted([row[0], row[1]] for row in dump["SECTION_CATEGORY"] if row[1]),
    }


def without_stacks(found):
    """The same facts without the information about call stacks."""
    plain = json.loads(json.dumps(found))
    for tracks in (plain["zones"], plain["gpu"]):
        for rows in tracks.values():
            for row in rows:
                del row[-1]
    for message in plain["messages"]:
        del message[-1]
    for rows in plain["memory"].values():
        for row in rows:
            del row[1:3]
    return plain


def differences(found, language, stacks, changes):
    wanted = json.loads(json.dumps(expected.EXPECTED[language]))
    for key, parts in changes.items():
        wanted[key] = {name: value for name, value in {**wanted[key], **parts}.items() if value is not None}
    if stacks:
        some = [row[-1] for row in found["zones"]["Main thread"] + found["messages"]]
        # All markers but those that asked for a depth of 0 themselves.
        macros = [row[-1] for row in found["zones"]["Main thread"][:8]] + [m[-1] for m in found["messages"][:8]]
        if any(some) if stacks == "none" else not all(macros):
            return ["call stacks: %s" % some]
        found, wanted = without_stacks(found), without_stacks(wanted)
    return ["%s: %s\n  instead of %s" % (key, found[key], wanted[key]) for key in wanted if found[key] != wanted[key]]


def check(variant, scratch):
    language, compiler, standard, on, switches, stacks, changes = variant
    if not shutil.which(compiler):
        return ["skipped: no " + compiler]
    folder = tempfile.mkdtemp(dir=scratch)
    objects, why = compile_files(language, compiler, standard, on, switches, folder)
    if why or standard not in RUN:
        return [why] if why else []
    if not on:
        why = check_off(objects, folder)
        return [why] if why else []
    found, why = collect(objects, folder)
    if why:
        return [why]
    if "--print" in sys.argv:
        pprint.pprint(found, width=118, compact=True)
    return differences(found, language, stacks, changes)


def variants():
    for language, info in LANGUAGES.items():
        compilers, standards = info["compilers"], info["standards"]
        # Else the first compiler with the oldest standard, the second with the newest.
        for compiler, standard in product(compilers, standards) if THOROUGH or sys.argv[1:] else zip(compilers, (standards[0], standards[-1])):
            for on in (False, True):
                yield language, compiler, standard, on, [], None, {}
    for language, switches, stacks, changes in SWITCHES:
        info = LANGUAGES[language]
        yield language, info["compilers"][0], info["standards"][0], True, switches, stacks, changes


def title(variant):
    return " ".join([variant[1], variant[2], "on" if variant[3] else "off", *variant[4]])


def main():
    wanted = [arg for arg in sys.argv[1:] if not arg.startswith("--")]
    chosen = [v for v in variants() if not wanted or title(v) in wanted]
    bad = 0
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(2) as pool:
        for variant, wrong in zip(chosen, pool.map(lambda v: check(v, scratch), chosen)):
            skipped = bool(wrong) and wrong[0].startswith("skipped")
            bad += bool(wrong) and not skipped
            print("%s: %s" % (title(variant), "\n".join(wrong) if wrong else "as expected"))
    return bad != 0 or not chosen


if __name__ == "__main__":
    sys.exit(main())
