#!/usr/bin/env python3
"""`tendril capture` of a program that was built with a stock client, for every release: counts are exact.

Needs $TD_STOCK_DIR (RELEASE/src/public and RELEASE/lib/libTracyClient.a in it); says so and passes without.
"""
import glob
import json
import os
import socket
import subprocess
import sys
import tempfile

SOURCE = os.environ.get("TD_SOURCE_DIR", os.getcwd())
BINARY = os.environ.get("TD_BINARY_DIR", os.path.join(SOURCE, "build"))
STOCK = os.environ.get("TD_STOCK_DIR", "")


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def build(release, program):
    at = os.path.join(STOCK, release)
    includes = os.path.join(at, "src", "public")
    with open(os.path.join(includes, "tracy", "TracyC.h"), encoding="utf-8", errors="replace") as f:
        text = " ".join(f.read().split())
    flags = []
    if "size_t functionSz, const char* name, size_t nameSz, uint32_t color" in text:
        flags = ["-DSRCLOC_HAS_COLOR"]
    return subprocess.run(["g++", "-std=c++17", "-O1", "-w", "-DTRACY_ENABLE", *flags, "-I" + includes,
                           os.path.join(SOURCE, "tests", "collect", "marked.cpp"),
                           os.path.join(at, "lib", "libTracyClient.a"), "-lpthread", "-ldl", "-o", program],
                          stderr=subprocess.PIPE, universal_newlines=True)


def zones(dump, device):
    names = {}
    for track in dump["tracks"]:
        for zone in track["zones"] if bool(track["context"]) == device else []:
            location = zone[2]
            name = zone[7] or location[0] or location[1]
            names[name] = names.get(name, 0) + 1
    return names


def kinds(dump, lock):
    result = [0] * 6
    for event in dump["LOCK_EVENT"][lock]:
        result[event[3]] += 1
    return result


def lock_named(dump, name):
    return next(i for i, row in enumerate(dump["LOCK"]) if row[2][1] == name or row[2][0] == name)


def pool_named(dump, name):
    return next(i for i, row in enumerate(dump["POOL"]) if row[0] == name)


def facts(dump):
    """What must be the same for every release."""
    frames = {name: len(dump["FRAME"][i]) for i, (name, _) in enumerate(dump["frame_sets"])}
    plots = {plot[5]: [value for _, value in dump["POINT"][i]]
             for i, plot in enumerate(dump["plots"]) if plot[0] == 0}
    user = [m for m in dump["MESSAGE"] if m[5] == 0]
    default, named = pool_named(dump, None), pool_named(dump, "pool")
    allocations = dump["MEMORY"][default]
    return {
        "zones": zones(dump, False),
        "gpu zones": zones(dump, True),
        "gpu lengths": sorted({zone[4] for track in dump["tracks"] if track["context"] for zone in track["zones"]}),
        "threads": sorted(t["name"] for t in dump["tracks"] if t["count"] and not t["context"]),
        "texts": sorted({zone[6].split("\n")[-1] for t in dump["tracks"] for zone in t["zones"]
                         if zone[6] and "fifth" in zone[6]}),
        "messages": [len(user), sum(m[2] == "literal" for m in user), sum(m[3] == 0xFF8000 for m in user),
                     sum(bool(m[4]) for m in user)],
        "frames": frames,
        "images": [row[:2] for row in dump["IMAGE"]],
        "framed": [i for i, row in enumerate(dump["FRAME"][0]) if row[2] >= 0],
        "plots": plots,
        "mutex": kinds(dump, lock_named(dump, "a mutex")),
        "shared": kinds(dump, lock_named(dump, "std::shared_mutex shared")),
        "marks": sum(bool(e[1]) for e in dump["LOCK_EVENT"][lock_named(dump, "a mutex")]),
        "memory": [len(allocations), sum(row[5] < 0 for row in allocations), dump["POOL"][default][3],
                   sum(bool(row[2]) for row in allocations), sum(bool(row[3]) for row in allocations)],
        "pool": [len(dump["MEMORY"][named]), sum(row[5] < 0 for row in dump["MEMORY"][named])],
        "info": dump["APP_INFO"],
        "contexts": [[row[3], row[4]] for row in dump["GPU_CONTEXT"]],
        "stacks resolved": len(dump["STACK_FRAME"]) > 0 and len(dump["SYMBOL"]) > 0,
    }


