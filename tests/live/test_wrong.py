#!/usr/bin/env python3
"""Wrong markers of a program are named with kind, thread, zone and time, once each kind; the rest of the session is kept; and
stock's captures end at those of which we say so."""
import os
import re
import subprocess
import tempfile

import live

PROGRAM = os.path.join(live.BINARY, "tests", "live_wrong")
KINDS = {"order": "zone ended out of order", "double-end": "zone ended twice, or ended without a begin",
         "text": "text for a zone that is not open", "name": "name for a zone that is not open",
         "color": "color for a zone that is not open", "value": "value for a zone that is not open",
         "free": "free of memory that is not allocated", "twice": "allocation of memory that is not free",
         "frame": "frame that ends without a start, or starts twice"}
RELEASES = ("0.9.1", "0.14.0")  # of stock: the oldest and the newest, because each fault is a session of its own


def programs(scratch):
    """(name, program, kinds): our client leaves out ends of frames without a start itself."""
    yield "ours", PROGRAM, [kind for kind in KINDS if kind != "frame"]
    for release in RELEASES if live.STOCK else ():
        public = os.path.join(live.STOCK, release, "src", "public")
        if not os.path.exists(os.path.join(public, "TracyClient.cpp")):
            continue
        objects = [os.path.join(scratch, name + ".o") for name in ("client", "wrong")]
        flags = ["-w", "-O0", "-DTRACY_ENABLE", "-DTRACY_NO_SAMPLING", "-DTRACY_NO_SYSTEM_TRACING", "-I" + public]
        client = subprocess.Popen(["g++", "-std=c++17", *flags, "-c", os.path.join(public, "TracyClient.cpp"),
                                   "-o", objects[0]])
        subprocess.run(["gcc", *flags, "-c", os.path.join(live.SOURCE, "tests", "live", "wrong.c"), "-o", objects[1]], check=True)
        if client.wait():
            continue
        program = os.path.join(scratch, "wrong_" + release)
        subprocess.run(["g++", *objects, "-lpthread", "-ldl", "-o", program], check=True)
        yield release, program, KINDS


def notes(trace):
    return live.info(trace)["instrumentation"]


def check_kind(check, client, program, kind, trace, stock):
    says, what = KINDS[kind], "%s, client %s" % (kind, client)
    run = live.Run("tendril", live.TENDRIL, [program, kind], trace, env={"TRACY_NO_EXIT": "1"})
    found = notes(trace)
    check.same(what + ": session", run.fault(), None)
    check.same(what + ": one note: %s" % found, len(found), 1)
    if len(found) != 1:
        return
    check.same(what + ": is printed", "tendril capture: wrong markers: %s\n" % found[0] in run.capture_out, True)
    place = r" at \d+\.\d{9} s" + ("" if kind == "frame" else r" in thread (the worker|Main thread) \(\d+\)")
    if kind not in ("frame", "free", "twice"):
        place += r", after zone (some|inner) zone began \(.*/tests/live/wrong\.c:\d+\)"
    check.true("%s: %s" % (what, found[0]), re.fullmatch(re.escape(says) + place + r"; [1-9]\d* in all; stock's capture .*",
                                                        found[0]))
    check.true("info prints it", says in subprocess.run([live.TENDRIL, "info", trace], stdout=subprocess.PIPE, check=True,
                                                        universal_newlines=True, timeout=60).stdout)
    for name, capture in stock:
        if client in ("ours", name):
            theirs = live.Run(name, capture, [program, kind], trace, env={"TRACY_NO_EXIT": "1"})
            check.same("%s: stock %s ends the session" % (what, name), theirs.failed,
                       found[0].endswith("ends the session there"))


def check_ended_thread(check, trace):
    """On demand, the client has to know which zones began in the session."""
    for more in ({}, {"TRACY_ON_DEMAND": "1"}):
        live.Run("tendril", live.TENDRIL, [PROGRAM, "ended-thread"], trace, env=more)
        found = notes(trace)
        check.true("value for a zone of a thread that has ended, %s: %s" % (more, found),
                   len(found) == 1 and found[0].startswith(KINDS["value"]) and "; 3 in all" in found[0])


def main():
    check = live.Check()
    stock = [(name, capture) for name, capture in live.captures() if name in RELEASES]
    with tempfile.TemporaryDirectory() as scratch:
        trace = os.path.join(scratch, "wrong.tracy")
        run = live.Run("tendril", live.TENDRIL, [PROGRAM], trace)
        check.same("right markers", (run.fault(), notes(trace), "wrong markers" in run.capture_out), (None, [], False))
        check_ended_thread(check, trace)
        for client, program, kinds in programs(scratch):
            for kind in kinds:
                check_kind(check, client, program, kind, trace, stock)
    check.leave()


main()
