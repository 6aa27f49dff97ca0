#!/usr/bin/env python3
"""tendril export --to perfetto: the packets are read as Perfetto's trace processor reads them, and compared with what query
prints of the same trace."""
import gzip
import os
import tempfile

from common import check, exit_status
from protobuf_reader import fields, first, real, text
from test_export import answers, export, run, traces

BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4


class Sequence:
    """What the packets of a sequence have interned: by field of InternedData, by number."""

    def __init__(self):
        self.interned = {}

    def take(self, data):
        for field, entries in fields(data).items():
            for entry in map(fields, entries):
                known = self.interned.setdefault(field, {})
                check("a number is given once", entry[1][0] and entry[1][0] not in known, field, entry)
                known[entry[1][0]] = entry

    def name(self, field, number):
        return text(self.interned[field][number], 2)

    def stack(self, number):
        """(function, file, line, image, address), outermost first."""
        found = []
        for frame in (self.interned[6][n] for n in self.interned[7][number].get(2, [])):
            mapping = self.interned[19][first(frame, 3)]
            found.append((self.name(5, first(frame, 2)) if 2 in frame else "", self.name(18, first(frame, 5)) if 5 in frame else "",
                          first(frame, 6, 0), self.name(17, first(mapping, 7)), first(frame, 4)))
        return found


def read(data):
    """Descriptors of tracks by number; events in the order of time, those of equal times as they are in the file."""
    sequence, tracks, events, cleared = Sequence(), {}, [], False
    for packet in map(fields, fields(data)[1]):
        check("packets are of one sequence", packet[10] == [1])
        flags = first(packet, 13, 0)
        cleared |= bool(flags & 1)
        if 12 in packet:
            sequence.take(packet[12][0])
        if 60 in packet:
            track = fields(packet[60][0])
            check("a track is described once", track[1][0] and track[1][0] not in tracks, track)
            tracks[track[1][0]] = track
        if 8 in packet:
            check("state was cleared before it is needed", cleared and flags & 2, packet)
            events.append((packet[8][0], fields(packet[11][0]) if 11 in packet else None,
                           fields(packet[66][0]) if 66 in packet else None))
    return sequence, tracks, sorted(events, key=lambda e: e[0])


def slices(events, sequence):
    """As the trace processor makes them: an end belongs to what began last in its track."""
    open_ones, found = {}, []
    for at, event, _ in events:
        if not event or first(event, 9) not in (BEGIN, END):
            continue
        stack = open_ones.setdefault(event[11][0], [])
        if event[9][0] == END:
            stack[-1]["in"] = stack[-1]["in"] + event.get(48, [])
            stack.pop()["end"] = at
            continue
        location = sequence.interned.get(4, {}).get(first(event, 34), {})
        texts = [text(fields(a), 6) for a in event.get(4, [])]
        found.append({"track": event[11][0], "depth": len(stack), "start": at, "end": None, "name": sequence.name(2, event[10][0]),
                      "file": text(location, 2), "line": first(location, 4, 0), "function": text(location, 3),
                      "text": texts[0] if texts else None, "out": event.get(47, []), "in": event.get(48, []),
                      "stack": sequence.stack(event[56][0]) if 56 in event else None})
        stack.append(found[-1])
    return found


def wanted_slices(zones):
    """Zones do not last longer than those around them; an open one ends with the first of these that ends."""
    by_id, found = {}, {}
    for zone in zones:
        around = found.get(zone["parent"], {"end": None})["end"]
        end = zone["end_ns"] if around is None else around if zone["end_ns"] is None else min(around, zone["end_ns"])
        by_id[zone["id"]] = zone
        found[zone["id"]] = {"track": zone["track_id"] + 1, "depth": zone["depth"], "start": zone["start_ns"], "end": end,
                             **{key: zone[key] for key in ("name", "file", "line", "function", "text")}}
    return list(found.values())


def frames_of(rows, stack):
    """As of Sequence.stack(); the table has no inlined functions."""
    return [(f["function"], f["file"], f["line"], f["image"], int(f["address"], 16)) for f in rows if f["stack"] == stack][::-1]


def is_part(few, many):
    rest = iter(many)
    return all(any(frame == other for other in rest) for frame in few)


