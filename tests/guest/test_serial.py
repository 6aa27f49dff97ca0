"""A board behind a probe on a serial line, the guest's second UART. At its other end, outside of the guest, `tendril probe`
serves a simulated board."""
import os
import subprocess
import tempfile
import time

from kit import GRID, SHORT, THOROUGH, TINY, Way, reference
from machine import TENDRIL, Board, expect


def main(m):
    program = SHORT if THOROUGH else TINY
    expected = reference(program=program)
    with tempfile.TemporaryDirectory() as folder:
        board = Board(folder, *GRID, "--clock", "insn")
        probe = subprocess.Popen([TENDRIL, "probe", "--board", board.path, "--serve", "unix:" + m.line],
                                 stdout=subprocess.DEVNULL)
        try:
            until = time.monotonic() + 100
            while not os.path.exists(m.line):
                expect(probe.poll() is None and time.monotonic() < until, "the probe serves")
                time.sleep(0.02)
            serial = Way(m, "serial", "serial:/dev/ttyS1")
            serial.record(program, timeout=200)
            serial.same_as(expected)
        finally:
            probe.terminate()
            probe.wait()
            board.end()
