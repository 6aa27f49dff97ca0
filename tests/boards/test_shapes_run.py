"""Simulated boards in the shapes of real ones run kernels made with their own linker scripts, on every core: a tile of 24
cores, two chips that lack different rows, private RAM of Blackhole's size."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.environ["TD_SOURCE_DIR"], "tests", "e2e"))
from kit import BUILD, expect, folder, info, record  # noqa: E402

QUASAR = [f"DM{i}" for i in range(8)] + [f"TRISC{i}" for i in range(16)]
TENSIX = ["BRISC", "NCRISC", "TRISC0", "TRISC1", "TRISC2"]


def check(board, grid, chips, cores, places):
    kernels = os.path.join(BUILD, "tests", "board_kernels", board)
    with folder() as directory:
        trace = os.path.join(directory, "t.tracy")
        record(trace, [os.path.join(BUILD, "tests", "every_core"), kernels, "fill"], "-b", board, "--grid", grid, timeout=280)
        facts = info(trace)
    tracks = [t for t in facts["tracks"] if t["kind"] == "core"]
    width, height = map(int, grid.split("x"))
    expect(len(tracks) == chips * width * height * len(cores), f"{board}: {len(tracks)} cores in the trace")
    names = set()
    for track in tracks:
        found = re.fullmatch(r"chip (\d+) tile (\d+),(\d+) (\w+)", track["name"])
        expect(found, f"{board}: a core is called {track['name']}")
        chip, x, y = (int(found.group(i)) for i in (1, 2, 3))
        expect((track["chip"], track["x"], track["y"], cores[track["core"]]) == (chip, x, y, found.group(4)),
               f"{board}: {track['name']} is {track}")
        expect((chip, x, y) in places, f"{board}: no tile of the grid is at {chip} {x},{y}")
        counts = {n["name"]: n["count"] for n in track["names"]}
        expect(counts.get("fill") == 1 and counts.get("read back") == 1, f"{board}: {track['name']} has {counts}")
        expect(track["messages"] == 1, f"{board}: {track['name']} has {track['messages']} messages")
        names.add(track["name"])
    expect(len(names) == len(tracks), f"{board}: each core has a track of its own")
    expect(not facts["faults"] and facts["lost_zones"] == 0, f"{board}: {facts['faults']}, {facts['lost_zones']} lost")
    print(f"{board}: {len(tracks)} cores, {facts['zones']} zones")


def main():
    check("tensix_sim_quasar", "2x1", 1, QUASAR, {(0, 0, 0), (0, 1, 0)})
    # Row 1 is harvested on both chips, row 3 only on the second.
    check("tensix_sim_n300", "1x2", 2, TENSIX, {(0, 0, 0), (0, 0, 1), (1, 0, 0), (1, 0, 1)})
    check("tensix_sim_p150", "2x1", 1, TENSIX, {(0, 0, 0), (0, 1, 0)})


main()
