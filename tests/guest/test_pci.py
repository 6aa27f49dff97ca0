"""A board whose memory is a PCI device: through sysfs and through VFIO. In virtual time the trace is, byte for byte, the one
through shared memory. No core stays blocked when the agent dies or the board is pulled out."""
import tempfile

from kit import GRID, SHORT, THOROUGH, TINY, Way, info, reference
from machine import Board, expect

BIND_VFIO = """modprobe vfio_iommu_type1 && modprobe vfio-pci && echo vfio-pci >/sys/bus/pci/devices/{0}/driver_override &&
echo {0} >/sys/bus/pci/drivers_probe"""


class Slot:
    """The machine's slot for boards, and the board in it."""

    def __init__(self, folder):
        self.folder = folder
        self.board = Board(folder, *GRID, "--clock", "insn")

    def change(self, machine, *options):
        """Replaces the board. The drivers that were bound to the old one are not bound to the new one."""
        machine.unplug()
        self.board.end()
        self.board = Board(self.folder, *GRID, *options)
        return machine.plug(self.board)


def virtual_time(m, slot):
    bdf = m.plug(slot.board)
    sysfs = Way(m, "sysfs", "pci:" + bdf)
    sysfs.record(SHORT)
    sysfs.same_as(reference())
    bdf = slot.change(m, "--clock", "insn")
    m.run(BIND_VFIO.format(bdf))
    vfio, program = Way(m, "vfio", f"pci:{bdf}/vfio"), SHORT if THOROUGH else TINY
    vfio.record(program)
    vfio.same_as(reference(program=program))


def real_time(m, slot):
    sysfs = Way(m, "sysfs", "pci:" + slot.change(m))
    said = sysfs.record(SHORT if THOROUGH else TINY).out
    expect("clock error  below" in said, f"the bound of the clock's error is printed: {said}")
    print("  " + [line for line in said.splitlines() if line.startswith("clock error")][0], flush=True)
    if THOROUGH:
        sysfs.refuses_a_second(slot.board)
        sysfs.kill_blocked(slot.board)
        sysfs.record(SHORT)
    pulled = sysfs.start_long(slot.board)
    m.unplug()
    sysfs.ends_with_a_line(pulled, "pulled out")
    slot.board.end()
    slot.board = Board(slot.folder, *GRID)
    m.plug(slot.board)
    sysfs.record(TINY)
    expect(info(sysfs.path)["zones"] > 0, "the next run works")


def main(m):
    with tempfile.TemporaryDirectory() as folder:
        slot = Slot(folder)
        try:
            virtual_time(m, slot)
            real_time(m, slot)
            m.unplug()
        finally:
            slot.board.end()
