"""A kernel that overwrites control words or rings harms its own lane only: no core waits for ever, all zones of the other
cores are in the trace, and one line says where the damage was."""
import os
import re
from itertools import product

from boards import Board, Probe
from kit import BUILD, THOROUGH, csvexport, expect, folder, info, record

PROGRAM = os.path.join(BUILD, "tests", "scribbles")
KERNELS = os.path.join(BUILD, "tests", "e2e_kernels")
ZONES = 6000  # more than a ring holds, before the damage and after it
TILE_HEADER, LANE_WORDS, RING, ALL = 1, 2, 3, 4
NAMES = {TILE_HEADER: "tile header", LANE_WORDS: "lane's words", RING: "ring", ALL: "all control words of the tile"}
CORE = re.compile(r"tendril record: .*(BRISC|core of tile 0,0).* 0x[0-9a-f]{8}")


def zones_by_core(trace):
    counts = {}
    for row in csvexport(trace, "-u"):
        if row["name"] == "work":
            counts[row["thread"]] = counts.get(row["thread"], 0) + 1
    return sorted(counts.values(), reverse=True)


def check_unharmed(what, trace, facts, lines):
    """For damage that loses nothing: the ring was drained when the kernel overwrote it, and was written again before the
    agent read it."""
    arrived = sum(zones_by_core(trace))
    # The kernels' own zones may be among the lost ones.
    expect(not lines and 3 * ZONES <= arrived + facts["lost_zones"] <= 3 * ZONES + 3,
           f"{what}: {arrived} zones and {facts['lost_zones']} lost of {3 * ZONES}: {lines}")
    return f"{what}: nothing was in the ring"


def check(directory, where, place, byte, policy):
    what = f"{NAMES[place]} of {byte:#x}, policy {policy}, {'board of its own' if where else 'simulator'}"
    trace = os.path.join(directory, "damage.tracy")
    argument = str(ZONES << 16 | byte << 8 | place)
    done = record(trace, [PROGRAM, KERNELS, argument], *(["--at", where] if where else ["--grid", "2x2"]),
                  "--policy", policy, check=False, timeout=200)
    lines = [line for line in done.stderr.splitlines() if line.startswith("tendril")]
    facts = info(trace)
    if place == RING and done.returncode == 0:
        return check_unharmed(what, trace, facts, lines)
    expect(done.returncode == 1 and len(lines) == 1, f"{what}: one line, not {done.returncode}: {done.stderr!r}")
    expect(CORE.match(lines[0]), f"{what}: names core and address: {lines[0]}")
    expect(len(facts["damages"]) >= 1, f"{what}: is said in the trace")
    counts = zones_by_core(trace)
    whole = 1 if place == ALL else 2
    if policy == "block":
        expect(counts[:whole] == [ZONES] * whole, f"{what}: the others are whole: {counts}")
    expect(facts["lost_zones"] < 10 * ZONES and facts["lost_other"] < 10 * ZONES, f"{what}: lost {facts['lost_zones']}")
    return lines[0]


def main():
    with folder() as directory:
        for place in NAMES:
            both = ((0, "block"), (0xff, "drop"))
            for byte, policy in product((0, 0xff), ("block", "drop")) if THOROUGH else both:
                print(check(directory, None, place, byte, policy))
        with Board(directory) as board, Probe(board, "unix:" + os.path.join(directory, "probe")) as probe:
            for where in (board.path, probe.where):
                for place in NAMES:
                    check(directory, where, place, 0xff, "block")
            # The damage does not affect the next recording.
            trace = os.path.join(directory, "next.tracy")
            record(trace, [PROGRAM, KERNELS, str(ZONES << 16)], "--at", board.path)
            expect(zones_by_core(trace) == [ZONES] * 3, "the next recording is whole")


main()
