#!/usr/bin/env python3
"""Programs without a client, observed by `tendril capture --system` and `tendril record --sample`: shares of functions in
samples, the place of a lock in wait stacks and switches of a thread, against what the program itself counted; processes
that it starts; odd names; refused rights. What this machine's kernel refuses is skipped."""
import glob
import os
import shutil
import subprocess
import sys
import tempfile
import time

import test_sampled
from traces import BINARY, STOCK, Trace, check

TENDRIL = os.path.join(BINARY, "bin", "tendril")
PROGRAM = os.path.join(BINARY, "tests", "client_unmarked")
REFUSED = "call stack samples"
FEW = ["--sample-hz", "2000"] # a busy machine looks up few addresses in time


def tendril(*words, status=0, **more):
    done = subprocess.run([TENDRIL, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=100, **more)
    check(done.returncode == status, words, "ended with", done.returncode, done.stdout, done.stderr)
    return done


def observed(command, path, *program, status=0):
    """The trace, and what the program printed, by name."""
    done = tendril(*command, *FEW, "-q", "-o", path, "--", *program, status=status)
    said = {line.split()[0]: int(line.split()[1]) for line in done.stdout.splitlines()}
    return Trace(path), said


def tracks_with(trace, function):
    functions = test_sampled.lines_of(trace)
    return [track["name"] for track, samples in zip(trace.dump["tracks"], trace.dump["SAMPLE"])
            if any(function in functions.get(address, ()) for _, stack in samples for address in stack)]


def check_program(folder, command):
    path = os.path.join(folder, "program.tracy")
    for _ in range(3):
        trace, said = observed(command, path, PROGRAM, "all", "250")
        if not test_sampled.losses(trace):
            break
        print("the machine is too busy: once more")
    samples, switches = test_sampled.is_collected(trace)
    check(samples, "no samples", test_sampled.missing(trace))
    test_sampled.check_shares(trace, said)
    if switches:
        test_sampled.check_lock(trace, said)
        test_sampled.check_switches(trace, said)
    check(trace.dump["CODE"], "no machine code")
    for tool in glob.glob(os.path.join(STOCK, "0.14.0", "bin", "update")) if STOCK else []:
        stock = subprocess.run([tool, path, path + ".updated"], stdout=subprocess.DEVNULL, timeout=100)
        check(stock.returncode == 0, tool, "refuses the trace")


def check_children(folder):
    """The shell starts the program from a path of odd characters, which is deleted while it runs."""
    path, odd = os.path.join(folder, "children.tracy"), os.path.join(folder, "an odd \x1b[31m (deleted)")
    shutil.copy(PROGRAM, odd)
    script = '"$0" shares 400 >&2 & until grep -q odd /proc/$!/comm; do sleep 0.01; done; rm "$0"; wait; exit 7'
    trace, _ = observed(["capture", "--system"], path, "sh", "-c", script, odd, status=7)
    names = tracks_with(trace, "spends_much")
    check(len(names) == 1 and names[0].startswith("an odd \x1b[31m (d ("), "the child's track", names)
    shown = tendril("info", path).stdout
    check("\x1b" not in shown and "an odd ?[31m" in shown, "names that steer a terminal", shown)


def check_rights(recorder):
    """The observer of that recorder has no rights but those to observe, in none of its threads."""
    watch, observing = os.path.join(BINARY, "bin", "tendril-watch"), {2, 14, 19, 34, 38, 40} # <linux/capability.h>
    filters = "libseccomp" in subprocess.run(["ldd", watch], stdout=subprocess.PIPE, text=True, timeout=100).stdout
    lines, end = [], time.monotonic() + 60
    while recorder.poll() is None and time.monotonic() < end:
        of_watch = subprocess.run(["pgrep", "-P", str(recorder.pid), "-f", "^[^ ]*tendril-watch"], stdout=subprocess.PIPE,
                                  text=True, timeout=100).stdout.split()
        lines = [line.split() for pid in of_watch for path in glob.glob("/proc/%s/task/*/status" % pid)
                 for line in read_text(path).splitlines()]
        if len(of_watch) == 1 and (not filters or ["Seccomp:", "2"] in lines):
            break
        time.sleep(0.01)
    kept = [int(line[1], 16) for line in lines if line[0] in ("CapPrm:", "CapEff:")]
    check(kept and not any(bits >> n & 1 for bits in kept for n in range(64) if n not in observing), "capabilities", kept)
    check(["NoNewPrivs:", "0"] not in lines, "new privileges", lines)
    check(not filters or ["Seccomp:", "0"] not in lines, "a thread without a filter", lines)


def read_text(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""  # it has ended


def check_attached(folder):
    """A process that runs already, with one that it has started."""
    path = os.path.join(folder, "attached.tracy")
    script = '"$0" shares 700 & echo $!; exec "$0" shares 700'
    with subprocess.Popen(["sh", "-c", script, PROGRAM], stdout=subprocess.PIPE, text=True) as program:
        child = program.stdout.readline().strip()
        with subprocess.Popen([TENDRIL, "capture", "--system", "--pid", str(program.pid), *FEW, "-q", "-o", path]) as capture:
            check_rights(capture)
            check(capture.wait(100) == 0, "ended with", capture.returncode)
        program.stdout.read()
        check(program.wait(100) == 0, "the program was disturbed")
    check(sorted(tracks_with(Trace(path), "spends_some")) == ["client_unmarked", "client_unmarked (%s)" % child],
          "processes that ran before", tracks_with(Trace(path), "spends_some"))
    done = tendril("capture", "--system", "--pid", str(program.pid), "-o", path + "2", status=3)
    check(done.stderr.count("\n") == 1, "one line", done.stderr)


def check_joined(folder):
    """A program with a client, observed from outside: a thread's zones and samples are on one track."""
    path = os.path.join(folder, "joined.tracy")
    command = [TENDRIL, "record", "-b", "none", "--sample", *FEW, "-q", "-o", path, "--", test_sampled.PROGRAM, "all", "250"]
    check(subprocess.run(command, stdout=subprocess.DEVNULL, timeout=100, check=False).returncode == 0, command)
    trace = Trace(path)
    zones = [track["name"] for track in trace.dump["tracks"] if track["zones"]]
    check(zones == ["Main thread"], "tracks with zones", zones)
    check(tracks_with(trace, "spends_much") == zones, "tracks with samples", tracks_with(trace, "spends_much"))
    names = [track["name"] for track in trace.dump["tracks"]]
    check(not [name for name in names if name.startswith("samples: ")], "names", names)


def check_jit(folder):
    """Code that a program makes at run time, with and without a list of its functions."""
    path = os.path.join(folder, "jit.tracy")
    for mode, expected in (("jit", True), ("nameless", False)):
        with subprocess.Popen([PROGRAM, mode, "700"], stdout=subprocess.DEVNULL) as program:
            tendril("capture", "--system", "--pid", str(program.pid), *FEW, "-q", "-f", "-o", path)
            check(program.wait(100) == 0, "the program was disturbed")
        named = bool(tracks_with(Trace(path), "Lmade;::at run time(int)"))
        check(named == expected, "a function that was made at run time", mode, named)
        check(expected or tracks_with(Trace(path), "[anonymous]"), "code without names")


def check_machine(folder):
    path = os.path.join(folder, "machine.tracy")
    for seconds in ("1", "3", "9"):
        with subprocess.Popen([PROGRAM, "shares", "100000"], stdout=subprocess.DEVNULL) as program:
            tendril("capture", "--system", "--sample-hz", "100", "-s", seconds, "-q", "-f", "-o", path)
            program.kill()
        names = tracks_with(Trace(path), "spends_much")
        if names == ["client_unmarked (%d)" % program.pid]:
            return
        print("the machine is too busy: once more", names)
    check(False, "a process of the machine", names)


def check_refused(folder):
    refuse = {"preexec_fn": test_sampled.refuse_perf}
    path = os.path.join(folder, "refused.tracy")
    done = tendril("capture", "--system", "-o", path, "--", PROGRAM, "shares", "1", status=3, **refuse)
    check(done.stderr.count("\n") == 1 and REFUSED in done.stderr and not done.stdout, done.stdout, done.stderr)
    check(not os.path.exists(path), "a file without a session")
    done = tendril("record", "-b", "none", "--sample", "-q", "-o", path, "--", PROGRAM, "shares", "1", **refuse)
    check(done.stderr.count(REFUSED) == 1 and "spends_much" in done.stdout and os.path.exists(path), done.stderr)


def main():
    test_sampled.environment()
    with tempfile.TemporaryDirectory() as folder:
        check_refused(folder)
        probe = subprocess.run([TENDRIL, "capture", "--system", "-q", "-o", os.path.join(folder, "probe"), "--", "true"],
                               stderr=subprocess.PIPE, text=True, timeout=100)
        if probe.returncode == 3 and REFUSED in probe.stderr:
            print("skipped:", probe.stderr)
            return
        check(probe.returncode == 0, probe.stderr)
        check_program(folder, ["capture", "--system"])
        check_program(folder, ["record", "-b", "none", "--sample"])
        os.environ["TRACY_NO_CODE_TRANSFER"] = "1"  # looking up the place of each instruction takes seconds
        check_children(folder)
        check_attached(folder)
        check_joined(folder)
        check_jit(folder)
        if os.getuid() == 0:
            check_machine(folder)


main()
