"""Both chips of the vendor's simulator as boards: the steps of `boards --verbose`, and recordings that lose nothing.

TD_TTSIM_DIR is the folder of libttsim_wh.so and libttsim_bh.so, which are not part of this tree.
"""
import json
import os
import subprocess
import sys
import tempfile

BUILD = os.environ["TD_BINARY_DIR"]
TENDRIL = os.path.join(BUILD, "bin", "tendril")
LAUNCH = os.path.join(BUILD, "tests", "e2e", "launch")
LIBRARIES = {"wormhole": "libttsim_wh.so", "blackhole": "libttsim_bh.so"}
TURNS = 2000


def expect(condition, text):
    if not condition:
        print("FAILED:", text)
        sys.exit(1)


def run(*words, **more):
    return subprocess.run(words, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=500, check=False, **more)


def every_step_on_the_way_to_a_card_is_checked(board, at):
    done = run(TENDRIL, "boards", "--verbose", "--at", at, "-b", board)
    steps = [line.split()[:2] for line in done.stdout.splitlines()[1:]]
    names = [name for name, _ in steps]
    expect(names == ["open", "firmware", "clock", "harvesting", "windows", "reset", "memory", "ticks"], f"{board}: {done.stdout}")
    bad = [name for name, result in steps if result == "FAILED" or (result == "?" and name != "harvesting")]
    expect(not bad, f"{board}: {bad} in {done.stdout}")


def nothing_is_lost(board, at, folder):
    trace = os.path.join(folder, board + ".tracy")
    kernel = os.path.join(BUILD, "kernels", f"ttsim.{board}.elf")
    done = run(TENDRIL, "record", "-b", board, "--at", at, "--grid", "2x1", "--policy", "block", "-o", trace, "--", LAUNCH, "BRISC",
               f"{kernel}:{TURNS}")
    expect(done.returncode == 0 and "exit code 0" in done.stdout, f"{board}: {done.stdout}")
    found = json.loads(run(TENDRIL, "info", "--json", trace).stdout)
    csv = [line.split(",") for line in run(TENDRIL, "csvexport", trace).stdout.splitlines()]
    turns = [int(row[csv[0].index("counts")]) for row in csv[1:] if row[0] == "turn"]
    expect(turns == [TURNS] and found["messages"] == 1, f"{board}: {turns} turns, {found['messages']} messages")
    print(f"{board}: {turns[0]} zones, none lost")


def an_error_of_the_library_is_one_line(at):
    """A chip of another kind: the windows of the description are none of its own."""
    done = run(TENDRIL, "boards", "--verbose", "--at", at + ".none", "-b", "wormhole")
    expect("open         FAILED" in done.stdout and "cannot open shared object" in done.stdout, done.stdout)


def main():
    folder = os.environ.get("TD_TTSIM_DIR", "")
    with tempfile.TemporaryDirectory() as out:
        for board, name in LIBRARIES.items():
            path = os.path.join(folder, name)
            if not folder or not os.path.exists(path):
                print(f"not run: TD_TTSIM_DIR names no folder with {name}")
                continue
            at = "ttsim:" + path
            every_step_on_the_way_to_a_card_is_checked(board, at)
            nothing_is_lost(board, at, out)
            an_error_of_the_library_is_one_line(at)


main()
