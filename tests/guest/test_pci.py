"""A board whose memory is a PCI device: through sysfs and through VFIO."""
import tempfile

from machine import Board, Machine, expect


def main():
    with tempfile.TemporaryDirectory() as folder:
        board = Board(folder, "--grid", "1x1", "--clock", "insn")
        try:
            with Machine(board) as m:
                bdf = m.bdf()
                said = m.run("modprobe tendril_kmd && ls /dev/tenstorrent/0 && cat /sys/class/tenstorrent/*/tt_aiclk").out
                expect("1000" in said, "no tt_aiclk")
                m.unplug()
                expect(m.plug(board) == bdf, "the device is in another place")
        finally:
            board.end()
