#!/usr/bin/env python3
"""What recording costs the vendor's simulator of a Wormhole chip, compared with the simulator alone.

    ttsim [--quick] [--json] [--no-limits]

A kernel with markers runs with a recorder: with `block` on the five cores of a tile, with `drop` on 20. Zones a second
are of real time; the baseline is what they would be if the chip's clock were as fast as with the same kernel without
markers and without a recorder. `draining` is the part of the processor time of the simulator's process that is spent on
lanes and hosts; the baseline is that without a recorder (the program looks whether its cores are done), and the limit 5 %
more. Then all lanes of the chip are recorded (1: none is lost).

TD_TTSIM_DIR is the folder of libttsim_wh.so. Exit code 1: a figure is over its limit."""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir, os.pardir, "tests", "boards"))
from ttsim_libraries import LIBRARIES, find_library  # noqa: E402

BUILD = os.path.dirname(os.path.dirname(os.path.abspath(sys.argv[0])))
TENDRIL = os.path.join(BUILD, "bin", "tendril")
EVERY_CORE = os.path.join(BUILD, "tests", "every_core")
MARKED = os.path.join(BUILD, "tests", "board_kernels", "wormhole")
PLAIN = os.path.join(BUILD, "bench", "kernels", "ttsim_plain")
MOST_PERCENT = 5


def output(*words):
    return subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True).stdout


def zones_of(trace, name):
    """How many, and their total length in ns."""
    table = [line.split(",") for line in output(TENDRIL, "csvexport", trace).splitlines()]
    for row in table[1:]:
        if row[0] == name:
            return int(row[table[0].index("counts")]), int(row[table[0].index("total_ns")])
    return 0, 0


class Sim:
    def __init__(self, library, folder, grid):
        self.path = os.path.join(folder, "sim.sock")
        self.process = subprocess.Popen([TENDRIL, "sim", "--at", "ttsim:" + library, "--grid", grid, "--socket", self.path],
                                        stdout=subprocess.PIPE, text=True)
        self.process.stdout.readline()

    def clock(self):
        return time.monotonic(), int(output(TENDRIL, "boards", "--at", "unix:" + self.path).rsplit("clock at", 1)[1])

    def run(self, seconds, folder, record):
        """Clocks a second of real time while all cores run the kernel, and the part of the simulator's processor time that
        is for hosts."""
        program = [EVERY_CORE, folder, "ttsim", "500000000"]
        if record:
            program = [TENDRIL, "record", "-q", "--at", "unix:" + self.path, *record, "--", *program]
        run = subprocess.Popen(program, env=dict(os.environ, TENDRIL_BOARD="unix:" + self.path), stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
        time.sleep(min(seconds, 2))
        first = self.clock()
        time.sleep(seconds)
        last = self.clock()
        if run.poll() is not None:
            sys.exit("bench/ttsim: the kernel has ended too early")
        self.process.terminate()
        words = self.process.communicate()[0].split()  # N clocks in S s of processor time, of which S s for hosts
        run.kill()
        run.wait()
        return (last[1] - first[1]) / (last[0] - first[0]), float(words[10]) / float(words[3])


def clocks_of_zone(library, scratch):
    trace = os.path.join(scratch, "one.tracy")
    output(TENDRIL, "record", "-q", "--at", "ttsim:" + library, "--grid", "1x1", "-o", trace, "--",
           os.path.join(BUILD, "tests", "e2e", "launch"), "BRISC", os.path.join(MARKED, "ttsim.BRISC.elf:2000"))
    return zones_of(trace, "BRISC-KERNEL")[1] / 2000  # 1 clock is 1 ns


def one_policy(library, policy, grid, cores, seconds, scratch):
    """Zones a second, as many if recording cost no time, and percent of the processor's time for draining."""
    zone = clocks_of_zone(library, scratch)
    plain, polling = Sim(library, scratch, grid).run(seconds, PLAIN, None)
    marked, draining = Sim(library, scratch, grid).run(seconds, MARKED, ["-o", os.path.join(scratch, policy + ".tracy"),
                                                                         "--policy", policy])
    return marked / zone * cores, plain / zone * cores, 100 * draining, 100 * polling


def are_all_lanes_exact(library, turns, scratch):
    trace = os.path.join(scratch, "all.tracy")
    output(TENDRIL, "record", "-q", "--at", "ttsim:" + library, "--grid", "8x10", "-o", trace, "--", EVERY_CORE, MARKED, "ttsim",
           str(turns))
    return int(zones_of(trace, "turn")[0] == 400 * turns)


def figures(library, quick, scratch):
    """(name, unit, text, ours, baseline, limit, is over)"""
    seconds = 0.5 if quick else 10
    for policy, grid, cores in (("block", "1x1", 5), ("drop", "2x2", 20)):
        zones, alone, draining, polling = one_policy(library, policy, grid, cores, seconds, scratch)
        yield f"ttsim_zones_a_second_{policy}", "1/s", f"zones a second, {policy}, {cores} cores", zones, alone, None, False
        yield (f"ttsim_draining_{policy}_percent", "%", f"of the simulator's time taken by draining, {policy}", draining,
               polling, polling + MOST_PERCENT, draining > polling + MOST_PERCENT)
    exact = are_all_lanes_exact(library, 50 if quick else 1000, scratch)
    yield "ttsim_400_lanes_exact", "", "all zones of 400 lanes arrive (1: yes)", exact, 1, 1, not exact


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a short run")
    parser.add_argument("--json", action="store_true", help="an object a line: name, unit, ours, baseline, limit")
    parser.add_argument("--no-limits", action="store_true", help="exit with 0 whatever the figures are")
    options = parser.parse_args()
    library = find_library(LIBRARIES["wormhole"])
    if not library:
        return 0
    any_over = False
    with tempfile.TemporaryDirectory(prefix="tendril-bench-") as scratch:
        for name, unit, text, ours, baseline, limit, over in figures(library, options.quick, scratch):
            any_over |= over
            if options.json:
                print(json.dumps({"name": name, "unit": unit, "ours": round(ours, 2),
                                  "baseline": baseline if baseline is None else round(baseline, 2), "limit": limit}), flush=True)
            else:
                print(f"{text:<55} {ours:12.1f} {unit:<4} {'' if baseline is None else round(baseline, 1):>12} {'over' if over else ''}",
                      flush=True)
    return 1 if any_over and not options.no_limits else 0


sys.exit(main())
