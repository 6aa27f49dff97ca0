"""Simulators that run on their own, their memory, and probes that serve them: for tests that attach to a board."""
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
    """Waits until condition() returns a true value, and returns that value."""
    until = time.time() + seconds
    while time.time() < until:
        found = condition()
        if found:
            return found
        time.sleep(0.02)
    return fail(f"waited in vain: {text}")


class Process:
    """A child process. At the end of the `with` block it has ended and was waited for."""

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
        """Waits for the end. Returns the exit code and the text of standard error."""
        _, stderr = self.child.communicate(timeout=seconds)
        return self.child.returncode, stderr


class Board(Process):
    """A simulator of 2x2 tiles."""

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
        """The offset in self.memory of each tile's control words."""
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
        """Sets all control words to one byte: 0 as after a reset, 0xff as when the device is gone."""
        for at in self.control_words():
            self.memory[at:at + TILE_CTRL_BYTES + LANES * LANE_CTRL_BYTES] = bytes([byte]) * (
                TILE_CTRL_BYTES + LANES * LANE_CTRL_BYTES)

    def words(self, index):
        """The control word at this index, of all lanes."""
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
    """`tendril probe` at a board. `where` is the address that the host connects to."""

    def __init__(self, board, serve):
        super().__init__([TENDRIL, "probe", "-b", board.path, "-s", serve])
        line = self.child.stdout.readline().split()
        expect(line, "the probe says where it is")
        self.where = line[-1]


class Recording(Process):
    """`tendril record` attached to a running board."""

    def __init__(self, where, trace, program, *options):
        super().__init__([TENDRIL, "record", "-q", "-o", trace, "--at", where, *options, "--", *program])


def one_error(ended, *words):
    """Expects a failure with one line of error that contains one of the words."""
    code, stderr = ended
    lines = [line for line in stderr.splitlines() if line.startswith("tendril")]
    expect(code != 0, f"exit code is 0: {stderr!r}")
    expect(len(lines) == 1, f"one line of error, not: {stderr!r}")
    expect(any(word in lines[0] for word in words), f"{words} in {lines[0]!r}")
