"""Kernels linked for cards do the same on the simulated board, also when it reorders what may be reordered, and, where TD_TTSIM_DIR
has it, on the vendor's simulator: the same files, the same results, the same zones and NoC counters."""
import collections
import glob
import json
import os
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TD_SOURCE_DIR"], "tests", "e2e"))
from kit import BUILD, TENDRIL, THOROUGH, expect, folder, info, record, run  # noqa: E402
from ttsim_libraries import LIBRARIES, find_library  # noqa: E402

SEEDS = ["1", "2"] if THOROUGH else ["1"]
TRAFFIC_BYTES = 2 * 3 * (4 * (2048 + 1024) + 256)  # launches, rounds, tiles, the corner
SIMULATOR = os.path.join(BUILD, "bin", "tensix_sim")


def zones_of(trace):
    facts = info(trace)
    expect(not facts["faults"] and facts["lost_zones"] == 0, f"{facts['faults']}, {facts['lost_zones']} lost")
    counts = {}
    for track in facts["tracks"]:
        for name in track.get("names", []) if track["kind"] == "core" else []:
            key = (track["name"], name["name"])
            counts[key] = counts.get(key, 0) + name["count"]
    return {key: count for key, count in counts.items() if key[1] not in ("meet", "TENDRIL-STALL")}


def transfers_of(trace, directory):
    """How many bytes each tile has moved from or to which place, by kind."""
    run([TENDRIL, "report", "-o", directory, trace])
    counts = collections.Counter()
    for path in glob.glob(os.path.join(directory, ".logs", "noc_trace_*.json")):
        with open(path, encoding="utf-8") as f:
            for e in json.load(f):
                if "num_bytes" in e:
                    counts[tuple(e.get(key) for key in ("type", "sx", "sy", "dx", "dy", "proc"))] += e["num_bytes"]
    return counts


def run_on(at, board, program, directory):
    """What the program prints, how many zones of each name each core has, and what the tiles of `traffic` have moved."""
    trace = os.path.join(directory, "t.tracy")
    options = ["-b", board, "--grid", "2x2"] if at.startswith("ttsim:") else []
    done = record(trace, program, "--at", at, "--policy", "block", *options, timeout=550,
                  env={"TD_KERNELS": os.path.join(BUILD, "tests", "board_kernels", board)})
    lines = [line for line in done.stdout.splitlines() if line.startswith(("moves ", "matmul: ", "traffic ", "[       OK ]"))]
    return lines, zones_of(trace), transfers_of(trace, directory) if "traffic" in program[0] else None


def on_the_simulated_board(board, program, directory, *options):
    bar = os.path.join(directory, "board.bar")
    with subprocess.Popen([SIMULATOR, "--board", board, "--grid", "2x2", "--bar", bar, *options]) as simulator:
        try:
            return run_on("shm:" + bar, board, program, directory)
        finally:
            simulator.send_signal(signal.SIGTERM)


def mutexes_of_the_tensix_unit(board, library, directory):
    """They work where there is such a unit; on the simulated board the core stops, and a line says where."""
    launch, trace = os.path.join(BUILD, "tests", "e2e", "launch"), os.path.join(directory, "t.tracy")
    for kernel, fault in (("mutex", "illegal instruction"), ("mutex_pushed", "write to an address that does not exist")):
        program = [launch, "TRISC0", os.path.join(BUILD, "tests", "board_kernels", board, kernel + ".elf:1")]
        bar = os.path.join(directory, "board.bar")
        with subprocess.Popen([SIMULATOR, "--board", board, "--grid", "1x1", "--bar", bar]) as simulator:
            done = record(trace, program, "--at", "shm:" + bar, check=False)
            simulator.send_signal(signal.SIGTERM)
        expect(f"TRISC0 of tile 0,0 on chip 0 stopped: {fault}" in done.stdout + done.stderr, f"{board}: {done.stdout}{done.stderr}")
        if library:
            done = record(trace, program, "--at", "ttsim:" + library, "--grid", "1x1")
            expect("exit code 0" in done.stdout and zones_of(trace).get(("chip 0 tile 0,0 TRISC0", "mutex")) == 1,
                   f"{board}: {done.stdout}{done.stderr}{zones_of(trace)}")


def main():
    for board, name in LIBRARIES.items():
        with folder() as directory:
            mutexes_of_the_tensix_unit(board, find_library(name), directory)
        kernels = os.path.join(BUILD, "tests", "board_kernels", board)
        programs = {"moves": [os.path.join(BUILD, "tests", "moves"), kernels],
                    "matmul": [os.path.join(kernels, "matmul"), "64", "1"],
                    "traffic": [os.path.join(BUILD, "tests", "e2e", "traffic"), os.path.join(kernels, "traffic.elf"), "3"],
                    "kernels of tt-metal": [os.path.join(BUILD, "tests", "test_kernel_env")]}
        for what, program in programs.items():
            with folder() as directory:
                lines, zones, moved = on_the_simulated_board(board, program, directory)
                print(f"{board}, {what}: {len(lines)} lines, {sum(zones.values())} zones")
                expect(lines and sum(zones.values()) > 0, "\n".join(["no results", *lines]))
                expect(moved is None or sum(moved.values()) == TRAFFIC_BYTES, f"{moved}")
                if what == "moves":
                    good = [line for line in lines if ": done at its place," in line and "inline 600d, clock 1" in line]
                    expect(len(good) == len(lines) == 20, "\n".join(lines))
                for seed in SEEDS:
                    other = on_the_simulated_board(board, program, directory, "--clock", "insn", "--reorder", seed)
                    expect(other == (lines, zones, moved), "\n".join([f"{board}: {what} differs with --reorder {seed}", *lines, *other[0],
                                                                      f"{set(zones.items()) ^ set(other[1].items())}"]))
                path = find_library(name)
                if not path:
                    continue
                there, zones_there, moved_there = run_on("ttsim:" + path, board, program, directory)
                expect(lines == there, "\n".join([f"{board}: {what} differs", *lines, "on ttsim:", *there]))
                expect(zones == zones_there, f"{board}: {what}: {set(zones.items()) ^ set(zones_there.items())}")
                expect(moved == moved_there, f"{board}: {what}: {moved} on ttsim {moved_there}")
                print(f"{board}, {what}: the same on ttsim")


main()
