"""A recording attached to a board. When the board, the probe or the agent fails, the trace has what was drained, one line
gives the reason, no core stays blocked, and the next recording works."""
import os
import signal
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from boards import Board, Probe, Recording, one_error, wait_for
from kit import TENDRIL, example, expect, folder, info, run

BUSY = ["/bin/sh", "-c", f"{example('matmul')} 64 2 >&2 && exec sleep 200 > /dev/null 2>&1"]
SHORT = [example("matmul"), "64", "2"]
ZONES = 1352


def started(board):
    """Waits until the kernels have run twice and the lanes are drained, then for two heartbeats of the agent: a probe sends
    what it has drained before it passes a heartbeat on."""
    wait_for(board.is_armed, "armed lanes")
    wait_for(lambda: set(board.words(13)) == {2} and board.words(0) == board.words(8), "drained lanes")
    for _ in range(2):
        beat = board.beat()
        wait_for(lambda beat=beat: board.beat() != beat, "the agent's beat")


def zones_in(trace):
    """The number of zones of cores, without those that report waits for room."""
    facts = info(trace)
    made = sum(n["count"] + n["open"] for n in facts["names"] if n["lost"])
    return sum(t["zones"] for t in facts["tracks"] if t["kind"] == "core") - made


def works(where, trace):
    """Records a short program; all its zones must be in the trace."""
    with Recording(where, trace, SHORT) as recording:
        code, stderr = recording.end()
    expect(code == 0, f"the next recording works: {stderr}")
    zones = zones_in(trace)
    expect(zones == ZONES, f"{zones} zones, not {ZONES}")


def kept(trace):
    zones = zones_in(trace)
    expect(zones == ZONES, f"{zones} of {ZONES} zones were kept")


def two_agents(directory, trace):
    with Board(directory) as board, Recording(board.path, trace, BUSY) as first:
        started(board)
        with Recording(board.path, trace + "2", SHORT) as second:
            one_error(second.end(), "another agent")
        expect(first.child.poll() is None and board.is_armed(), "the first one goes on")
        first.signal(signal.SIGINT)
        one_error(first.end(), "stopped by the user")
        kept(trace)
        expect(board.is_free(), "nobody drains any more")
        works(board.path, trace)


def killed_agent(directory, trace, through_probe):
    with Board(directory) as board, Probe(board, "tcp:0") as probe:
        where = probe.where if through_probe else board.path
        with Recording(where, trace, BUSY) as recording:
            started(board)
            recording.signal(signal.SIGKILL)
            recording.end()
            os.remove(trace + ".journal")
        wait_for(board.is_disarmed, "lanes are disarmed")
        works(where, trace)


def stopped_agent(directory, trace):
    with Board(directory) as board, Recording(board.path, trace, BUSY) as recording:
        started(board)
        recording.signal(signal.SIGSTOP)
        time.sleep(1)
        recording.signal(signal.SIGCONT)
        time.sleep(0.5)
        expect(recording.child.poll() is None and board.is_armed(), "it goes on")
        # It is stopped until it counts as dead; when it continues, another agent has the board.
        recording.signal(signal.SIGSTOP)
        works(board.path, trace + "2")
        recording.signal(signal.SIGCONT)
        one_error(recording.end(), "another agent", "another process disarmed")
        kept(trace)
        works(board.path, trace)


def board_dies(directory, trace, through_probe):
    with Board(directory) as board, Probe(board, "unix:" + os.path.join(directory, "probe")) as probe:
        where = probe.where if through_probe else board.path
        with Recording(where, trace, BUSY) as recording:
            started(board)
            board.signal(signal.SIGKILL)
            one_error(recording.end(), "simulated board")
        kept(trace)
    with Board(directory) as board:
        works(board.path, trace)


def probe_dies(directory, trace):
    with Board(directory) as board:
        with Probe(board, "tcp:0") as probe, Recording(probe.where, trace, BUSY) as recording:
            started(board)
            probe.signal(signal.SIGKILL)
            one_error(recording.end(), "probe", "hung up", "gone")
        kept(trace)
        with Probe(board, "tcp:0") as probe:
            works(probe.where, trace)


def memory_changes(directory, trace, through_probe, byte, *words):
    """The board is reset (byte 0), or answers with ones only (0xff)."""
    with Board(directory) as board, Probe(board, "tcp:0") as probe:
        where = probe.where if through_probe else board.path
        with Recording(where, trace, BUSY) as recording:
            started(board)
            board.fill(byte)
            one_error(recording.end(), *words)
        kept(trace)
        if byte:
            with Recording(where, trace, SHORT) as recording:
                one_error(recording.end(), *words)
            board.fill(0)
        works(where, trace)


def no_board(directory, trace):
    for where, word in ((os.path.join(directory, "none.bar"), "does not exist"), ("unix:" + directory + "/none", "none"),
                        ("tcp:127.0.0.1:1", "127.0.0.1"), ("serial:" + directory + "/tty", "tty"),
                        ("pci:0000:ff:1f.7", "ff:1f.7")):
        with Recording(where, trace, ["/bin/true"]) as recording:
            one_error(recording.end(), word)


def no_hardware():
    done = run([TENDRIL, "record", "-b", "wormhole", "--", "/bin/true"], check=False)
    one_error((done.returncode, done.stderr), "no wormhole is found", "cannot be opened")


def wrong_wishes(directory, trace):
    with Board(directory) as board:
        for options, word in ((["--grid", "1x1"], "--grid"), (["--clock", "insn"], "real time"),
                              (["--drift-ppm", "5"], "clock"), (["-b", "tensix_sim_n150"], "is tensix_sim, not")):
            with Recording(board.path, trace, ["/bin/true"], *options) as recording:
                one_error(recording.end(), word)
            expect(board.is_free(), "nothing was armed")


def in_a_folder(case, *args):
    with folder() as directory:
        case(directory, os.path.join(directory, "t.tracy"), *args)


def main():
    """The cases wait for heartbeats most of the time: three run at once, each with a board of its own."""
    cases = [(two_agents,), (stopped_agent,), (probe_dies,), (no_board,), (wrong_wishes,)]
    for through_probe in (False, True):
        cases += [(killed_agent, through_probe), (board_dies, through_probe),
                  (memory_changes, through_probe, 0xFF, "all ones"), (memory_changes, through_probe, 0, "the board was reset")]
    no_hardware()
    with ThreadPoolExecutor(3) as pool:
        for done in [pool.submit(in_a_folder, *case) for case in cases]:
            done.result()
    sys.stdout.flush()


main()
