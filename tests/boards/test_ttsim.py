"""Chips of the vendor's simulator as boards: what is recorded is exact, and what goes wrong is one line.

TD_TTSIM_DIR is the folder of libttsim_wh.so, libttsim_bh.so and libttsim_bh_x2.so, which are not part of this tree.
A chip whose library is not there is left out, with a line.
"""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

from ttsim_libraries import LIBRARIES, find_library

sys.path.insert(0, os.path.join(os.environ["TD_SOURCE_DIR"], "tests"))
from unchanged import unchanged  # noqa: E402

BUILD = os.environ["TD_BINARY_DIR"]
TENDRIL = os.path.join(BUILD, "bin", "tendril")
LAUNCH = os.path.join(BUILD, "tests", "e2e", "launch")
EVERY_CORE = os.path.join(BUILD, "tests", "every_core")
GRIDS = {"wormhole": "8x10", "blackhole": "14x10"}
TURNS = 2000
ILLEGAL, HANG, LEAVE = 1, 2, 3  # tests/boards/kernels/ttsim_odd.c


def expect(condition, text):
    if not condition:
        print("FAILED:", text)
        sys.exit(1)


def run(*words, **more):
    return subprocess.run(words, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=500, check=False, **more)


def kernel(board, name="ttsim.BRISC"):
    return os.path.join(BUILD, "tests", "board_kernels", board, name + ".elf")


def odd(board, turns, what):
    return f"{os.path.join(BUILD, 'kernels', 'ttsim_odd.' + board + '.elf')}:{8 * turns + what}"


def zones_of(trace, name):
    """Count, and shortest and longest length, of the zones of a name."""
    table = [line.split(",") for line in run(TENDRIL, "csvexport", trace).stdout.splitlines()]
    columns = [table[0].index(word) for word in ("counts", "min_ns", "max_ns")]
    found = [[int(row[c]) for c in columns] for row in table[1:] if row[0] == name]
    return found[0] if found else [0, 0, 0]


def lost_in(trace):
    return int(facts_of(trace)["lost_zones"])


def facts_of(trace):
    return unchanged(json.loads(run(TENDRIL, "info", "--json", trace).stdout))


def record(at, trace, *words, **more):
    if os.path.exists(trace):
        os.unlink(trace)
    done = run(TENDRIL, "record", "--at", at, "-o", trace, *words, **more)
    if os.path.exists(trace):
        facts_of(trace)
    return done


