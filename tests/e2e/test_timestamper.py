"""Zones through the tile's hardware timestamper are those of the same kernel with the software's zones."""
import os

from boards import Board, Probe, Recording
from kit import BUILD, dump, expect, folder, record

LAUNCH = os.path.join(BUILD, "tests/e2e/launch")
KERNELS = os.path.join(BUILD, "tests/kernels")
ROUNDS = 3
# A software zone takes at most this many instructions, so ticks of virtual time, a stamped one 4, other markers the same in
# both. Where a packet meets the end of a quarter of the ring, it takes about 300 more.
ZONE_TICKS, SLOW_TICKS = 60, 600


def tracks(trace):
    """For each track with zones: its name, and (depth, name, colour, kind, begin, length, text) of its zones by begin and depth."""
    found = {}
    for track in dump(trace)["tracks"]:
        zones = sorted(((z[3], z[0], z) for z in track["zones"]), key=lambda z: z[:2])
        if zones:
            found[track["name"]] = [z[2] for z in zones]
    return found


def shape(zone):
    return zone[0], zone[2], zone[6]


def inside(zones, i):
    """Number of zones in zone i."""
    return next((k for k in range(i + 1, len(zones)) if zones[k][0] <= zones[i][0]), len(zones)) - i - 1


def the_same_zones(directory, kernel, core):
    traces = []
    for back_end in ("", "_stamped"):
        trace = os.path.join(directory, f"{core}{back_end}.tracy")
        record(trace, [LAUNCH, core, f"{os.path.join(KERNELS, kernel)}{back_end}_{core}.elf:{ROUNDS}"], "--clock", "insn")
        traces.append(tracks(trace))
    software, hardware = traces
    expect(list(software) == list(hardware) and len(software) == 1, f"one track: {list(software)}, {list(hardware)}")
    for name, ours in software.items():
        theirs = hardware[name]
        expect(len(ours) == 1 + ROUNDS * 12, f"{core}: all zones are there: {len(ours)}")
        expect([shape(z) for z in ours] == [shape(z) for z in theirs], f"{core}: names, nesting and texts are the same:\n"
               f"{[shape(z) for z in ours]}\n{[shape(z) for z in theirs]}")
        for i, (a, b) in enumerate(zip(ours, theirs)):
            most = ZONE_TICKS * (inside(ours, i) + 1) + SLOW_TICKS * (1 + inside(ours, i) // 12)
            expect(0 <= a[4] - b[4] <= most, f"{core}: {a[2]} takes {a[4]} and {b[4]} ticks, at most {most} less")
    return sum(len(z) for z in hardware.values())


def two_runs_are_identical(directory):
    files = []
    for i in range(2):
        trace = os.path.join(directory, f"again{i}.tracy")
        record(trace, [LAUNCH, f"{KERNELS}/e2e_stamps_stamped_BRISC.elf:40"], "--clock", "insn")
        with open(trace, "rb") as f:
            files.append(f.read())
    expect(files[0] == files[1], "two runs in virtual time differ")


def other_kernels_around(directory):
    """A kernel with software zones before and after one with stamped zones, on one core, in real time."""
    trace = os.path.join(directory, "mixed.tracy")
    kernel = f"{KERNELS}/e2e_stamps"
    record(trace, [LAUNCH, f"{kernel}_BRISC.elf:2", f"{kernel}_stamped_BRISC.elf:3", f"{kernel}_BRISC.elf:1"])
    zones = list(tracks(trace).values())[0]
    rounds = [z for z in zones if z[2][0] == "round"]
    expect(len(rounds) == 6 and len(zones) == 3 + 6 * 12, f"{len(zones)} zones, {len(rounds)} rounds")
    expect([z[6] for z in rounds] == ["0", "1", "0", "1", "2", "0"], f"each with its value: {[z[6] for z in rounds]}")


def a_full_stream_loses_nothing_silently(directory):
    """A core that writes faster than the host reads: the loss is counted, and zones nest."""
    trace = os.path.join(directory, "full.tracy")
    done = record(trace, [LAUNCH, f"{KERNELS}/e2e_stamps_flood.elf:100000"], "--clock", "insn", check=False)
    zones = list(tracks(trace).values())[0]
    rounds = [z for z in zones if z[2][0] == "flood"]
    expect(done.returncode == 0 and 0 < len(rounds) < 100000, f"{len(rounds)} of 100000 zones arrived")
    gaps = [z for z in zones if z[2][0] == "TENDRIL-LOST"]
    expect(gaps and all(z[4] > 1000 and "at least 1 zones lost" in z[6] for z in gaps), f"the gaps are in the trace: {gaps[:5]}")
    expect(f"lost         {len(gaps)} zones" in done.stdout, f"the loss is reported: {done.stdout}")
    expect(all(z[0] == 1 for z in rounds), "all are in the kernel's zone")


def a_probe_does_not_lose_them_silently(directory):
    """Its lanes come without the stream: the recording says so."""
    trace = os.path.join(directory, "probe.tracy")
    with Board(directory) as board, Probe(board, "unix:" + os.path.join(directory, "probe")) as probe:
        with Recording(probe.where, trace, [LAUNCH, f"{KERNELS}/e2e_stamps_stamped_BRISC.elf:2"]) as recording:
            code, stderr = recording.end()
    expect(code != 0 and "built with STAMPED are missing" in stderr, f"{code}: {stderr}")
    expect([z[2][0] for z in list(tracks(trace).values())[0]] == ["BRISC-KERNEL"], "only the kernel's own zone is there")


def main():
    with folder() as directory:
        for core in ("BRISC", "TRISC1"):
            print(the_same_zones(directory, "e2e_stamps", core), "zones of", core)
        for part in (two_runs_are_identical, other_kernels_around, a_full_stream_loses_nothing_silently,
                     a_probe_does_not_lose_them_silently):
            part(directory)
            print(part.__name__)


main()
