"""Kernels in a firmware that is not Tendril's, recorded: each core has exactly what its kernels wrote, however they were compiled
and linked, under each policy, and whenever the recorder comes and goes."""
import os
import signal
import sys
import time

sys.path.insert(0, os.path.join(os.environ["TD_SOURCE_DIR"], "tests", "e2e"))
from boards import Board, Recording, wait_for
from kit import BUILD, SOURCE, TENDRIL, csvexport, expect, folder, info, record, run

FOLDER = os.path.join(BUILD, "tests", "firmware")
BOARD = os.path.join(SOURCE, "tests", "firmware", "firmware.board")
CORES = ["BRISC", "NCRISC", "TRISC0", "TRISC1", "TRISC2"]
VARIANTS = {"small": "firmware", "whole": "firmware", "tiny": "firmware", "tp": "free"}
COUNTERS = {"small": 3, "whole": 8} # of performance, on TRISC1
ALL = 300000 # loops that take several seconds, also while the recorder starts on a busy machine


def host(variant, count, *kernels):
    return [os.path.join(FOLDER, "host"), FOLDER, VARIANTS[variant], variant, str(count), *kernels]


def elfs(variant):
    return "--elf", os.path.join(FOLDER, variant)


def kernel_zone(core):
    return core.rstrip("012") + "-KERNEL"


def names_of(track):
    """Counts of the zones of a track by name; those of a function template have another name without debug information."""
    counts = {}
    for name in track["names"]:
        key = "twice" if "twice" in name["name"] else name["name"]
        counts[key] = counts.get(key, 0) + name["count"] + name["open"]
    return counts


def tracks_of(facts):
    tracks = sorted((t for t in facts["tracks"] if t["kind"] == "core"), key=lambda t: t["core"])
    expect([t["name"] for t in tracks] == [f"chip 0 tile 0,0 {core}" for core in CORES], f"tracks: {tracks}")
    return zip(CORES, tracks)


