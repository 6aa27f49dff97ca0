#!/usr/bin/env python3
"""`tendril record` attached to QEMU's UART: over a socket and over a pseudo terminal, two runs on one machine; and a machine that
dies meanwhile."""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TD_SOURCE_DIR"], "tests", "e2e"))
from kit import BUILD, THOROUGH, csvexport, expect, folder, record  # noqa: E402

QEMU = "/usr/bin/qemu-system-riscv32"
FIRMWARE = os.path.join(BUILD, "boards", "qemu_virt", "probe.elf")
PROGRAM = os.path.join(BUILD, "tests", "run_marks")
HARTS = 4
SLOTS = 4096  # of each hart; all harts together: twice the slots that the probe can hold


class Machine:
    """A QEMU whose UART is at `where`."""

    def __init__(self, *serial):
        self.process = subprocess.Popen(
            [QEMU, "-M", "virt", "-bios", "none", "-kernel", FIRMWARE, "-smp", str(HARTS + 1), "-m", "16",
             "-display", "none", "-monitor", "none", *serial], stdout=subprocess.PIPE, text=True)
        self.where = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def socket_machine(path):
    m = Machine("-chardev", f"socket,id=uart,path={path},server=on,wait=off", "-serial", "chardev:uart")
    m.where = f"unix:{path}"
    return m


def pty_machine():
    m = Machine("-serial", "pty")
    line = m.process.stdout.readline()
    found = re.search(r"/dev/pts/\d+", line)
    expect(found, f"QEMU does not name its terminal: {line}")
    m.where = "serial:" + found.group(0)
    return m


def check(trace, rounds):
    counts = {row["name"]: int(row["counts"]) for row in csvexport(trace)}
    expect(counts.get("round") == HARTS * rounds, f"{counts} instead of {HARTS * rounds} rounds")
    expect(counts.get("inner") == HARTS * rounds, f"{counts} instead of {HARTS * rounds} inner zones")
    expect(counts.get("HART-KERNEL") == HARTS, f"{counts} instead of {HARTS} kernels")
    expect(counts.get("run marks") == 1, f"the program's own zone is not in {counts}")


def runs(machine, where, name, lengths=(50, 120)):
    for number, rounds in enumerate(lengths):
        trace = os.path.join(where, f"{name}{number}.tracy")
        done = record(trace, [PROGRAM, str(rounds)], "-b", "qemu_virt", "--at", machine.where, timeout=200)
        check(trace, rounds)
        expect(re.search(r"^lost +0 zones, 0 other packets", done.stdout, re.M) and "link " not in done.stdout, done.stdout)
        print(f"{name}: {rounds} rounds on each of {HARTS} harts, every one in the trace")


def dying(machine, where):
    trace = os.path.join(where, "dying.tracy")
    recorder = subprocess.Popen(
        [os.path.join(BUILD, "bin", "tendril"), "record", "-b", "qemu_virt", "--at", machine.where, "-o", trace, "--",
         PROGRAM, "100000000", "marks", str(SLOTS)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    said = recorder.stdout.readline()
    machine.process.kill()
    out, errors = recorder.communicate(timeout=100)
    print(said + out + errors)
    expect(said == "taken\n", "the program does not say that its markers are being taken")
    expect(recorder.returncode != 0, "a board that died is no success")
    lines = [line for line in errors.splitlines() if line.startswith("tendril")]
    expect(len(lines) == 1, f"more than one line, or none, about it: {errors}")
    counts = {row["name"]: int(row["counts"]) for row in csvexport(trace)}
    expect(counts.get("inner", 0) > 0, f"nothing was kept: {counts}")


def main():
    if not all(os.path.exists(path) for path in (QEMU, FIRMWARE, PROGRAM)):
        print("skipped: there is no QEMU, or the firmware is not built")
        return
    with folder() as where:
        with socket_machine(os.path.join(where, "uart")) as machine:
            runs(machine, where, "socket")
            dying(machine, where)
        with pty_machine() as machine:
            runs(machine, where, "pty", (50, 120) if THOROUGH else (50,))


main()
