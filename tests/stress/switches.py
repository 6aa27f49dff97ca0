#!/usr/bin/env python3
"""Context switches that the client records, against those that `perf record` sees in the same seconds.

Usage: TD_BINARY_DIR=build tests/stress/switches.py [--tries N] [--threads N]

client_sampled runs under `perf record -a`, pinned to one processor with all its threads, once with threads that wait for a
lock and sleep, once with N short threads and hundreds at once. Each thread that begins and ends within the recording must
have the same switches in both, one for one: the processor, the state in which it stopped, and how often it ran. A line for
each try has the numbers and the greatest difference in the length of a run: the two collectors take their times one after
the other. A try in which a collector lost records says so and is run again. Needs root, tracefs and perf (linux-perf).
"""
import argparse
import collections
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "client"))
import test_sampled
from checks import check, failures
from traces import capture, recorders

# prev_state of the kernel, and the state in Tracy's protocol.
STATES = {"R": 103, "R+": 103, "S": 104, "D": 101, "T": 105, "t": 106, "X": 108, "Z": 109, "P": 110, "I": 102}
LINE = re.compile(r"\[(\d+)\] +(\d+)\.(\d{9}): .*prev_pid=(\d+) .*prev_state=(\S+) ==> .*next_pid=(\d+)")
AGAIN = 5


def runs_of_perf(path):
    """Of each thread (processor, state, ns, end) of its runs; whether perf lost records; how many switches the kernel left out. It
    does so with some of its own threads: then a run has a start only, or an end only, and 0 ns."""
    script = subprocess.run(["perf", "script", "--ns", "-F", "cpu,time,event,trace", "-i", path], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, check=True)
    began, runs, left_out = {}, collections.defaultdict(list), 0
    for line in LINE.finditer(script.stdout):
        cpu, seconds, ns, old, state, new = line.groups()
        time_ns = int(seconds) * 10**9 + int(ns)
        left_out += int(old) not in began
        runs[int(old)].append((int(cpu), STATES[state], time_ns - began.pop(int(old), (cpu, time_ns))[1], time_ns))
        if int(new) in began: # its stop was left out
            runs[int(new)].append((int(began[int(new)][0]), STATES["R"], 0, time_ns))
        began[int(new)] = (cpu, time_ns)
    return runs, "LOST" in script.stdout + script.stderr, left_out


def runs_of_trace(trace):
    return {row[0]: [(run[3], run[5], run[2] - run[1], run[2]) for run in runs]
            for row, runs in zip(trace.dump["SWITCH_THREAD"], trace.dump["SWITCH"])}


def until_end(mine, other, end_ns):
    """Without runs after the client's end: a thread that is joined may still have its last one before it."""
    ahead_ns = other[0][3] - mine[0][3] if mine and other else 0
    return [run for run in other if run[3] - ahead_ns <= end_ns]


def threads_to_compare(trace, said):
    """All that begin after the client and end before it: not the first one."""
    if "waiter" in said:
        return [said["waiter"], said["sleeper"]]
    tracks = sorted((track["thread"] for track in trace.dump["tracks"] if track["zones"]))
    return tracks[1:]


def record(recorder, folder, *mode):
    """The trace, what perf saw, and what the program printed; None: records were lost."""
    path = os.path.join(folder, "perf.data")
    cpu = str(max(os.sched_getaffinity(0)))
    with tempfile.TemporaryFile("w+") as out:
        trace = capture(recorder, "perf", "record", "-q", "-a", "-m", "8M", "-k", "CLOCK_MONOTONIC_RAW", "-e",
                        "sched:sched_switch", "-o", path, "--", "taskset", "-c", cpu, test_sampled.PROGRAM, *mode,
                        env=test_sampled.environment(TRACY_NO_SAMPLING="1"), stdout=out)
        out.seek(0)
        said = {line.split()[0]: int(line.split()[1]) for line in out if len(line.split()) == 2}
    runs, lost, left_out = runs_of_perf(path)
    return None if lost or test_sampled.losses(trace) else (trace, runs, said, left_out)


def compare(recorder, *mode):
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(AGAIN):
            recorded = record(recorder, folder, *mode)
            if recorded:
                break
            print("a collector lost records: once more")
    check(recorded, "records were lost %d times" % AGAIN)
    if not recorded:
        return
    trace, theirs, said, left_out = recorded
    ours, threads = runs_of_trace(trace), threads_to_compare(trace, said)
    switches, differences, most_ns = 0, 0, 0
    end_ns = max(run[3] for runs in ours.values() for run in runs)
    for thread in threads:
        mine, other = ours.get(thread, []), theirs.get(thread, [])
        other = until_end(mine, other, end_ns)
        switches += len(other)
        if [run[:2] for run in mine] != [run[:2] for run in other]:
            differences += 1
            check(differences > 4, "thread %d: %d runs in the trace, %d in perf's: %s, %s" %
                  (thread, len(mine), len(other), mine[:4], other[:4]))
        else:
            most_ns = max([most_ns, *(abs(a[2] - b[2]) for a, b in zip(mine, other) if a[2] and b[2])])
    check(threads and switches >= len(threads), "nothing to compare")
    print("%-10s %6d threads %7d switches, %d threads differ, lengths of runs within %d ns; the kernel left %d switches out" %
          (mode[0], len(threads), switches, differences, most_ns, left_out))


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--tries", type=int, default=3)
    options.add_argument("--threads", type=int, default=2000)
    options = options.parse_args()
    if not shutil.which("perf") or os.getuid() or not os.path.exists("/sys/kernel/tracing/events/sched/sched_switch"):
        print("skipped: needs root, perf and a mounted tracefs")
        return
    recorder = next(recorders())
    for _ in range(options.tries):
        compare(recorder, "all", "100")
        compare(recorder, "threads", str(options.threads))
    if failures():
        sys.exit(1)


if __name__ == "__main__":
    main()