def perfetto_of(trace, folder):
    out = os.path.join(folder, "trace.pftrace.gz")
    if not export("perfetto", out, trace) or not export("perfetto", out[:-3], trace):
        return
    with gzip.open(out, "rb") as packed, open(out[:-3], "rb") as plain:
        data = packed.read()
        check("packed and not", data == plain.read(), trace)
    sequence, descriptors, events = read(data)
    zones, tracks, messages, points, flows, samples, frames = answers(
        trace, "SELECT * FROM zones", "SELECT * FROM tracks ORDER BY id", "SELECT * FROM messages", "SELECT * FROM plot_points",
        "SELECT * FROM flows", "SELECT * FROM samples", "SELECT * FROM stack_frames")
    processes = {first(fields(t[3][0]), 1): text(fields(t[3][0]), 6) for t in descriptors.values() if 3 in t}
    threads = {number: fields(t[4][0]) for number, t in descriptors.items() if 4 in t}
    check("a thread for each track", {n: (text(t, 5), first(t, 2), processes[t[1][0]]) for n, t in threads.items()} == {
        t["id"] + 1: (t["name"], t["id"] + 1, processes[1] if t["chip"] is None else f"chip {t['chip']}") for t in tracks},
        trace, threads)
    found = slices(events, sequence)
    keys = ("track", "depth", "start", "end", "name", "file", "line", "function", "text")
    check("zones in Perfetto", sorted(([s[k] for k in keys] for s in found), key=repr) == sorted(
        ([s[k] for k in keys] for s in wanted_slices(zones)), key=repr), trace)
    check("call stacks of zones", len([s for s in found if s["stack"]]) == len([z for z in zones if z["stack"]]), trace)
    check("messages in Perfetto", sorted((at, e[11][0], text(e, 23)) for at, e, _ in events if e and e[9][0] == INSTANT) ==
          sorted((m["time_ns"], m["thread_id"] + 1, m["message"]) for m in messages), trace)
    check("points in Perfetto", sorted((at, text(descriptors[e[11][0]], 2), real(e[44][0])) for at, e, _ in events
                                       if e and e[9][0] == COUNTER) ==
          sorted((p["time_ns"], p["plot"], p["value"]) for p in points if p["value"] is not None), trace)
    seen = [i for _, e, _ in events if e for i in e.get(47, []) + [-i for i in e.get(48, [])]]
    check("an arrow ends after it began", all(seen.index(i) < seen.index(-i) for i in seen if i > 0), seen)
    senders = {i: s for s in found for i in s["out"]}
    receivers = {i: s for s in found for i in s["in"]}
    check("flows in Perfetto", set(senders) == set(receivers) and sorted(
        (senders[i]["track"] - 1, receivers[i]["track"] - 1, receivers[i]["start"]) for i in receivers) ==
        sorted((f["giver_id"], f["waiter_id"], f["time_ns"]) for f in flows), trace)
    taken = sorted((at, s[3][0] - 1, sequence.stack(s[4][0])) for at, _, s in events if s)
    kept = sorted((s["time_ns"], s["track_id"], frames_of(frames, s["stack"])) for s in samples if s["stack"])
    check("samples in Perfetto", [t[:2] for t in taken] == [k[:2] for k in kept] and all(
        is_part(k[2], t[2]) for t, k in zip(taken, kept)), trace, taken, kept)
    back = os.path.join(folder, "back.tracy")
    r = run("import", "-q", "-o", back, out)
    check("the file is imported", r.returncode == 0, r.stderr)
    wanted, imported = wanted_slices(zones), answers(back, "SELECT * FROM zones")[0]
    shift = min(z["start"] for z in wanted) - min(z["start_ns"] for z in imported)
    check("zones, imported again", sorted(((z["depth"], z["start_ns"] + shift, z["end_ns"] and z["end_ns"] + shift, z["name"],
                                            z["file"], z["line"], z["function"]) for z in imported), key=repr) == sorted(
        ((z["depth"], z["start"], z["end"], z["name"] or z["function"], z["file"], z["line"], z["function"]) for z in wanted),
        key=repr), trace)  # an event without a name has that of its function
    return len(flows), len(samples), len([z for z in zones if z["stack"]])


def main():
    with tempfile.TemporaryDirectory() as folder:
        seen = []
        for number, trace in enumerate(traces(folder)):
            own = os.path.join(folder, str(number))
            os.mkdir(own)
            seen.append(perfetto_of(trace, own))
        check("there are flows, samples and stacks to compare", all(map(sum, zip(*seen))), seen)
    return exit_status()


if __name__ == "__main__":
    raise SystemExit(main())
