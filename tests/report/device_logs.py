"""Device logs as tt-metal writes them, from launches that a test makes up."""
import subprocess

from pages import TENDRIL

HEAD = """ARCH: blackhole, CHIP_FREQ[MHz]: 1000, Max Compute Cores: 4
PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since reset], data, run host ID, trace id, \
trace id counter, zone name, type, source line, source file, meta data
"""
SECOND = 1000000000  # cycles


class Launch:
    """A launch of a RISC: its firmware's zone and the kernel's."""

    def __init__(self, op, x, risc, start, end, device=0):
        self.op, self.x, self.risc, self.device = op << 10, x, risc, device
        self.times = {"fw_start": start, "start": start + 10, "end": end - 10, "fw_end": end}

    def set(self, **times):
        self.times.update(times)
        return self

    def rows(self):
        for name, which, kind in (("FW", "fw_start", "ZONE_START"), ("KERNEL", "start", "ZONE_START"),
                                  ("KERNEL", "end", "ZONE_END"), ("FW", "fw_end", "ZONE_END")):
            if self.times[which] is None:
                continue
            yield self.times[which], "%d,%d,2,%s,1,%d,0,%d,,,%s-%s,%s,1,k.cc," % (
                self.device, self.x, self.risc, self.times[which], self.op, self.risc, name, kind)


def run(*argv):
    return subprocess.run([TENDRIL, *argv], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=True)


def write_log(path, launches, by_time=False):
    """Rows in the order of the launches, or of their times. A launch has no row for a time that is None."""
    rows = [row for l in launches for row in l.rows()]
    if by_time:
        rows.sort(key=lambda row: row[0])
    with open(path, "w", encoding="ascii") as f:
        f.write(HEAD + "\n".join(row for _, row in rows) + "\n")
