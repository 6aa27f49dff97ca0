#!/usr/bin/env python3
"""Programs that may not make some system calls (seccomp), and names that cannot be read: the program runs to its end, and a
recorder gets every zone and every name that there is.
"""
import os
import re
import subprocess
import tempfile

from traces import BINARY, HERE, TESTS, capture, check, free_port

LIBRARY = os.path.join(TESTS, "client_denied.so")
UNREADABLE = os.path.join(TESTS, "client_unreadable")
MARKED = os.path.join(TESTS, "client_marked")
CAPTURE = [os.path.join(BINARY, "bin", "tendril"), "capture"]
# What a client without them cannot be recorded without, or not be connected to.
NEEDED = {"socket", "bind", "listen", "accept4", "recvfrom", "sendto", "eventfd2", "poll", "ppoll", "setsockopt"}


def without(calls):
    """The environment of a program that may not make these calls, NAME,NAME..."""
    return {"LD_PRELOAD": LIBRARY, "TD_DENIED": calls, "ASAN_OPTIONS": "verify_asan_link_order=0"}


def check_unreadable():
    """Names at the edge of memory, in pages without access, past a file's end, at addresses that no process has: with the
    system call that reads them, without it, and without any way to read memory."""
    for denied in "", "process_vm_readv", "process_vm_readv,pipe2":
        trace = capture(CAPTURE, UNREADABLE, env=without(denied))
        texts = [m[2] or "" for m in trace.dump["MESSAGE"]]
        check(len(texts) == 9, denied, texts)
        # Messages have room for 56 bits of an address, as where the top byte is a tag: the rest of that one is good.
        expected = ["good", "edge", "", "", "", "not canonical", "", "", "the last"]
        check(texts == ([""] * 9 if "pipe2" in denied else expected), denied, texts)
        plots = [plot[5] or "" for plot in trace.dump["plots"]]
        if "pipe2" not in denied:
            check(set(plots) == {"", "edge", "good"}, denied, plots)
        zones = sum(len(track["zones"]) for track in trace.dump["tracks"])
        check(zones == 3 * 8, denied, zones)
    with tempfile.TemporaryDirectory() as folder:
        saved = os.path.join(folder, "saved.stream")
        subprocess.run([UNREADABLE], env=dict(os.environ, TENDRIL_SAVE=saved, **without("process_vm_readv")), check=True, timeout=100)
        done = subprocess.run([CAPTURE[0], "import", "-q", "-o", saved + ".tracy", saved], stderr=subprocess.PIPE, check=False)
        check(done.returncode == 0 and not done.stderr, "saved:", done.stderr)


def check_denied():
    """Each call alone: the program ends as ever, and is recorded where that can be."""
    with open(os.path.join(HERE, "denied.c"), encoding="utf-8") as f:
        calls = re.findall(r"    CALL\((\w+)\),", f.read())
    check(len(calls) > 30, calls)
    for call in calls:
        environment = dict(os.environ, **without(call))
        if call not in NEEDED:
            trace = capture(CAPTURE, MARKED, "all", env=without(call))
            check(sum(len(track["zones"]) for track in trace.dump["tracks"]) == 80, call, trace.dump["tracks"])
        for more in {"TRACY_PORT": str(free_port())}, {"TENDRIL_SAVE": "/dev/null"}:
            done = subprocess.run([MARKED, "all"], env=dict(environment, **more), stderr=subprocess.PIPE, timeout=100)
            check(done.returncode == 0, call, more, done.returncode, done.stderr)


def main():
    if subprocess.run(["/bin/true"], env=dict(os.environ, **without("mincore"))).returncode == 77:
        print("skipped: no seccomp filters")
        return
    check_unreadable()
    if not os.environ.get("TD_SANITIZED"):  # sanitizers need some of the calls themselves
        check_denied()


if __name__ == "__main__":
    main()
