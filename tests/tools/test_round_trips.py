#!/usr/bin/env python3
"""What `tendril export` writes for another program, `tendril import` makes a trace of again: with the same zones, by track,
depth, name, time, length and place."""
import json
import os
import re
import subprocess
import sys
import tempfile

from common import SOURCE, TENDRIL, check, exit_status

SCRATCH = tempfile.mkdtemp()
AGAIN = os.path.join(SCRATCH, "again.tracy")
TRACES = ("0.14.0/synthetic.tracy", "0.11.1/features.tracy", "ttfork/killed.tracy", "0.10/gpu.tracy")


def zones_of(path):
    out = subprocess.run([TENDRIL, "query", "--format", "json", path, "SELECT track, depth, name, start_ns, duration_ns, file, line FROM zones"],
                         stdout=subprocess.PIPE, check=True).stdout
    return json.loads(out.decode("utf-8", "replace"))


def compared(zones, last_ns=None):
    """Times since the first zone; tracks without the process before their names. last_ns: the end of zones that have none."""
    first = min((zone["start_ns"] for zone in zones), default=0)
    return sorted((re.sub(r"^\(.*PID \d+ TID \d+\) ", "", zone["track"]), zone["depth"], zone["name"], zone["start_ns"] - first,
                   (last_ns - zone["start_ns"] if last_ns else -1) if zone["duration_ns"] is None else zone["duration_ns"], zone["file"], zone["line"]) for zone in zones)


def exported(trace, form):
    path = os.path.join(SCRATCH, "exported." + form)
    subprocess.run([TENDRIL, "export", "--to", form, "-o", path, trace], check=True, stdout=subprocess.DEVNULL)
    return path


def imported(path, what):
    done = subprocess.run([TENDRIL, "import", "-f", "-o", AGAIN, path], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, universal_newlines=True, check=False)
    # Zones have no call stacks after an import.
    said = re.sub(r".*: \d+ items? (is|are) left out: \d+ zone's call stacks?\n", "", done.stderr)
    check("%s is imported" % what, done.returncode == 0 and not said, said)


def zones_are_the_same_again(trace, form):
    zones = zones_of(trace)
    info = json.loads(subprocess.run([TENDRIL, "info", "--json", trace], stdout=subprocess.PIPE, check=True).stdout.decode("utf-8", "replace"))
    imported(exported(trace, form), form)
    # speedscope has no zones without an end: they end with the trace.
    wanted, found = compared(zones, info["last_time_ns"] if form == "speedscope" else None), compared(zones_of(AGAIN))
    if form == "perfetto":  # a zone with an empty name is shown by its function
        unnamed = {zone[:2] + zone[3:] for zone in wanted if not zone[2]}
        wanted, found = ([zone for zone in zones if zone[:2] + zone[3:] not in unnamed] for zones in (wanted, found))
    check("%s of %s" % (form, trace), found == wanted and found, [z for z in found if z not in wanted][:3], "instead of", [z for z in wanted if z not in found][:3])


def numbers_by_stack(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return sorted(line.rstrip("\n") for line in file)


def sums_of_stacks_are_the_same_again(trace):
    first = exported(trace, "folded")
    lines = numbers_by_stack(first)
    imported(first, "folded")
    again = [line.replace("folded stacks;", "", 1) for line in numbers_by_stack(exported(AGAIN, "folded"))]
    check("folded of %s" % trace, again == lines and lines, again[:3], lines[:3])


def sums_without_tracks(path, track=None):
    sums = {}
    for line in numbers_by_stack(path):
        stack, _, number = line.rpartition(" ")
        of, _, stack = stack.partition(";")
        if track in (None, of):
            sums[stack] = sums.get(stack, 0) + int(number)
    return sums


def sums_of_pprof_are_the_same_again(trace):
    """pprof has all tracks together, and tracks as labels, which have no place in a trace."""
    wanted = sums_without_tracks(exported(trace, "folded"))
    done = subprocess.run([TENDRIL, "import", "-f", "-o", AGAIN, exported(trace, "pprof")], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, universal_newlines=True, check=False)
    check("pprof is imported", done.returncode == 0 and re.fullmatch(r".*: (\d+) items? (is|are) left out: \1 labels?\n", done.stderr), done.stderr)
    found = sums_without_tracks(exported(AGAIN, "folded"), "time (nanoseconds)")
    check("pprof of %s" % trace, found == wanted and wanted, sorted(set(found.items()) ^ set(wanted.items()))[:4])


def main():
    for name in TRACES:
        trace = os.path.join(SOURCE, "tests/data/trace", name)
        for form in "speedscope", "chrome", "perfetto":
            zones_are_the_same_again(trace, form)
        sums_of_stacks_are_the_same_again(trace)
        sums_of_pprof_are_the_same_again(trace)
    sys.exit(exit_status())


main()
