"""A chip that another process holds and serves at a socket, as tt-umd does: on the simulated board, and on the vendor's
simulator of both chips where TD_TTSIM_DIR has it. Kernels are recorded through the socket without loss, by several clients
at once; a server that vanishes or lies gives one line, and what was drained before is in the trace."""
import os
import shutil
import signal
import sys

sys.path.insert(0, os.path.join(os.environ["TD_SOURCE_DIR"], "tests", "e2e"))
from boards import Board, Process, Recording, one_error, wait_for
from kit import BUILD, TENDRIL, THOROUGH, csvexport, expect, folder, info, run
from ttsim_libraries import LIBRARIES, find_library

# The server runs from another folder than the build's.
os.environ["TENDRIL_BOARDS"] = os.path.join(BUILD, "share", "tendril", "boards")
SERVER = os.path.join(BUILD, "tests", "umd_server")
HOLDER = os.path.join(BUILD, "bin", "ttsim_board") # which a program that opens a chip of ttsim has next to it
LAUNCH = os.path.join(BUILD, "tests", "e2e", "launch")
ARCHS = {"wormhole": 2, "blackhole": 3}
SIMULATED = "tensix=0x2000", "translation=0" # as tensix_sim's description
TURNS = 2000


class Server(Process):
    def __init__(self, directory, where, board, *options):
        self.socket = os.path.join(directory, "tt-umd-sim-0.sock")
        program = os.path.join(directory, "umd_server")
        if not os.path.exists(program):
            shutil.copy(SERVER, program)
            os.symlink(HOLDER, os.path.join(directory, "ttsim_board"))
        super().__init__([program, where, board, self.socket, *options])
        expect(self.child.stdout.readline() == "ready\n", f"the server is ready: {where} {options}")


def kernel(board):
    return os.path.join(BUILD, "tests", "board_kernels", board, "ttsim.BRISC.elf")


def turns(trace):
    return sum(int(row["counts"]) for row in csvexport(trace) if row["name"] == "turn")


def nothing_is_lost(directory, where, board, grid, *says):
    trace = os.path.join(directory, board + ".tracy")
    with Server(directory, where, "" if board == "tensix_sim" else board, *says) as server:
        with Recording("umd:" + server.socket, trace, [LAUNCH, "BRISC", f"{kernel(board)}:{TURNS}"], "-b", board, "--grid", grid,
                       "--policy", "block") as recording:
            code, stderr = recording.end()
            expect(code == 0, f"{board}: {stderr}")
        expect(turns(trace) == TURNS, f"{board}: {turns(trace)} turns")
        facts = info(trace)
        expect(facts["lost_zones"] == 0 and facts["messages"] == 1, f"{board}: {facts['lost_zones']} lost")
    print(f"{board}: {TURNS} zones, none lost")


def a_folder_of_sockets_is_a_place(directory, bar):
    with Server(directory, bar, "", *SIMULATED):
        done = run([TENDRIL, "boards", "--verbose", "--at", "umd:" + directory, "-b", "tensix_sim"], check=False)
        expect("open         ok" in done.stdout, done.stdout + done.stderr)


def another_chip_is_refused(directory, bar):
    for says, words in ((("arch=2", *SIMULATED), "which is no tensix_sim"), (("tensix=1", "translation=0"), "harvest_mask=0x2000")):
        with Server(directory, bar, "", *says) as server:
            with Recording("umd:" + server.socket, os.path.join(directory, "no.tracy"), ["true"], "-b", "tensix_sim") as recording:
                one_error(recording.end(), words)


def a_server_that_lies_is_one_line(directory, bar):
    says = {"vanish": "has ended", "silent": "does not answer", "junk": "what is no answer", "long": "longer than what was asked",
            "short": "another number of bytes", "failed": "refuses to", "empty": "what is no answer"}
    for after in (30, 3000):
        for what, words in says.items():
            if what == "silent" or (after == 30 and what not in ("vanish", "long") and not THOROUGH):
                continue
            trace = os.path.join(directory, f"{what}.{after}.tracy")
            with Server(directory, bar, "", *SIMULATED, f"after={after}", f"what={what}") as server:
                with Recording("umd:" + server.socket, trace, [LAUNCH, "BRISC", "stay=60000", f"{kernel('tensix_sim')}:10000000"],
                               "-b", "tensix_sim", "--policy", "drop") as recording:
                    one_error(recording.end(), words)
            if after == 3000:
                expect(turns(trace) > 0, f"{what}: what was drained before is kept")
    with Server(directory, bar, "", *SIMULATED, "after=0", "what=silent") as server:
        with Recording("umd:" + server.socket, os.path.join(directory, "no.tracy"), ["true"], "-b", "tensix_sim") as recording:
            one_error(recording.end(), says["silent"])
    with Recording("umd:" + directory + "/none", os.path.join(directory, "no.tracy"), ["true"], "-b", "tensix_sim") as recording:
        one_error(recording.end(), "no simulated chip is served at umd:")


def a_killed_recorder_leaves_no_armed_lane(directory, board):
    with Server(directory, board.path, "", *SIMULATED) as server:
        with Recording("umd:" + server.socket, os.path.join(directory, "killed.tracy"), ["sleep", "100"], "-b", "tensix_sim") as recording:
            wait_for(board.is_armed, "armed lanes")
            recording.signal(signal.SIGKILL)
            recording.end()
        wait_for(board.is_disarmed, "disarmed lanes")


def main():
    with folder() as directory:
        with Board(directory, "-b", "tensix_sim") as board:
            nothing_is_lost(directory, board.path, "tensix_sim", "2x2", *SIMULATED)
            a_folder_of_sockets_is_a_place(directory, board.path)
            another_chip_is_refused(directory, board.path)
            a_killed_recorder_leaves_no_armed_lane(directory, board)
            a_server_that_lies_is_one_line(directory, board.path)
        for chip, arch in ARCHS.items():
            path = find_library(LIBRARIES[chip])
            if not path:
                continue
            nothing_is_lost(directory, "ttsim:" + path, chip, "2x1", f"arch={arch}", "translation=0")
            nothing_is_lost(directory, "ttsim:" + path, chip, "7x1", f"arch={arch}", "tensix=0x3")


main()
