#!/usr/bin/env python3
"""What the client collects, against what the program itself counted: shares of functions in samples, the place of a lock in
wait stacks, switches of a thread; by our capture and stock's. Then the same program without rights, with thousands of
threads, with few descriptors, and stopped while the kernel's rings overflow. The machine's kernel must allow perf events
and have tracefs mounted; without, what it refuses is skipped."""
import ctypes
import json
import math
import os
import re
import resource
import shutil
import struct
import subprocess
import sys
import tempfile

import traces
from traces import BINARY, STOCK, capture, check

PROGRAM = os.path.join(BINARY, "tests", "client_sampled")
SLEEPING = (101, 104)
DEAD = 108
PERF_EVENT_OPEN = {"x86_64": 298, "aarch64": 241}[os.uname().machine]


def environment(**more):
    """ctest's turns all of it off."""
    for name in list(os.environ):
        if name.startswith("TRACY_NO_S"):
            del os.environ[name]
    return dict(more)


def run(recorder, *args, env=None, program=PROGRAM, **more):
    """The trace, and what the program printed, by name."""
    with tempfile.TemporaryFile("w+") as out:
        trace = capture(recorder, program, *args, env=env, stdout=out, **more)
        out.seek(0)
        said = {line.split()[0]: int(line.split()[1]) for line in out}
    return trace, said


def lines_of(trace):
    """The functions of each address, innermost first."""
    dump, found, begin = trace.dump, {}, 0
    for address, _, end in dump["STACK_FRAME"]:
        found[address] = [line[0] for line in dump["STACK_LINE"][begin:end]]
        begin = end
    return found


def track_of(trace, thread):
    return next((i for i, track in enumerate(trace.dump["tracks"]) if track["thread"] == thread), None)


def losses(trace):
    return [row[0] for row in trace.dump["APP_INFO"] if "tendril.client.lost" in row[0]]


def missing(trace):
    return [row[0] for row in trace.dump["APP_INFO"] if "tendril.client.system" in row[0]]


def check_shares(trace, said):
    names = ["spends_much", "spends_some", "spends_little"]
    functions, seen = lines_of(trace), dict.fromkeys(names, 0)
    for samples in trace.dump["SAMPLE"]:
        for _, stack in samples:
            # The innermost function of the program that is not inlined; the kernel's interrupts are above it.
            for address in stack[:8]:
                hit = [name for name in names if name in functions.get(address, ())]
                if hit:
                    seen[hit[0]] += 1
                    break
    all_seen, all_said = sum(seen.values()), sum(said[name] for name in names)
    check(all_seen > 200, "samples of the functions", seen)
    for name in names:
        wanted = said[name] / all_said
        # Five standard deviations of a count of independent samples, and 2 % for what interrupts take.
        bound = 5 * math.sqrt(wanted * (1 - wanted) / all_seen) + 0.02
        check(abs(seen[name] / all_seen - wanted) < bound, name, "is", seen[name] / all_seen, "of the samples and", wanted,
              "of the time; bound", bound, seen)


def check_lock(trace, said):
    functions, track = lines_of(trace), track_of(trace, said["waiter"])
    check(track is not None, "the waiter has no track")
    stacks = [stack for _, stack in trace.dump["SWITCH_SAMPLE"][track]]
    named = sum(any("waits_for_the_planted_lock" in functions.get(address, ()) for address in stack) for stack in stacks)
    check(named >= 3, "wait stacks with the planted lock:", named, "of", len(stacks))


def check_switches(trace, said):
    threads = [row[0] for row in trace.dump["SWITCH_THREAD"]]
    check(said["sleeper"] in threads, "the sleeper has no switches")
    rows = trace.dump["SWITCH"][threads.index(said["sleeper"])]
    # A program without a client has no message. At its end, the thread may sleep again: it prints and exits.
    until = next((m[0] for m in trace.dump["MESSAGE"] if m[2] == "has slept"), None)
    slept = sum(row[5] in SLEEPING and (until is None or row[2] <= until) for row in rows)
    most = said["sleeps"] + (0 if until else 3)
    check(said["sleeps"] <= slept <= most, "the thread slept", said["sleeps"], "times; in the trace:", slept)
    for before, after in zip(rows, rows[1:]):
        check(before[2] <= after[1], "runs of one thread overlap", before, after)


def is_collected(trace):
    """What this machine allows."""
    for line in missing(trace):
        print("skipped in part:", line)
    return bool(sum(map(len, trace.dump["SAMPLE"]))), bool(trace.dump["SWITCH_THREAD"])


def compare(recorder):
    for _ in range(5):
        trace, said = run(recorder, "all", "300")
        if not losses(trace):
            break
        print("the machine is too busy: once more:", losses(trace))
    samples, switches = is_collected(trace)
    if samples:
        check_shares(trace, said)
        check(trace.dump["sampling_period"] in range(10000, 1000000), trace.dump["sampling_period"])
    if switches:
        check_lock(trace, said)
        check_switches(trace, said)
        check(trace.dump["FOREIGN_THREAD"], "threads of other programs have no names")
    return samples


