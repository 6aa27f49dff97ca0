"""Boards that run by themselves, for tests that attach to them: a simulator, its memory, a probe in front of it."""
import mmap
import os
import re
import signal
import struct
import subprocess
import time

from kit import BUILD, TENDRIL, expect, fail

SIMULATOR = os.path.join(BUILD, "bin", "tensix_sim")
TILE_BYTES, TILE_CTRL_BYTES, LANE_CTRL_BYTES, LANES = 56, 64, 128, 5  # proto/sim/bar.h, proto/device/lane.h


def wait_for(condition, text, seconds=100):
    """Waits until condition() is something, and returns that."""
    until = time.time() + seconds
    while time.time() < until:
        found = condition()
        if found:
            return found
        time.sleep(0.02)
    return fail(f"waited in vain: {text}")


class Process:
    """A child that has ended, and is collected, at the end of the block."""

    def __init__(self, argv):
        self.child = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.child.poll() is None:
            self.child.send_signal(signal.SIGCONT)
            self.child.kill()
        self.child.communicate()

    def signal(self, number):
        self.child.send_signal(number)

    def end(self, seconds=200):
        """Its exit code, and its errors."""
        _, stderr = self.child.communicate(timeout=seconds)
        return self.child.returncode, stderr


class Board(Process):
    """A simulator, 2x2 tiles."""

    def __init__(self, directory, *options):
        self.path = os.path.join(directory, "board.bar")
        if os.path.exists(self.path):
            os.unlink(self.path)
        super().__init__([SIMULATOR, "--bar", self.path, "--grid", "2x2", *options])
        wait_for(self.is_ready, "the board's file")
        with open(self.path, "r+b") as f:
            self.memory = mmap.mmap(f.fileno(), 0)

    def is_ready(self):
        expect(self.child.poll() is None, "the simulator runs")
        try:
            with open(self.path, "rb") as f:
                return f.read(8) == b"TDRLBAR1"
        except OSError:
            return False

    def control_words(self):
        """Where in self.memory the control words of each tile begin."""
        count, = struct.unpack_from("<I", self.memory, 12)
        description, tiles = struct.unpack_from("<QQ", self.memory, 24)
        text = self.memory[description:self.memory.find(b"\0", description)].decode()
        lane_base = int(re.search(r"^lane_base *= *(\S+)", text, re.M).group(1), 0)
        found = []
        for i in range(count):
            kind, = struct.unpack_from("<I", self.memory, tiles + i * TILE_BYTES)
            column, = struct.unpack_from("<H", self.memory, tiles + i * TILE_BYTES + 10)
            offset, base = struct.unpack_from("<QQ", self.memory, tiles + i * TILE_BYTES + 16)
            if kind == 0 and column != 0xFFFF:
                found.append(offset + lane_base - base)
        expect(len(found) == 4, f"4 tiles, not {len(found)}")
        return found

    def fill(self, byte):
        """What a reset, or a device that is not there any more, makes of the control words."""
        for at in self.control_words():
            self.memory[at:at + TILE_CTRL_BYTES + LANES * LANE_CTRL_BYTES] = bytes([byte]) * (
                TILE_CTRL_BYTES + LANES * LANE_CTRL_BYTES)

    def words(self, index):
        """One control word of all lanes."""
        return [struct.unpack_from("<I", self.memory, at + TILE_CTRL_BYTES + lane * LANE_CTRL_BYTES + 4 * index)[0]
                for at in self.control_words() for lane in range(LANES)]

    def agents(self):
        return [struct.unpack_from("<I", self.memory, at + 20)[0] for at in self.control_words()]

    def beat(self):
        return struct.unpack_from("<I", self.memory, self.control_words()[0] + 28)[0]

    def is_armed(self):
        return all(self.words(1))

    def is_disarmed(self):
        return not any(self.words(1))

    def is_free(self):
        return self.is_disarmed() and not any(self.agents())


class Probe(Process):
    """`tendril probe` at a board; `where` is for its host."""

    def __init__(self, board, serve):
        super().__init__([TENDRIL, "probe", "-b", board.path, "-s", serve])
        line = self.child.stdout.readline().split()
        expect(line, "the probe says where it is")
        self.where = line[-1]


class Recording(Process):
    """`tendril record` at a board that runs."""

    def __init__(self, where, trace, program, *options):
        super().__init__([TENDRIL, "record", "-q", "-o", trace, "--at", where, *options, "--", *program])


def one_error(ended, *words):
    """One line of error, with one of the words in it."""
    code, stderr = ended
    lines = [line for line in stderr.splitlines() if line.startswith("tendril")]
    expect(code != 0, f"exit code is 0: {stderr!r}")
    expect(len(lines) == 1, f"one line of error, not: {stderr!r}")
    expect(any(word in lines[0] for word in words), f"{words} in {lines[0]!r}")
