#!/usr/bin/env python3
"""What zones of all calls cost a Python program, compared with cProfile and with a profiler whose callback is in Python.

    python [--quick] [--rounds N] [--json] [--no-limits]

Two programs, one with many calls and one with loops, run in turn: without a profiler, under `python -m tracy` with a
recorder, under `python -m tracy -p` outside of Profiler.enable(), under cProfile, and under a callback in Python that
marks zones by the client's C interface. A figure is the lower quartile of the rounds, in ns of the thread's processor
time; what a profiler costs is the difference to the program without one. Exit code 1: a figure is over its limit."""
import argparse
import json
import os
import subprocess
import sys
import tempfile

BUILD = os.path.dirname(os.path.dirname(os.path.abspath(sys.argv[0])))
HERE = os.path.dirname(os.path.realpath(__file__))
PYTHON = os.environ.get("TD_PYTHON", "/usr/bin/python3")
WAYS = {  # words before the workload, the workload's last word
    "plain": ([], "plain"),
    "ours": (["-m", "tracy"], "plain"),
    "off": (["-m", "tracy", "-p"], "plain"),
    "cprofile": ([], "cprofile"),
    "callback": ([], "callback"),
}


def measure(program, way, count, scratch):
    before, how = WAYS[way]
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("TRACY", "TENDRIL", "PYTHON"))}
    environment.update(PYTHONPATH=os.path.join(BUILD, "python"), TENDRIL_CONFIG="none")
    done = subprocess.run([os.path.join(BUILD, "bin", "tendril"), "record", "-q", "-b", "none", "-o",
                           os.path.join(scratch, "trace.tracy"), "--", PYTHON, *before, os.path.join(HERE, "workload.py"),
                           program, str(count), how], env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return float(done.stdout)


def quartile(values):
    return sorted(values)[len(values) // 4]


def figures(counts, rounds):
    """{program: {way: ns}}"""
    found = {program: {way: [] for way in WAYS} for program in counts}
    with tempfile.TemporaryDirectory(prefix="tendril-bench-") as scratch:
        for _ in range(rounds):
            for program, count in counts.items():
                for way in WAYS:
                    found[program][way].append(measure(program, way, count, scratch))
    return {program: {way: quartile(values) for way, values in ways.items()} for program, ways in found.items()}


def rows(found):
    """(name, text, ours, baseline, limit)"""
    for program, name in (("calls", "call"), ("loops", "loop")):
        ways = found[program]
        cost = {way: ways[way] - ways["plain"] for way in WAYS}
        what = "call" if name == "call" else "pass of a loop"
        yield f"{name}_ns", f"a {what}, against cProfile", cost["ours"], cost["cprofile"], cost["cprofile"]
        yield (f"{name}_callback_ns", f"a {what}, against a callback in Python", cost["ours"], cost["callback"],
               cost["callback"])
        yield (f"off_{name}_ns", f"a {what} while off, against no profiler", ways["off"], ways["plain"],
               1.25 * ways["plain"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="one short round")
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--json", action="store_true", help="an object a line: name, unit, ours, baseline, limit")
    parser.add_argument("--no-limits", action="store_true", help="exit with 0 whatever the figures are")
    options = parser.parse_args()
    counts = {"calls": 4000, "loops": 4000} if options.quick else {"calls": 400000, "loops": 400000}
    over = False
    for name, text, ours, baseline, limit in rows(figures(counts, 1 if options.quick else options.rounds)):
        over |= ours > limit
        if options.json:
            print(json.dumps({"name": name, "unit": "ns", "ours": round(ours, 2), "baseline": round(baseline, 2),
                              "limit": round(limit, 2)}))
        else:
            print(f"{text:<45} {ours:8.1f} ns {baseline:10.1f} ns {'over' if ours > limit else ''}")
    return 1 if over and not options.no_limits else 0


sys.exit(main())