class Sim:
    """The simulator as a process of its own, which several programs use."""

    def __init__(self, at, folder, *words):
        self.path = os.path.join(folder, "ttsim.sock")
        self.at = "unix:" + self.path
        self.process = subprocess.Popen([TENDRIL, "sim", "--at", at, "--grid", "2x1", "--socket", self.path, *words], text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        expect("tiles at unix:" in self.process.stdout.readline(), "tendril sim says where it is")

    def launch(self, *words):
        return run(LAUNCH, *words, env=dict(os.environ, TENDRIL_BOARD=self.at))

    def begin_launch(self, *words):
        return subprocess.Popen([LAUNCH, *words], stdout=subprocess.DEVNULL, env=dict(os.environ, TENDRIL_BOARD=self.at))

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        expect(self.process.wait(20) == 0 and not os.path.exists(self.path), "tendril sim ends when it is asked to")


def every_step_on_the_way_to_a_card_is_checked(board, at):
    done = run(TENDRIL, "boards", "--verbose", "--at", at, "-b", board)
    steps = [line.split()[:2] for line in done.stdout.splitlines()[1:]]
    names = [name for name, _ in steps]
    expect(names == ["open", "firmware", "clock", "harvesting", "windows", "reset", "memory", "ticks"], f"{board}: {done.stdout}")
    bad = [name for name, result in steps if result == "FAILED" or (result == "?" and name != "harvesting")]
    expect(not bad, f"{board}: {bad} in {done.stdout}")


def with_block_all_zones_have_their_exact_length(board, at, trace):
    for words in ([], ["-b", board], ["--drain", "poll"]):
        done = record(at, trace, "--policy", "block", *words, "--", LAUNCH, "BRISC", f"{kernel(board)}:{TURNS}")
        expect(done.returncode == 0 and "exit code 0" in done.stdout and "clock        virtual" in done.stdout, f"{board}: {done.stdout}")
        count, shortest, longest = zones_of(trace, "turn")
        expect(count == TURNS and 0 < shortest == longest, f"{board}: {count} turns of {shortest} to {longest} ns")
        expect("0 waits for room" in done.stdout, f"{board}: a core waited: {done.stdout}")


def in_real_time_nothing_is_lost_either(board, at, trace):
    done = record(at, trace, "--clock", "host", "--policy", "block", "--", LAUNCH, "BRISC", f"{kernel(board)}:{TURNS}")
    expect(done.returncode == 0 and "clock error" in done.stdout and zones_of(trace, "turn")[0] == TURNS, f"{board}: {done.stdout}")


def all_lanes_are_exact(board, at, trace):
    turns = 200
    done = record(at, trace, "--grid", GRIDS[board], "--", EVERY_CORE, os.path.dirname(kernel(board)), "ttsim", str(turns))
    width, height = (int(n) for n in GRIDS[board].split("x"))
    count = zones_of(trace, "turn")[0]
    expect(done.returncode == 0 and count == width * height * 5 * turns and lost_in(trace) == 0, f"{board}: {count} turns, {done.stdout}")


def what_arrives_and_what_is_lost_is_what_was_written(board, at, folder, trace):
    """Epochs in which rings fill."""
    sim = Sim(at, folder, "--epoch", "20000")
    lost = {}
    for policy in ("block", "drop", "overwrite"):
        done = record(sim.at, trace, "--policy", policy, "--", LAUNCH, "BRISC", f"{kernel(board)}:{10 * TURNS}")
        lost[policy] = lost_in(trace)
        count = zones_of(trace, "turn")[0] + zones_of(trace, "BRISC-KERNEL")[0]
        expect(done.returncode == 0 and count + lost[policy] == 10 * TURNS + 1, f"{board}, {policy}: {count} + {lost[policy]}: {done.stdout}")
    expect(lost["block"] == 0 and lost["drop"] and lost["overwrite"], f"{board}: {lost}")
    sim.stop()


def recorders_come_late_and_are_killed(board, at, folder, trace):
    sim = Sim(at, folder)
    program = sim.begin_launch("wait=2000", "BRISC", f"{kernel(board)}:1000000")
    late = os.path.join(folder, f"late.{board}.tracy")
    with subprocess.Popen([TENDRIL, "record", "--at", sim.at, "-o", late], stdout=subprocess.DEVNULL) as killed:
        time.sleep(1)
        killed.kill()
    program.wait()
    done = record(sim.at, trace, "--", LAUNCH, "BRISC", f"{kernel(board)}:{TURNS}")
    expect(done.returncode == 0 and zones_of(trace, "turn")[0] == TURNS, f"{board}: after a killed recorder: {done.stdout}")
    sim.stop()


def what_cores_do_is_seen_from_outside(board, at, folder):
    sim = Sim(at, folder)
    expect("opens: " + board in run(TENDRIL, "boards", "--at", sim.at).stdout, "boards opens it")
    sim.launch("wait=500", "BRISC", odd(board, 10, HANG))
    done = run(TENDRIL, "hang", "--at", sim.at, "--elf", os.path.join(BUILD, "kernels"))
    expect(done.returncode == 1 and "1 stuck" in done.stdout and "in odd" in done.stdout, done.stdout)
    done = run(TENDRIL, "top", "--at", sim.at, "--elf", os.path.join(BUILD, "kernels"), "-n", "1")
    expect(done.returncode == 0 and "odd" in done.stdout, done.stdout)
    sim.stop()


def a_hung_kernel_ends_no_recording(board, at, trace):
    done = record(at, trace, "--", LAUNCH, "wait=1000", "BRISC", odd(board, TURNS, HANG))
    expect(done.returncode == 0 and "never closed 1" in done.stdout and zones_of(trace, "turn")[0] == TURNS, done.stdout)
    done = record(at, trace, "--", LAUNCH, "BRISC", odd(board, TURNS, LEAVE))
    expect("exit code 3" in done.stdout and zones_of(trace, "turn")[0] == TURNS, done.stdout)


def an_error_of_the_library_is_one_line_and_data_are_kept(board, at, trace):
    done = record(at, trace, "--", LAUNCH, "BRISC", odd(board, 10 * TURNS, ILLEGAL))
    lines = [line for line in done.stdout.splitlines() if line.startswith("tendril record: ")]
    expect(done.returncode == 1 and len(lines) == 1 and "0xffe90000" in lines[0] and "drained before" in lines[0], done.stdout)
    count = zones_of(trace, "turn")[0]
    expect(count == 10 * TURNS, f"{board}: {count} turns are in the trace")


def what_cannot_be_is_refused(board, at, trace):
    other = "blackhole" if board == "wormhole" else "wormhole"
    for words, text in ((["-b", other], "which is no " + other), (["--sample-cores"], "no debug bus"), (["--grid", "20x1"], "larger"),
                        (["--clock", "insn", "--sample"], "real time")):
        done = record(at, trace, *words, "--", "true")
        expect(done.returncode != 0 and text in done.stdout and done.stdout.count("\n") == 1, f"{words}: {done.stdout}")
    for core, path, text in (("TRISC1", kernel(board, "counters"), "performance counters"),
                             ("BRISC", os.path.join(BUILD, "tests", "kernels", "e2e_stamps_stamped_BRISC.elf"), "timestamper")):
        done = record(at, trace, "--", LAUNCH, core, path)
        lines = [line for line in done.stdout.splitlines() if text in line]
        expect(done.returncode != 0 and len(lines) == 1 and "has ended" not in done.stdout, f"{path}: {done.stdout}")
    for where, text in ((at + ".none", "cannot open shared object"), ("ttsim:" + TENDRIL, "tendril"), ("ttsim:", "named with --at")):
        done = record(where, trace, "--", "true")
        expect(done.returncode != 0 and text in done.stdout and done.stdout.count("\n") == 1, f"{where}: {done.stdout}")


class OwnSim:
    """The simulator of this tree, as a board of this chip."""
    def __init__(self, board, bar):
        self.process = subprocess.Popen([TENDRIL, "sim", "--board", board, "--grid", "2x1", "--bar", bar, "--clock", "insn"])
        self.bar = bar

    def __enter__(self):
        for _ in range(200):
            if os.path.exists(self.bar):
                break
            time.sleep(0.1)

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


def the_same_images_do_the_same_on_the_simulator_of_this_tree(board, at, folder, trace):
    bar = os.path.join(folder, board + ".bar")
    launches = ["BRISC", f"{kernel(board)}:{TURNS}", odd(board, TURNS, LEAVE)]
    found = {}
    with OwnSim(board, bar):
        for where in (bar, at):
            done = record(where, trace, "--", LAUNCH, *launches)
            ended = [line.rsplit(": ", 1)[1] for line in done.stdout.splitlines() if "exit code" in line]
            found[where] = ended, zones_of(trace, "turn")[0], zones_of(trace, "odd")[0], zones_of(trace, "BRISC-KERNEL")[0]
    expect(found[bar] == found[at] and found[at][1] == TURNS and found[at][0][1] == "exit code 3", f"{board}: {found}")


def an_image_of_the_other_chip_is_refused(board, at, folder, trace):
    """On both simulators, when it is loaded. Its lanes are in the same place."""
    other = "blackhole" if board == "wormhole" else "wormhole"
    bar = os.path.join(folder, board + ".other.bar")
    with OwnSim(board, bar):
        for where in (bar, at):
            done = record(where, trace, "--", LAUNCH, "BRISC", kernel(other))
            lines = [line for line in done.stdout.splitlines() if f"was linked for tiles of {other.capitalize()}" in line]
            expect(done.returncode != 0 and len(lines) == 1 and "has ended" not in done.stdout, f"{board}: {done.stdout}")


def several_chips_are_one_board(trace):
    path = find_library("libttsim_bh_x2.so")
    if not path:
        return
    done = record("ttsim:" + path, trace, "--grid", "2x1", "--", EVERY_CORE, os.path.dirname(kernel("blackhole")), "ttsim", "100")
    expect(done.returncode == 0 and zones_of(trace, "turn")[0] == 2 * 2 * 5 * 100, done.stdout)


def main():
    with tempfile.TemporaryDirectory() as out:
        trace = os.path.join(out, "trace.tracy")
        for board, name in LIBRARIES.items():
            path = find_library(name)
            if not path:
                continue
            at = "ttsim:" + path
            every_step_on_the_way_to_a_card_is_checked(board, at)
            with_block_all_zones_have_their_exact_length(board, at, trace)
            in_real_time_nothing_is_lost_either(board, at, trace)
            all_lanes_are_exact(board, at, trace)
            what_arrives_and_what_is_lost_is_what_was_written(board, at, out, trace)
            recorders_come_late_and_are_killed(board, at, out, trace)
            what_cores_do_is_seen_from_outside(board, at, out)
            a_hung_kernel_ends_no_recording(board, at, trace)
            an_error_of_the_library_is_one_line_and_data_are_kept(board, at, trace)
            what_cannot_be_is_refused(board, at, trace)
            the_same_images_do_the_same_on_the_simulator_of_this_tree(board, at, out, trace)
            an_image_of_the_other_chip_is_refused(board, at, out, trace)
            print(f"{board}: exact")
        several_chips_are_one_board(trace)


main()