EXPECTED = {
    "zones": {"outer": 300, "leaf": 300, "with stack": 1, "made 0": 4, "made 1": 4, "made 2": 4},
    "gpu zones": {"pass": 10},
    "gpu lengths": [250],
    "threads": ["Main thread", "worker 0", "worker 1", "worker 2"],
    "messages": [313, 300, 12, 1],
    "frames": {None: 22, "ticks": 20, "load": 20},
    "images": [[16, 16], [16, 16]],
    "framed": [1, 11],
    "plots": {"curve": [i * i for i in range(20)], "half": [i * .5 for i in range(20)]},
    "mutex": [300, 300, 300, 0, 0, 0],
    "shared": [0, 0, 0, 300, 300, 300],
    "marks": 300,
    "memory": [33, 2, 16 + 30 + 16 + 31, 1, 1],
    "pool": [8, 0],
    "info": [["about"]],
    "contexts": [[2, "device"]],
    "stacks resolved": True,
}


def check(release, scratch):
    program, trace = os.path.join(scratch, "marked"), os.path.join(scratch, "live.tracy")
    built = build(release, program)
    if built.returncode:
        print("%s: cannot be built: %s" % (release, built.stderr[:2000]))
        return 1
    port = free_port()
    env = dict(os.environ, TRACY_PORT=str(port), TRACY_NO_EXIT="1", TRACY_ONLY_LOCALHOST="1")
    with subprocess.Popen([program], env=env, stdout=subprocess.DEVNULL) as running:
        done = subprocess.run([os.path.join(BINARY, "bin", "tendril"), "capture", "-f", "-o", trace, "-p", str(port)],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True, timeout=100)
        code = running.wait(60)
    if done.returncode or code or "Tracy" not in done.stdout:
        print("%s: capture %d, program %d: %s" % (release, done.returncode, code, done.stdout))
        return 1
    out = subprocess.run([os.path.join(BINARY, "tests", "trace_dump"), trace], check=True, stdout=subprocess.PIPE)
    found = facts(json.loads(out.stdout.decode("utf-8", "replace")))
    bad = 0
    for key, expected in EXPECTED.items():
        if found[key] != expected:
            bad += 1
            print("%s: %s: %s instead of %s" % (release, key, found[key], expected))
    if "odd" in done.stdout:
        bad += 1
        print("%s: %s" % (release, done.stdout))
    speaks = os.path.join(STOCK, release, "bin", "csvexport")
    # What speaks protocol 63 gets a file of 0.9.1, which 0.9.0 does not read.
    if release != "0.9.0" and os.access(speaks, os.X_OK):
        csv = subprocess.run([speaks, trace], stdout=subprocess.PIPE, universal_newlines=True, timeout=60).stdout
        counts = {line.split(",")[0]: line.split(",")[5] for line in csv.splitlines()[1:]}
        if counts.get("outer") != "300" or counts.get("leaf") != "300":
            bad += 1
            print("%s: its own csvexport reads %s" % (release, counts))
    return bad


def main():
    releases = sorted(os.path.basename(os.path.dirname(os.path.dirname(p)))
                      for p in glob.glob(os.path.join(STOCK, "*", "lib", "libTracyClient.a"))) if STOCK else []
    if not releases:
        print("skipped: TD_STOCK_DIR names no folder with stock clients")
        return 0
    bad = 0
    with tempfile.TemporaryDirectory() as scratch:
        for release in sys.argv[1:] or releases:
            wrong = check(release, scratch)
            bad += wrong
            print("%s: %s" % (release, "%d wrong" % wrong if wrong else "all counts exact"))
    return bad != 0


sys.exit(main())
