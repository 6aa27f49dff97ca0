"""In virtual time a program gives the same trace, byte for byte, over each way to reach the board."""
import os

from boards import Board, Probe, Recording
from kit import example, expect, folder, info, record

PROGRAM = [example("matmul"), "64", "2"]


def read(path):
    with open(path, "rb") as f:
        return f.read()


def through(directory, serve, *options):
    """Starts a board and records there, directly or through a probe. Returns the trace's bytes."""
    trace = os.path.join(directory, "t.tracy")
    with Board(directory, "--clock", "insn") as board:
        if serve is None:
            with Recording(board.path, trace, PROGRAM, *options) as recording:
                code, stderr = recording.end()
        else:
            with Probe(board, serve) as probe, Recording(probe.where, trace, PROGRAM, *options) as recording:
                code, stderr = recording.end()
    expect(code == 0, f"{serve} {options}: {stderr}")
    return read(trace)


def main():
    with folder() as directory:
        trace = os.path.join(directory, "shm.tracy")
        record(trace, PROGRAM, "--grid", "2x2", "--clock", "insn")
        expect(info(trace)["zones"] > 500, "the trace is not empty")
        wanted = read(trace)
        socket = "unix:" + os.path.join(directory, "probe")
        for serve in (None, socket, "tcp:0", "pty"):
            for drain in ("auto", "poll"):
                got = through(directory, serve, "--drain", drain)
                expect(got == wanted, f"{serve or 'shm'} with --drain {drain} differs")
                print(f"{serve or 'shm'}, --drain {drain}: the same {len(got)} bytes")


main()
