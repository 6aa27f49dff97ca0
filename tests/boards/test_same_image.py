"""Kernels linked for cards do the same on the simulated board, also when it reorders what may be reordered, and, where TD_TTSIM_DIR
has it, on the vendor's simulator: the same files, the same results, the same zones and NoC counters."""
import os
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TD_SOURCE_DIR"], "tests", "e2e"))
from kit import BUILD, expect, folder, info, record  # noqa: E402
from ttsim_libraries import LIBRARIES, find_library  # noqa: E402

SEEDS = ["1", "2"]
SIMULATOR = os.path.join(BUILD, "bin", "tensix_sim")


def zones_of(trace):
    facts = info(trace)
    expect(not facts["faults"] and facts["lost_zones"] == 0, f"{facts['faults']}, {facts['lost_zones']} lost")
    counts = {}
    for track in facts["tracks"]:
        for name in track.get("names", []) if track["kind"] == "core" else []:
            key = (track["name"], name["name"])
            counts[key] = counts.get(key, 0) + name["count"]
    return {key: count for key, count in counts.items() if key[1] != "meet"}


def run_on(at, board, program, directory):
    """What the program prints, and how many zones of each name each core has."""
    trace = os.path.join(directory, "t.tracy")
    options = ["-b", board, "--grid", "2x2"] if at.startswith("ttsim:") else []
    done = record(trace, program, "--at", at, "--policy", "block", *options, timeout=550)
    lines = [line for line in done.stdout.splitlines() if line.startswith(("moves ", "matmul: "))]
    return lines, zones_of(trace)


def on_the_simulated_board(board, program, directory, *options):
    bar = os.path.join(directory, "board.bar")
    with subprocess.Popen([SIMULATOR, "--board", board, "--grid", "2x2", "--bar", bar, *options]) as simulator:
        try:
            return run_on("shm:" + bar, board, program, directory)
        finally:
            simulator.send_signal(signal.SIGTERM)


def main():
    for board, name in LIBRARIES.items():
        kernels = os.path.join(BUILD, "tests", "board_kernels", board)
        programs = {"moves": [os.path.join(BUILD, "tests", "moves"), kernels],
                    "matmul": [os.path.join(kernels, "matmul"), "64", "1"]}
        for what, program in programs.items():
            with folder() as directory:
                lines, zones = on_the_simulated_board(board, program, directory)
                print(f"{board}, {what}: {len(lines)} lines, {sum(zones.values())} zones")
                if what == "moves":
                    good = [line for line in lines if ": done at its place," in line and "inline 600d, clock 1" in line]
                    expect(len(good) == len(lines) == 20, "\n".join(lines))
                for seed in SEEDS:
                    other = on_the_simulated_board(board, program, directory, "--clock", "insn", "--reorder", seed)
                    expect(other == (lines, zones), "\n".join([f"{board}: {what} differs with --reorder {seed}", *lines, *other[0]]))
                path = find_library(name)
                if not path:
                    continue
                there, zones_there = run_on("ttsim:" + path, board, program, directory)
                expect(lines == there, "\n".join([f"{board}: {what} differs", *lines, "on ttsim:", *there]))
                expect(zones == zones_there, f"{board}: {what}: {set(zones.items()) ^ set(zones_there.items())}")
                print(f"{board}, {what}: the same on ttsim")


main()
