"""Writes traces in Fuchsia's format, for tests."""
import struct

MAGIC = 0x0016547846040010


def padded(data):
    return data + bytes(-len(data) % 8)


def inline(text):
    """A reference to a string in the record, and its bytes."""
    data = text.encode() if isinstance(text, str) else text
    return (0x8000 | len(data), padded(data)) if data else (0, b"")


def record(kind, bits, body):
    return struct.pack("<Q", kind | (1 + len(body) // 8) << 4 | bits) + body


def words(*values):
    return b"".join(struct.pack("<Q", v & (2 ** 64 - 1)) for v in values)


def string(index, text):
    data = text.encode()
    return record(2, index << 16 | len(data) << 32, padded(data))


def thread(index, process, tid):
    return record(3, index << 16, words(process, tid))


def ticks(a_second):
    return record(1, 0, words(a_second))


def provider(number, name):
    return record(0, 1 << 16 | number << 20 | len(name) << 52, padded(name.encode()))


def section(number):
    return record(0, 2 << 16 | number << 20, b"")


def argument(name, value):
    """value: None, bool, int, float, str, bytes, ("koid", n), ("pointer", n), ("u32", n), ("u64", n) or ("text", reference)."""
    reference, body = inline(name) if isinstance(name, str) else (name, b"")
    kind, bits = 0, 0
    if isinstance(value, bool):
        kind, bits = 9, int(value)
    elif isinstance(value, int) and -2 ** 31 <= value < 2 ** 31:
        kind, bits = 1, value & 0xffffffff
    elif isinstance(value, int):
        kind, body = 3, body + words(value)
    elif isinstance(value, float):
        kind, body = 5, body + struct.pack("<d", value)
    elif isinstance(value, str):
        bits, data = inline(value)
        kind, body = 6, body + data
    elif isinstance(value, bytes):
        kind, bits, body = 10, len(value), body + padded(value)
    elif isinstance(value, tuple) and value[0] == "u32":
        kind, bits = 2, value[1]
    elif isinstance(value, tuple) and value[0] == "text":
        kind, bits = 6, value[1]
    elif isinstance(value, tuple):
        kind, body = {"u64": 4, "pointer": 7, "koid": 8}[value[0]], body + words(value[1])
    return record(kind, reference << 16 | bits << 32, body)


def event(kind, where, time, name, args=(), last=None, category="cat"):
    """where: the index of a thread, or (process, thread). name, category: texts, or the indexes of strings."""
    number, body = (where, b"") if isinstance(where, int) else (0, words(*where))
    of_category, category_bytes = inline(category) if isinstance(category, str) else (category, b"")
    of_name, name_bytes = inline(name) if isinstance(name, str) else (name, b"")
    body = words(time) + body + category_bytes + name_bytes + b"".join(argument(*a) for a in args)
    if last is not None:
        body += words(last)
    return record(4, kind << 16 | len(args) << 20 | number << 24 | of_category << 32 | of_name << 48, body)


def kernel_object(kind, koid, name, args=()):
    reference, data = inline(name)
    return record(7, kind << 16 | reference << 24 | len(args) << 40, words(koid) + data + b"".join(argument(*a) for a in args))


def user_object(process, pointer, name):
    reference, data = inline(name)
    return record(6, reference << 24, words(pointer, process) + data)


def log(where, time, text):
    data = text.encode()
    return record(9, len(data) << 16 | where << 32, words(time) + padded(data))


def scheduling(kind, cpu, time, *threads, state=0):
    """kind: 0 an old switch, of (process, thread) twice; 1 a switch, of two threads; 2 a wakeup, of one."""
    if kind == 0:
        return record(8, cpu << 16 | state << 24, words(time, *threads[0], *threads[1]))
    return record(8, cpu << 20 | state << 36 | kind << 60, words(time, *threads))


def blob(name, data):
    reference, name_bytes = inline(name)
    return record(5, reference << 16 | len(data) << 32 | 1 << 48, name_bytes + padded(data))


def large_blob(data):
    body = words(0, len(data)) + padded(data)
    return struct.pack("<Q", 15 | (1 + len(body) // 8) << 4) + body


def trace(*records):
    return struct.pack("<Q", MAGIC) + b"".join(records)
