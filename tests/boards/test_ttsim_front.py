"""A program that loads libtendril-ttsim.so in place of the vendor's simulator, and knows nothing of recorders: a recorder attaches
to it and gets all zones, up to the last, and the program's windows stay as they were. Needs TD_TTSIM_DIR."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TD_SOURCE_DIR"], "tests", "e2e"))
from kit import BUILD, TENDRIL, csvexport, expect, folder, info
from ttsim_libraries import LIBRARIES, find_library

FRONT = os.path.join(BUILD, "lib", "libtendril-ttsim.so")
PROGRAM = os.path.join(BUILD, "tests", "ttsim_program")
TURNS = 20000


def start(library, board, where):
    kernel = os.path.join(BUILD, "tests", "board_kernels", board, "ttsim.BRISC.elf")
    program = subprocess.Popen([PROGRAM, FRONT, board, kernel, str(TURNS)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True,
                               env=dict(os.environ, TENDRIL_TTSIM=library, TENDRIL_TTSIM_SOCKET=where))
    while program.stdout.readline() != "ready\n":
        expect(program.poll() is None, "the program has loaded the library")
    return program


def all_zones_arrive(library, board, directory):
    where, trace = os.path.join(directory, "chip.sock"), os.path.join(directory, board + ".tracy")
    program = start(library, board, where)
    recorder = subprocess.Popen([TENDRIL, "record", "-q", "--at", "umd:" + where, "-b", board, "--grid", "1x1", "--policy", "block",
                                 "--debug", "drain", "--elf", os.path.join(BUILD, "tests", "board_kernels", board), "-o", trace],
                                stderr=subprocess.PIPE, text=True)
    for line in recorder.stderr: # its lanes are armed
        if " slots, policy " in line:
            break
    program.stdin.write("go\n")
    program.stdin.flush()
    _, errors = program.communicate(timeout=400)
    _, rest = recorder.communicate(timeout=100)
    expect(program.returncode == 0, f"{board}: {errors}")
    expect(recorder.returncode == 0, f"{board}: the recording ends with the program: {rest}")
    turns = sum(int(row["counts"]) for row in csvexport(trace) if row["name"] == "turn")
    facts = info(trace)
    expect(turns == TURNS and facts["messages"] == 1 and facts["lost_zones"] == 0, f"{board}: {turns} turns, {facts['lost_zones']} lost")
    expect(not os.path.exists(where), "the socket is gone")
    print(f"{board}: {turns} zones, none lost")


def without_a_recorder_the_program_runs(library, board, directory):
    program = start(library, board, os.path.join(directory, "chip.sock"))
    _, errors = program.communicate("go\n", timeout=400)
    expect(program.returncode == 0, f"{board}: {errors}")


def a_file_at_the_sockets_place_is_kept(library, board, directory):
    where = os.path.join(directory, "notes.txt")
    with open(where, "w", encoding="utf-8") as notes:
        notes.write("mine")
    program = start(library, board, where)
    _, errors = program.communicate("go\n", timeout=400)
    expect(program.returncode == 0 and "nothing can be recorded at " + where in errors, f"{board}: {errors}")
    with open(where, encoding="utf-8") as notes:
        expect(notes.read() == "mine", "the file is as it was")


def a_wrong_library_is_one_line(directory):
    for library, words in (("", "TENDRIL_TTSIM does not name"), ("/nowhere.so", "nowhere.so"), (FRONT.replace("ttsim", "nothing"), "nothing")):
        done = subprocess.run([PROGRAM, FRONT, "wormhole", "none", "0"], env=dict(os.environ, TENDRIL_TTSIM=library), text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=100, check=False)
        expect(done.returncode != 0 and words in done.stderr and len(done.stderr.splitlines()) == 1, f"{library}: {done.stderr}")


def main():
    with folder() as directory:
        a_wrong_library_is_one_line(directory)
        for board, name in LIBRARIES.items():
            library = find_library(name)
            if not library:
                continue
            all_zones_arrive(library, board, directory)
            without_a_recorder_the_program_runs(library, board, directory)
            a_file_at_the_sockets_place_is_kept(library, board, directory)


main()
