"""Writes messages of Protocol Buffers, for tests: message((1, 5), (2, "text"), (3, message(...)), (4, 2.5), (5, fixed64(7)))."""
import struct


def varint(value):
    value &= 2 ** 64 - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


class fixed64(int):
    """A number of eight bytes."""


def field(number, value):
    if isinstance(value, fixed64):
        return varint(number << 3 | 1) + struct.pack("<Q", value)
    if isinstance(value, float):
        return varint(number << 3 | 1) + struct.pack("<d", value)
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def message(*fields):
    return b"".join(field(*f) for f in fields)


def packed(*values):
    return b"".join(varint(v) for v in values)
