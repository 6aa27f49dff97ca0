"""Relays on tiles of a card that the grid leaves out: they gather all zones, on the simulated board and, where TD_TTSIM_DIR has it, on
the vendor's simulator."""
import os
import signal
import subprocess
import sys

for where in ("e2e", "boards"):
    sys.path.insert(0, os.path.join(os.environ["TD_SOURCE_DIR"], "tests", where))
from kit import BUILD, csvexport, expect, folder, info, record  # noqa: E402
from ttsim_libraries import LIBRARIES, find_library  # noqa: E402

PLACES = {"wormhole": "9,11 6,7", "blackhole": "16,11 10,3"}
SIMULATOR = os.path.join(BUILD, "bin", "tensix_sim")
TURNS, CORES = 500, 20


def described(card, positions, directory):
    path = os.path.join(directory, f"spare-{card}.board")
    with open(path, "w", encoding="utf-8") as board:
        board.write(f"[board]\nbase={card}\nname=spare-{card}\n[relay]\npositions={positions}\ncore=BRISC\nfirmware={card}\n")
    return path


def check(where, card, directory, *options):
    trace = os.path.join(directory, "t.tracy")
    program = [os.path.join(BUILD, "tests", "every_core"), os.path.join(BUILD, "tests", "board_kernels", card), "ttsim", str(TURNS)]
    for policy in ("block", "drop"):
        done = record(trace, program, "--at", where, "--drain", "relay", "--policy", policy, "--debug", "relay", *options)
        gathers = [line for line in done.stderr.splitlines() if "gathers 10 lanes" in line]
        expect(len(gathers) == 2, f"{card}: two relays gather ten lanes each: {done.stderr}")
        turns = sum(int(row["counts"]) for row in csvexport(trace) if row["name"] == "turn")
        lost = info(trace)["lost_zones"]
        expect(turns + lost == TURNS * CORES and (lost == 0 or policy == "drop"), f"{card}, {policy}: {turns} turns, {lost} lost")
        print(f"{card} at {where.split(':')[0]}, {policy}: {turns} zones, {lost} lost")


def on_the_simulated_board(card, path, directory):
    bar = os.path.join(directory, "board.bar")
    with subprocess.Popen([SIMULATOR, "--board", path, "--grid", "2x2", "--bar", bar]) as simulator:
        try:
            check("shm:" + bar, card, directory)
        finally:
            simulator.send_signal(signal.SIGTERM)


def main():
    for card, positions in PLACES.items():
        with folder() as directory:
            path = described(card, positions, directory)
            on_the_simulated_board(card, path, directory)
            library = find_library(LIBRARIES[card])
            if library:
                check("ttsim:" + library, card, directory, "-b", path, "--grid", "2x2")


main()