def exact(directory, variant):
    """Two images, called one after the other by the firmware, again and again."""
    count, trace = 40, os.path.join(directory, variant + ".tracy")
    record(trace, host(variant, count, "markers", "loops", "markers", "loops", "loops"), "-b", BOARD, *elfs(variant))
    facts = info(trace)
    for core, track in tracks_of(facts):
        wanted = {kernel_zone(core): 5, "tile": 2 * count, "wait for a page": 2 * count, "twice": 2 * count, "span": 2,
                  "outer": 3 * count, "inner": 3 * count, "odd": 3 * count // 2}
        counts = names_of(track)
        counts.pop("TENDRIL-STALL", None)
        expect(counts == wanted, f"{variant}, {core}: {counts}, not {wanted}")
        # `TD_LOG` and a value in each loop, a sum and two events at the end; one message of each run of `loops`; counters.
        counters = COUNTERS.get(variant, 0) if core == "TRISC1" else 0
        expect(track["messages"] == 2 * (2 * count + 3 + counters) + 3, f"{variant}, {core}: {track['messages']} messages")
    expect(facts["lost_zones"] == 0 and facts["lost_other"] == 0, "nothing is lost")
    counted = sum("counter SFPU_COUNTER: " in row["MessageName"] for row in csvexport(trace, "-m"))
    expect(counted == (2 if variant in COUNTERS else 0), f"{variant}: {counted} messages of a performance counter")
    points = sorted((p["name"].split(" ")[0], p["points"]) for p in facts["plots"])
    expect(points == [("depth", 2 * count)] * 5 + [("load", 2 * count)] * 5, f"plots: {points}")
    return trace


def texts(trace):
    """What the host makes of arguments: it finds the strings in the right image."""
    messages = [row["MessageName"] for row in csvexport(trace, "-m")]
    expect(messages.count("tile 39 of 40") == 10 and messages.count("40 loops in loops.c") == 15, "formatted messages")
    dumped = run([os.path.join(BUILD, "tests", "trace_dump"), trace]).stdout
    expect(dumped.count("page 39 of input") >= 10, "formatted texts")
    expect(dumped.count("flow out page #39") >= 10 and dumped.count("flow in page #39") >= 10, "flows")


def policies(directory):
    """What arrived and what was lost are what was written, when the recorder is late, too."""
    count, trace = 1500, os.path.join(directory, "policy.tracy")
    zones = 2 * (1 + count * 5 // 2) + 1 + 3 * count + 1
    for policy in ("drop", "overwrite"):
        with Board(directory, "-b", BOARD) as board:
            with Recording(board.path, trace, host("small", count, "loops", "markers", "loops"), "--policy", policy,
                           *elfs("small")) as recording:
                wait_for(board.is_armed, "armed lanes")
                recording.signal(signal.SIGSTOP)
                time.sleep(0.3)
                recording.signal(signal.SIGCONT)
                code, stderr = recording.end()
        expect(code == 0, f"{policy}: {stderr}")
        facts = info(trace)
        arrived = sum(sum(n["count"] for n in t["names"] if not n["name"].startswith("TENDRIL")) for t in facts["tracks"])
        expect(facts["lost_zones"] > 0, f"{policy}: zones were lost")
        expect(arrived + facts["lost_zones"] == 5 * zones,
               f"{policy}: {arrived} zones arrived and {facts['lost_zones']} were lost, of {5 * zones}")


def run_on(board, variant, count, *kernels):
    return run(host(variant, count, *kernels), env={"TENDRIL_BOARD": board.path}, timeout=100)


def comes_and_goes(directory):
    """Kernels run without lanes, are recorded from the middle, go on when the recorder has left or was killed, and when
    another one comes."""
    trace = os.path.join(directory, "late.tracy")
    with Board(directory, "-b", BOARD) as board:
        run_on(board, "whole", 1000, "loops", "markers")
        expect(not any(board.words(9)), "no lane was touched")
        for end in (signal.SIGINT, signal.SIGKILL):
            with Busy(board) as busy:
                with Recording(board.path, trace, ["sleep", "100"], *elfs("whole")) as recording:
                    wait_for(lambda: min(board.words(0)[:5]) > 3000, "drained lanes")
                    expect(busy.child.poll() is None, "the kernel still runs")
                    recording.signal(end)
                    recording.end()
                if end == signal.SIGINT:
                    late(trace)
                    os.remove(trace)
                wait_for(board.is_disarmed, "disarmed lanes")
                expect(busy.end(100) == (0, ""), "the kernels end without a recorder")
        record_next(board, os.path.join(directory, "next.tracy"))


class Busy(Recording):
    """The firmware runs a kernel for seconds, without a recorder."""

    def __init__(self, board):
        os.environ["TENDRIL_BOARD"] = board.path
        super(Recording, self).__init__(host("whole", ALL, "loops"))
        del os.environ["TENDRIL_BOARD"]


def late(trace):
    """From the middle of the kernel: loops in their order, none missing."""
    facts = info(trace)
    expect(facts["lost_zones"] == 0, "no zone is lost")
    for core, track in tracks_of(facts):
        counts = names_of(track)
        expect(1000 < counts["outer"] < ALL, f"{core}: {counts}")
        expect(abs(counts["inner"] - counts["outer"]) <= 1 and abs(2 * counts["odd"] - counts["outer"]) <= 2, f"{core}: {counts}")


def record_next(board, trace):
    with Recording(board.path, trace, host("tiny", 10, "loops"), *elfs("tiny")) as recording:
        code, stderr = recording.end()
    expect(code == 0, f"the next recording works: {stderr}")
    for core, track in tracks_of(info(trace)):
        expect(names_of(track) == {kernel_zone(core): 1, "outer": 10, "inner": 10, "odd": 5}, f"{core}: {names_of(track)}")


def main():
    with folder() as directory:
        for variant in VARIANTS:
            trace = exact(directory, variant)
        texts(trace)
        policies(directory)
        comes_and_goes(directory)


main()