def test_recorders():
    for recorder in traces.recorders():
        if not compare(recorder):
            return False
        if "tendril" not in recorder[0]:
            check_file(recorder[0])
    return True


def check_file(stock_capture):
    """Stock's csvexport and update of that release take the file."""
    folder = os.path.dirname(stock_capture)
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, "t.tracy")
        capture([stock_capture], PROGRAM, "all", "50", keep=path, stdout=subprocess.DEVNULL)
        for tool, args in (("csvexport", [path]), ("update", [path, os.path.join(scratch, "u.tracy")])):
            program = os.path.join(folder, tool)
            if os.path.exists(program):
                done = subprocess.run([program, *args], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=100)
                check(done.returncode == 0, program, done.stderr)


def refuse_perf():
    """As a container does, or perf_event_paranoid 3 for an ordinary user: perf_event_open() fails with EACCES."""
    libc = ctypes.CDLL(None, use_errno=True)
    code = [(0x20, 0, 0, 0), (0x15, 0, 1, PERF_EVENT_OPEN), (0x06, 0, 0, 0x00050000 | 13), (0x06, 0, 0, 0x7fff0000)]
    filters = b"".join(struct.pack("HBBI", *line) for line in code)
    memory = ctypes.create_string_buffer(filters)
    program = struct.pack("HxxxxxxP", len(code), ctypes.addressof(memory))
    libc.prctl(38, 1, 0, 0, 0)
    if libc.prctl(22, 2, ctypes.create_string_buffer(program), 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "seccomp")


def check_quiet(words, env, preexec=None):
    """The program prints what it prints without the client's collection, and nothing else."""
    with tempfile.TemporaryFile("w+") as errors:
        program = [*words, PROGRAM] if words else [PROGRAM]
        done = subprocess.run([*program, "threads", "1"], env=dict(os.environ, TENDRIL_SAVE="/dev/null", **env), text=True,
                              stdout=subprocess.PIPE, stderr=errors, preexec_fn=preexec, timeout=100, check=True)
        errors.seek(0)
        check(errors.read() == "" and done.stdout.startswith("descriptors 0\nin_forks 0\n"), done.stdout)


def test_without_rights(recorder):
    env = environment()
    trace, _ = run(recorder, "all", "20", env=env, preexec_fn=refuse_perf)
    check(sum(t["zones"] if isinstance(t.get("zones"), int) else len(t.get("zones", ())) for t in trace.dump["tracks"]) >= 1,
          "the zone is missing")
    check(not any(trace.dump["SAMPLE"]), "samples although the system refuses them")
    refused = missing(trace)
    check(sum("call stack samples" in line for line in refused) == 1, refused)
    check(sum("context switches" in line for line in refused) == 1, refused)
    check_quiet([], env, refuse_perf)
    if shutil.which("setpriv") and os.getuid() == 0:
        with tempfile.TemporaryDirectory() as folder:
            wrapper = os.path.join(folder, "run")
            with open(wrapper, "w", encoding="ascii") as file:
                file.write('#!/bin/sh\nexec setpriv --bounding-set=-all --inh-caps=-all %s "$@"\n' % PROGRAM)
            os.chmod(wrapper, 0o755)
            trace = capture(recorder, wrapper, "all", "100", env=env, stdout=subprocess.DEVNULL)
        functions = lines_of(trace)
        with open("/proc/sys/kernel/perf_event_paranoid", encoding="ascii") as file:
            paranoid = int(file.read())
        if paranoid == 2:
            check(any(trace.dump["SAMPLE"]), "an ordinary user's program is not sampled", missing(trace))
            images = {image for _, image, _ in trace.dump["STACK_FRAME"]}
            check("<kernel>" not in images, "addresses of the kernel without rights")
            check(any("spends_much" in names for names in functions.values()), "the program's functions are missing")
            check(any("context switches" in line for line in missing(trace)), missing(trace))


def test_switches_off(recorder):
    env = environment(TRACY_NO_SAMPLING="1", TRACY_NO_CONTEXT_SWITCH="1")
    trace, _ = run(recorder, "all", "20", env=env)
    check(not any(trace.dump["SAMPLE"]) and not trace.dump["SWITCH_THREAD"] and not missing(trace),
          "collected although it is off", missing(trace))
    trace, said = run(recorder, "manual", "50", env=environment(TRACY_SAMPLING_PROFILER_MANUAL_START="1"))
    check(said["began"] == bool(any(trace.dump["SAMPLE"])), "begun by the program", said)
    trace, said = run(recorder, "all", "50", env=environment(TRACY_SAMPLING_PROFILER_MANUAL_START="1"))
    check(not any(trace.dump["SAMPLE"]), "the program did not begin sampling")
    trace, _ = run(recorder, "all", "200", env=environment(TRACY_SAMPLING_HZ="100", TRACY_ON_DEMAND="1"))
    check(not any(trace.dump["SAMPLE"]) or trace.dump["sampling_period"] == 10000000, trace.dump["sampling_period"])


