#!/usr/bin/env python3
"""Crashes are reported with their call stack, the session ends, and the program ends as it would without a client. With
$TD_STOCK_DIR (RELEASE/bin/capture in it) stock recorders get them, too.
"""
import os
import resource
import signal
import subprocess
import tempfile
import time

from traces import BINARY, TESTS, capture, check, marked_lines, recorders, unhurried

PROGRAM = os.path.join(TESTS, "client_crashes")
PLUGIN = os.path.join(TESTS, "libclient_crashes_plugin.so")
AT = marked_lines("crashes.c")
TENDRIL = [os.path.join(BINARY, "bin", "tendril"), "capture"]


def crash(recorder, how, signal_number, *args, text=None, lines=None, anywhere=None, status=None, env=None):
    trace = capture(recorder, PROGRAM, how, *args, env=env, status=-signal_number if status is None else status,
                    stdout=subprocess.DEVNULL)
    what = trace.dump["crash"]
    check(what, recorder, how, "no crash")
    check(text is None or what[2].startswith(text), recorder, how, what)
    found = trace.lines(what[3])
    check(lines is None or found[:len(lines)] == lines, recorder, how, found)
    check(anywhere is None or anywhere in found, recorder, how, found)
    done = sum(t["count"] for t in trace.dump["tracks"])
    check(done >= 11, recorder, how, "zones before the crash", done)
    return found


def at(function, mark):
    return (function, "crashes.c", AT[mark])


def check_ways(recorder):
    crash(recorder, "null", signal.SIGSEGV, lines=[at("reads_nothing", "null")],
          text="Invalid memory reference.\nAddress not mapped to object.\nFault address: 0x0\n")
    crash(recorder, "abort", signal.SIGABRT, text="Aborted.\n", anywhere=at("gives_up", "abort"))


def check_all_ways(recorder):
    crash(recorder, "call", signal.SIGSEGV, lines=[at("calls_nothing", "call")])
    crash(recorder, "divide", signal.SIGFPE, text="Arithmetic error.\nInteger division by zero.\n",
          lines=[at("divides", "divide")])
    crash(recorder, "trap", signal.SIGILL, text="Illegal instruction.\n", lines=[at("goes_wrong", "trap")])
    crash(recorder, "bus", signal.SIGBUS, text="Bus error.\n", lines=[at("reads_behind_the_end", "bus")])
    crash(recorder, "pipe", signal.SIGPIPE, text="Broken pipe.\n", anywhere=at("writes_to_nobody", "pipe"))
    crash(recorder, "marker", signal.SIGSEGV, anywhere=at("marks_what_is_not_there", "marker"))
    crash(recorder, "sent", signal.SIGSEGV, text="Invalid memory reference.\nSent by process ")
    for how in "overflow", "thread":
        found = crash(recorder, how, signal.SIGSEGV, text="Invalid memory reference.\n")
        check(len(found) > 50 and found[10] == at("recurses", "overflow"), how, found)


def check_hard_ways(recorder):
    """Locks that the client's threads might want are held, others crash too, or end the program."""
    for _ in range(5):
        crash(recorder, "many", signal.SIGSEGV, anywhere=at("reads_nothing", "null"))
    crash(recorder, "heap", signal.SIGABRT, anywhere=("breaks_the_heap", "crashes.c", AT["heap"]))
    begin = time.monotonic()
    found = crash(recorder, "load", signal.SIGSEGV, PLUGIN)
    check(found[0][0] == "plugin_starts", found)
    check(time.monotonic() - begin < 60, "a loader that is stuck stopped the session")


def check_others(recorder):
    """A handler from before the client still runs, and decides how the program ends."""
    crash(recorder, "null", 0, "earlier", status=42, lines=[at("reads_nothing", "null")])
    trace = capture(recorder, PROGRAM, "null", env={"TENDRIL_NO_CRASH_HANDLER": "1"}, status=-signal.SIGSEGV)
    check(not trace.dump["crash"], "a crash without a handler")
    trace = capture(recorder, PROGRAM, "null", env={"TRACY_NO_CALLSTACK": "1"}, status=-signal.SIGSEGV)
    check(trace.dump["crash"] and not trace.dump["crash"][3], "a call stack though there should be none")


def check_alone():
    """Nobody is connected: as without a client, core dump and all."""
    with tempfile.TemporaryDirectory() as folder:
        limit = resource.getrlimit(resource.RLIMIT_CORE)
        for env in {}, {"TENDRIL_NO_CRASH_HANDLER": "1"}:
            done = subprocess.run([PROGRAM, "null"], env=dict(os.environ, TRACY_PORT="0", **env), check=False, cwd=folder,
                                  timeout=100)
            check(done.returncode == -signal.SIGSEGV, done.returncode, limit)


def main():
    check_alone()
    for test in (check_all_ways, check_others, check_hard_ways):
        unhurried(test, TENDRIL)
    for recorder in recorders():
        unhurried(check_ways, recorder)
        print("crashes:", recorder[0])


main()
