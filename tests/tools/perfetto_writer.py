"""Writes traces in Perfetto's format, for tests. Fields are (number, value), as in protobuf_writer.py."""
from protobuf_writer import field, message

BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4
SEQUENCE, CLEARED, NEEDS_STATE = 10, (13, 1), (13, 2)


def trace(*packets):
    return b"".join(field(1, p) for p in packets)


def packet(*fields, sequence=1):
    return message((SEQUENCE, sequence), *fields)


def descriptor(uuid, *fields, sequence=1):
    return packet((60, message((1, uuid), *fields)), sequence=sequence)


def process(pid, name=None):
    return (3, message((1, pid), *([(6, name)] if name else [])))


def thread(pid, tid, name=None):
    return (4, message((1, pid), (2, tid), *([(5, name)] if name else [])))


def event(kind, time, track, *fields, name=None, sequence=1, state=()):
    named = [(23, name)] if isinstance(name, str) else [(10, name)] if name else []
    return packet((8, time), *state, (11, message((9, kind), (11, track), *named, *fields)), sequence=sequence)


def zone(track, start, end, name, *fields, **more):
    return field(1, event(BEGIN, start, track, *fields, name=name, **more)) + field(1, event(END, end, track, **more))


def annotation(name, number, value):
    """number: 2 bool, 3 uint, 4 int, 5 double, 6 text, 7 pointer, 9 JSON, 11 entry, 12 element, 17 interned text."""
    named = (10, name) if isinstance(name, str) else (1, name)
    return (4, message(*([named] if name else []), (number, value)))


def interned(*kinds, more=()):
    """kinds: (field of InternedData, iid, text)."""
    return (12, message(*[(number, message((1, iid), (2, text))) for number, iid, text in kinds], *more))


def clocks(*pairs, primary=None):
    return (6, message(*[(1, message((1, clock), (2, time), *more)) for clock, time, *more in pairs], *([(2, primary)] if primary else [])))


def ftrace(cpu, *events, more=()):
    return packet((1, message((1, cpu), *[(2, e) for e in events], *more)))


def switch(time, out, out_name, state, entering, entering_name):
    return message((1, time), (2, out), (4, message((1, out_name), (2, out), (3, 120), (4, state), (5, entering_name), (6, entering), (7, 120))))


def waking(time, by, tid, name, cpu):
    return message((1, time), (2, by), (20, message((1, name), (2, tid), (3, 120), (5, cpu))))


def printed(time, tid, text):
    return message((1, time), (2, tid), (3, message((2, text))))


def tree(processes, threads=()):
    return packet((2, message(*[(1, message((1, pid), (3, name))) for pid, name in processes],
                              *[(2, message((1, tid), (3, pid), (2, name))) for tid, pid, name in threads])))