def test_many_threads(recorder):
    """One after another and all at once, with children of fork() meanwhile: no descriptor stays open, and the recording
    has every thread's zone and run."""
    count = 2000 if traces.THOROUGH else 500
    trace, said = run(recorder, "threads", str(count), env=environment())
    check(said["descriptors"] == 0, "descriptors that stayed open:", said["descriptors"])
    check(said["in_forks"] == 0, "events that a child of fork() has:", said["in_forks"])
    check(said["files"] < 100, "files that stayed open:", said["files"])
    zones = [len(track["zones"]) for track in trace.dump["tracks"]]
    check(sum(zones) == count + said["at_once"] + 1, "zones of the threads:", sum(zones))
    if trace.dump["SWITCH_THREAD"] and not losses(trace):
        states = {row[0]: [run[5] for run in runs] for row, runs in zip(trace.dump["SWITCH_THREAD"], trace.dump["SWITCH"])}
        check(all(states.get(track["thread"]) for track in trace.dump["tracks"] if track["zones"]), "threads that never ran")
        again = [thread for thread, ends in states.items() if DEAD in ends[:-1]]
        check(not again, "threads that ran after their end:", again[:3], "of", len(again))


def test_few_descriptors(recorder):
    """More threads than there are descriptors for: some are left out, a line says so, and the program has the rest."""
    most, manual = 128, environment(TRACY_SAMPLING_PROFILER_MANUAL_START="1")
    trace, said = run(recorder, "few", env=manual, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (most, most)))
    check(said["left"] >= 32, "descriptors that are left to the program:", said["left"])
    lines = [line for line in missing(trace) if "too few file descriptors" in line]
    check(lines or not said["began"], "no line about descriptors", missing(trace))


def test_critical_path(recorder):
    """A thread that waits for another one again and again: its critical path leads over that one's work, each time."""
    turns = 20
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "t.tracy")
        trace, said = run(recorder, "turns", str(turns), env=environment(), keep=path)
        if not trace.dump["SWITCH_THREAD"] or losses(trace):
            print("skipped: the critical path:", missing(trace), losses(trace))
            return
        parts = json.loads(subprocess.run(
            [os.path.join(BINARY, "bin", "tendril"), "query", "--format", "json", path,
             "SELECT thread, wakes, state, duration_ns FROM critical_path"], stdout=subprocess.PIPE, check=True).stdout)
    main, worker = said["main"], said["worker"]
    there = sum(part["thread"] == main and part["wakes"] == worker for part in parts)
    back = sum(part["thread"] == worker and part["wakes"] == main for part in parts)
    # A turn is missing where a thread saw that it was its turn before it waited; the thread's start is no wakeup.
    check(turns - 3 <= back <= turns + 1 and turns - 4 <= there <= turns + 1, "wakeups on the path", there, back)
    ran = sum(part["duration_ns"] for part in parts if part["thread"] == worker and part["state"] == "runs")
    check(said["worked"] * .8 < ran < said["worked"] * 1.5, "the worker's part of the path", ran, said["worked"])


def test_losses(recorder):
    """The client is stopped while the kernel's rings overflow: what is lost is counted in a message and in `tendril info`."""
    for _ in range(5):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "t.tracy")
            trace = capture(recorder, PROGRAM, "stopped", "20000", env=environment(), keep=path)
            info = subprocess.run([os.path.join(BINARY, "bin", "tendril"), "info", path], stdout=subprocess.PIPE, text=True,
                                  check=True).stdout
        if not trace.dump["SWITCH_THREAD"]:
            print("skipped: losses:", missing(trace))
            return
        if losses(trace): # the kernel reports them late: with the next record
            break
    lost = re.search(r"tendril.client.lost: (\d+) samples and context switches", info)
    check(lost and int(lost[1]) > 1000, "losses in the description", info)
    told = [int(m[2].split()[0]) for m in trace.dump["MESSAGE"] if "samples and context switches were lost here" in (m[2] or "")]
    check(told and sum(told) <= int(lost[1]) and sum(told) > 1000, "messages about losses:", told, "of", lost[1])


def main():
    ours = next(traces.recorders())
    environment()
    test_without_rights(ours)
    test_switches_off(ours)
    test_many_threads(ours)
    test_few_descriptors(ours)
    test_losses(ours)
    test_critical_path(ours)
    if not test_recorders():
        print("skipped: this machine samples nothing")
    if not STOCK:
        print("skipped: the same by stock's capture")


if __name__ == "__main__":
    main()
