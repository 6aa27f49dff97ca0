#!/usr/bin/env python3
"""What recording costs the vendor's simulator of a Wormhole chip, compared with the simulator alone.

    ttsim [--quick] [--json] [--no-limits]

The same kernel runs with markers and a recorder, and without markers and without a recorder: with `block` on one core,
with `drop` on 20. While it runs, the chip's clock is read twice. `draining` is how many clocks less a second of the
simulator's processor gives with markers and a recorder; its limit is 5 %. Zones a second are of real time. Then all
lanes of the chip are recorded (1: none is lost).

TD_TTSIM_DIR is the folder of libttsim_wh.so. Exit code 1: a figure is over its limit."""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

BUILD = os.path.dirname(os.path.dirname(os.path.abspath(sys.argv[0])))
TENDRIL = os.path.join(BUILD, "bin", "tendril")
EVERY_CORE = os.path.join(BUILD, "tests", "every_core")
MARKED = os.path.join(BUILD, "tests", "board_kernels", "wormhole")
PLAIN = os.path.join(BUILD, "bench", "kernels", "ttsim_plain")
TICK_S = 1 / os.sysconf("SC_CLK_TCK")
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

    def sample(self):
        """Real time, processor time of the simulator, clock of the chip."""
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as stat:
            words = stat.read().rsplit(")", 1)[1].split()
        cpu = (int(words[11]) + int(words[12])) * TICK_S
        return time.monotonic(), cpu, int(output(TENDRIL, "boards", "--at", "unix:" + self.path).rsplit("clock at", 1)[1])

    def rates(self, seconds, folder, turns, record):
        """Clocks a second of real time, and of the processor, while all cores run the kernel."""
        program = [EVERY_CORE, folder, "ttsim", str(turns)]
        if record:
            program = [TENDRIL, "record", "-q", "--at", "unix:" + self.path, *record, "--", *program]
        run = subprocess.Popen(program, env=dict(os.environ, TENDRIL_BOARD="unix:" + self.path), stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
        time.sleep(seconds)
        first = self.sample()
        time.sleep(2 * seconds)
        last = self.sample()
        if run.poll() is not None:
            sys.exit("bench/ttsim: the kernel has ended too early")
        return (last[2] - first[2]) / (last[0] - first[0]), (last[2] - first[2]) / max(last[1] - first[1], TICK_S), run

    def stop(self, run):
        run.kill()
        self.process.kill()
        run.wait()
        self.process.wait()


def clocks_of_zone(library, scratch):
    trace = os.path.join(scratch, "one.tracy")
    output(TENDRIL, "record", "-q", "--at", "ttsim:" + library, "--grid", "1x1", "-o", trace, "--",
           os.path.join(BUILD, "tests", "e2e", "launch"), "BRISC", os.path.join(MARKED, "ttsim.BRISC.elf:2000"))
    return zones_of(trace, "BRISC-KERNEL")[1] / 2000  # 1 clock is 1 ns


def one_policy(library, policy, grid, cores, seconds, scratch):
    rates = {}
    for way, folder in (("plain", PLAIN), ("marked", MARKED)):
        sim = Sim(library, scratch, grid)
        trace = os.path.join(scratch, policy + ".tracy")
        record = ["-o", trace, "--policy", policy] if way == "marked" else None
        *rates[way], run = sim.rates(seconds, folder, 500000000, record)
        sim.stop(run)
    zones = rates["marked"][0] / clocks_of_zone(library, scratch) * cores
    draining = 100 * (1 - rates["marked"][1] / rates["plain"][1])
    return zones, draining


def are_all_lanes_exact(library, turns, scratch):
    trace = os.path.join(scratch, "all.tracy")
    output(TENDRIL, "record", "-q", "--at", "ttsim:" + library, "--grid", "8x10", "-o", trace, "--", EVERY_CORE, MARKED, "ttsim",
           str(turns))
    return int(zones_of(trace, "turn")[0] == 400 * turns)


def figures(library, quick, scratch):
    """(name, unit, text, ours, baseline, limit, is over)"""
    seconds = 0.5 if quick else 3
    for policy, grid, cores in (("block", "1x1", 5), ("drop", "2x2", 20)):
        zones, draining = one_policy(library, policy, grid, cores, seconds, scratch)
        yield f"ttsim_zones_a_second_{policy}", "1/s", f"zones a second, {policy}, {cores} cores", zones, None, None, False
        yield (f"ttsim_draining_{policy}_percent", "%", f"of the simulator's steps taken by draining, {policy}", draining, 0,
               MOST_PERCENT, draining > MOST_PERCENT)
    exact = are_all_lanes_exact(library, 50 if quick else 1000, scratch)
    yield "ttsim_400_lanes_exact", "", "all zones of 400 lanes arrive (1: yes)", exact, 1, 1, not exact


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a short run")
    parser.add_argument("--json", action="store_true", help="an object a line: name, unit, ours, baseline, limit")
    parser.add_argument("--no-limits", action="store_true", help="exit with 0 whatever the figures are")
    options = parser.parse_args()
    library = os.path.join(os.environ.get("TD_TTSIM_DIR", ""), "libttsim_wh.so")
    if not os.environ.get("TD_TTSIM_DIR") or not os.path.exists(library):
        print("bench/ttsim: not run: TD_TTSIM_DIR names no folder with libttsim_wh.so", file=sys.stderr)
        return 0
    any_over = False
    with tempfile.TemporaryDirectory(prefix="tendril-bench-") as scratch:
        for name, unit, text, ours, baseline, limit, over in figures(library, options.quick, scratch):
            any_over |= over
            if options.json:
                print(json.dumps({"name": name, "unit": unit, "ours": round(ours, 2), "baseline": baseline, "limit": limit}), flush=True)
            else:
                print(f"{text:<60} {ours:12.1f} {unit} {'over' if over else ''}", flush=True)
    return 1 if any_over and not options.no_limits else 0


sys.exit(main())
