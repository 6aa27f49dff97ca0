"""The payload of a trace file as bytes, and functions that all its sections use: references, times, and a list of the
rules that the file breaks."""
import struct

from container import Bad, Container

TIME_END = 1 << 47


class Bytes:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, form):
        size = struct.calcsize("<" + form)
        if self.at + size > len(self.data):
            raise Bad(f"the payload ends at {len(self.data)}")
        values = struct.unpack_from("<" + form, self.data, self.at)
        self.at += size
        return values[0] if len(values) == 1 else values

    def u24(self):
        low, high = self.take("HB")
        return low | high << 16

    def i48(self):
        low, high = self.take("Ih")
        return low | high << 32

    def raw(self, count):
        if self.at + count > len(self.data):
            raise Bad(f"{count} bytes at {self.at} are more than are left")
        self.at += count
        return self.data[self.at - count:self.at]

    def count(self, smallest, form="Q"):
        count = self.take(form)
        if count * smallest > len(self.data) - self.at:
            raise Bad(f"{count} items at {self.at} are more than fit")
        return count

    def text(self):
        return as_text(self.raw(self.count(1)))


def as_text(raw):
    raw = raw.split(b"\0")[0]
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return "hex:" + raw.hex()


class Payload:
    """`content`: everything, `problems`: the rules that the file breaks, one line each."""

    def __init__(self, path):
        self.container = Container(path)
        self.b = Bytes(self.container.payload)
        self.content, self.problems = {}, []
        if self.container.page_end:
            self.problem("the file ends within three bytes of a page's end")
        self.last_used = 0

    def problem(self, text):
        if text not in self.problems:
            self.problems.append(text)

    def need(self, holds, text):
        if not holds:
            self.problem(text)

    def time(self, value, what):
        """A time that stock keeps in 48 bits."""
        self.need(-1 <= value < TIME_END, f"{what}: time {value}")
        self.last_used = max(self.last_used, value)
        return value

    def sorted(self, values, what):
        self.need(all(a <= b for a, b in zip(values, values[1:])), f"{what}: not in order")

    # ---- references ----

    def string_at(self, index):
        if index >= len(self.strings):
            self.problem(f"string {index} of {len(self.strings)}")
            return None
        return self.strings[index]

    def sidx(self):
        index = self.b.u24()
        return self.string_at(index - 1) if index else None

    def sref(self):
        value, flags = self.b.take("QB")
        if flags == 3:
            return self.string_at(value)
        if flags == 2:
            return self.pointers.get(value, "???")
        self.need(flags == 0 and value == 0, f"reference with flags {flags}")
        return None

    def csidx(self):
        number = self.b.u24()
        return ["stack", number] if number else None

    def location(self, number, what, may_be_none=False):
        if number == 0:
            self.need(may_be_none, f"{what}: no location")
            return None
        table, index = (self.static, number) if number > 0 else (self.dynamic, -number - 1)
        if index >= len(table) or table[index] is None:
            self.problem(f"{what}: location {number} does not exist")
            return None
        return table[index]

    def thread(self, number, what, table=None):
        table = self.own if table is None else table
        if number >= len(table):
            self.problem(f"{what}: thread number {number} of {len(table)}")
            return None
        return table[number]
