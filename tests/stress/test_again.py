#!/usr/bin/env python3
"""Recordings on boards whose cores still run a kernel of an earlier recording: each has every zone of its own
launch, or counts it as lost.

  test_again.py [--tries N] [--over shm,probe,qemu]

A try leaves a kernel that hangs, with and without markers, by giving it up, by Ctrl-C or by killing the recorder; then
records a launch of ZONES zones with one of the policies. 200 tries each: --tries 200."""
import argparse
import os
import random
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TD_SOURCE_DIR"], "tests", "e2e"))
from boards import Board, Probe, Process  # noqa: E402
from kit import BUILD, TENDRIL, csvexport, expect, folder, info, run  # noqa: E402

ZONES = 20001
HANG_MARKING, HANG_SILENT = 1 << 30, 1 << 31
AGAIN = os.path.join(BUILD, "tests", "stress_again")
QEMU = "/usr/bin/qemu-system-riscv32"
FIRMWARE = os.path.join(BUILD, "boards", "qemu_virt", "probe.elf")


class Place:
    """The board's address, and about how long a launch takes there."""

    def __init__(self, where, kernels, options=(), zones=ZONES):
        self.where, self.kernels, self.zones = where, os.path.join(BUILD, "tests", kernels), zones
        self.options = ["--at", where, *options]

    def record(self, trace, *program, policy="block"):
        return [TENDRIL, "record", "-q", "-o", trace, "--policy", policy, *self.options, "--", AGAIN, self.kernels, *program]


def leave_hanging(place, rng, directory):
    """Returns the way in which the recording was ended."""
    arg = str(rng.choice((HANG_MARKING, HANG_SILENT)) + rng.choice((0, 1, 100, 3000)))
    how = rng.choice(("given up", "interrupted", "killed", "not recorded"))
    trace = os.path.join(directory, "hung.tracy")
    if how == "not recorded":
        environment = {"TENDRIL_BOARD": place.where, "TENDRIL_BOARD_NAME": "qemu_virt"}
        run([AGAIN, place.kernels, arg, "100"], env=environment)
        return how
    wait_ms = {"given up": "700", "killed": "500"}.get(how, "60000")
    with Process(place.record(trace, arg, wait_ms)) as child:
        if how != "given up":
            expect(child.child.stdout.readline() == "running\n", "the kernel runs")
            child.signal(signal.SIGINT if how == "interrupted" else signal.SIGKILL)
        code, stderr = child.end()
        expect(how != "given up" or code == 0, f"the program that gave up: {stderr}")
        expect(how != "interrupted" or "stopped by the user" in stderr, f"the program that was stopped: {stderr}")
    return how


def try_once(place, rng, directory):
    how = leave_hanging(place, rng, directory)
    policy = rng.choice(("block", "block", "drop", "overwrite"))
    trace = os.path.join(directory, "whole.tracy")
    done = run(place.record(trace, str(place.zones), policy=policy), timeout=200)
    counts = {row["name"]: int(row["counts"]) for row in csvexport(trace)}
    arrived, lost = counts.get("work", 0), info(trace)["lost_zones"]
    said = f"{how}, then {policy}: {arrived} zones and {lost} lost of {place.zones}\n{done.stderr}"
    # The kernel's own zone may be among the lost ones.
    expect(arrived + lost in (place.zones, place.zones + (policy != "block")), said)
    expect(policy != "block" or lost == 0, said)
    return arrived, lost


def tries(name, place, count, seed, directory):
    rng = random.Random(seed)
    arrived = lost = 0
    for number in range(1, count + 1):
        more = try_once(place, rng, directory)
        arrived, lost = arrived + more[0], lost + more[1]
        if number % 20 == 0 or number == count:
            print(f"{name}: {number} tries, each whole or counted: {arrived} zones arrived, {lost} lost", flush=True)


def over_shm(count, seed, directory):
    with Board(directory) as board:
        tries("shm", Place(board.path, "stress_kernels"), count, seed, directory)


def over_probe(count, seed, directory):
    with Board(directory) as board, Probe(board, "unix:" + os.path.join(directory, "probe")) as probe:
        tries("probe", Place(probe.where, "stress_kernels"), count, seed, directory)


def over_qemu(count, seed, directory):
    if not os.path.exists(QEMU) or not os.path.exists(FIRMWARE):
        print("qemu: skipped (no QEMU, or its firmware is not built)")
        return
    path = os.path.join(directory, "uart")
    with Process([QEMU, "-M", "virt", "-bios", "none", "-kernel", FIRMWARE, "-smp", "5", "-m", "16", "-display", "none",
                  "-monitor", "none", "-chardev", f"socket,id=uart,path={path},server=on,wait=off", "-serial",
                  "chardev:uart"]):
        tries("qemu", Place("unix:" + path, "stress_qemu_kernels", ("-b", "qemu_virt"), 2001), count, seed, directory)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tries", type=int, default=4)
    parser.add_argument("--over", default="shm,probe,qemu")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    ways = {"shm": over_shm, "probe": over_probe, "qemu": over_qemu}
    with folder() as directory:
        for way in args.over.split(","):
            ways[way](args.tries, args.seed, directory)


main()
