"""Writes CTF traces for tests: a folder with metadata and one file for each stream, of one packet."""
import os
import struct

HEAD = """/* CTF 1.8 */
typealias integer { size = 32; align = 8; signed = false; } := u32;
typealias integer { size = 64; align = 8; signed = false; } := u64;
typealias integer { size = 32; align = 8; signed = true; } := i32;
typealias floating_point { exp_dig = 11; mant_dig = 53; align = 8; } := f64;
trace { major = 1; minor = 8; byte_order = le; packet.header := struct { u32 magic; u32 stream_id; }; };
env { hostname = "box"; domain = "kernel"; number = 5; };
"""
CLOCK = """clock { name = mono; freq = 1000000000; offset = 1790000000000000000; };
typealias integer { size = 64; align = 8; signed = false; map = clock.mono.value; } := when;
"""
STREAM = """stream { id = 0; event.header := struct { u32 id; %s; }; packet.context := struct { u32 packet_size; u32 content_size; %s };%s };
"""
TYPES = {"u32": "<I", "i32": "<i", "u64": "<Q", "f64": "<d"}


class Writer:
    def __init__(self, has_clock=True, has_cpu=True, context=()):
        """context: (type, name) of what every event has."""
        self.metadata = HEAD + (CLOCK if has_clock else "")
        common = " event.context := struct { %s };" % "".join("%s %s; " % field for field in context) if context else ""
        self.metadata += STREAM % ("when timestamp" if has_clock else "u64 order", "u32 cpu_id;" if has_cpu else "", common)
        self.has_cpu, self.context, self.kinds, self.streams = has_cpu, context, {}, {}

    def kind(self, name, *fields, declaration=None):
        """fields: (type, name), of types u32, i32, u64, f64, string. declaration: how metadata say it, if otherwise."""
        self.kinds[name] = (len(self.kinds), fields)
        text = declaration or "".join("%s %s; " % field for field in fields)
        self.metadata += 'event { name = "%s"; id = %d; stream_id = 0; fields := struct { %s}; };\n' % (name, self.kinds[name][0], text)

    def event(self, stream, time, name, *values, context=()):
        """stream: its number, which is its processor."""
        number, fields = self.kinds[name]
        data = struct.pack("<IQ", number, time) + self.values(self.context, context) + self.values(fields, values)
        self.streams[stream] = self.streams.get(stream, b"") + data

    @staticmethod
    def values(fields, values):
        return b"".join(value.encode() + b"\0" if kind == "string" else struct.pack(TYPES[kind], value) for (kind, _), value in zip(fields, values))

    def write(self, folder, cut=0):
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "metadata"), "w", encoding="utf-8") as file:
            file.write(self.metadata)
        for stream, events in self.streams.items():
            head = 16 + 4 * self.has_cpu
            size = 8 * (head + len(events))
            with open(os.path.join(folder, "stream_%d" % stream), "wb") as file:
                data = struct.pack("<IIII", 0xc1fc1fc1, 0, size, size) + (struct.pack("<I", stream) if self.has_cpu else b"") + events
                file.write(data[:len(data) - cut])
        return folder
