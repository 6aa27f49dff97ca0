"""Reads messages of Protocol Buffers."""
import struct


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def fields(data):
    """The values of a message by number of field, in lists: integers, bytes."""
    found, at = {}, 0
    while at < len(data):
        key, at = varint(data, at)
        wire = key & 7
        if wire == 0:
            value, at = varint(data, at)
        elif wire == 1:
            value, at = struct.unpack_from("<Q", data, at)[0], at + 8
        else:
            assert wire == 2, wire
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
            assert len(value) == size, "the message breaks off"
        found.setdefault(key >> 3, []).append(value)
    return found


def first(message, field, missing=None):
    return message[field][0] if field in message else missing


def text(message, field):
    return first(message, field, b"").decode("utf-8", "replace")


def packed(data):
    """The varints of a packed field."""
    found, at = [], 0
    while at < len(data):
        value, at = varint(data, at)
        found.append(value)
    return found


def real(bits):
    return struct.unpack("<d", struct.pack("<Q", bits))[0]
