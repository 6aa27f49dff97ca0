"""Converts the output of trace_dump (tests/file) to walker.py's form. Also normalises that form: it drops what the model
need not keep, such as a default pool without events, or whether an absent text is empty."""
import copy
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from carried import carried
from gpu_lines import in_order_of_begins
from payload import as_text

UNSIGNED = 1 << 64
NEWEST = (0, 14, 0)
TENSTORRENT = 100
NO_START, NO_END, BACK_SHIFT = 1 << 16, 1 << 17, 18  # TD_ZONE_... of host/trace/fill.h


def loads(raw):
    def walk(value):
        if isinstance(value, str):
            return as_text(value.encode("utf-8", "surrogateescape"))
        if isinstance(value, list):
            return [walk(x) for x in value]
        return {k: walk(v) for k, v in value.items()} if isinstance(value, dict) else value

    return walk(json.loads(raw.decode("utf-8", "surrogateescape")))


def swapped(color):
    """Converts between 0x00RRGGBB and the order of bytes in files, both ways."""
    return (color & 0xff) << 16 | (color & 0xff00) | color >> 16


def address(value):
    return value % UNSIGNED


def location(srcloc):
    return srcloc and [*srcloc[:4], swapped(srcloc[4])]


def grouped(rows, keep=lambda row: row[1:]):
    """Rows by their first column, in the order of first appearance."""
    groups = {}
    for row in rows:
        groups.setdefault(row[0], []).append(keep(row))
    return groups


class Model:
    def __init__(self, dump):
        self.d = dump
        self.content = {key: dump[key] for key in
                        ("resolution", "timer_mul", "last_time", "frame_offset", "pid", "sampling_period", "cpu_arch",
                         "cpu_id", "vendor", "capture_name", "program", "ctime", "etime", "host", "on_demand", "crash")}
        for make in (self.topology, self.frames, self.sections, self.locks, self.messages, self.threads, self.gpu,
                     self.plots, self.memory, self.stacks, self.switches, self.symbols):
            make(self.content)

    def each(self, table, number):
        lists = self.d[table]
        return lists[number] if number < len(lists) else []

    def topology(self, c):
        packages = grouped(self.d["TOPOLOGY"])
        c["topology"] = sorted(
            [package, sorted([die, sorted([core, sorted(x[0] for x in cpus)] for core, cpus in grouped(cores).items())]
                             for die, cores in grouped(rows).items())] for package, rows in packages.items())

    def frames(self, c):
        c["frames"] = []
        for number, (name, continuous) in enumerate(self.d["frame_sets"]):
            frames = [[start, None if continuous else end, image]
                      for start, end, image in self.each("FRAME", number)]
            c["frames"].append([name if number else "Frame", continuous, frames])

    def sections(self, c):
        c["sections"] = sorted([category, items] for category, items in grouped(self.d["SECTION"]).items())
        c["cats"] = sorted(self.d["SECTION_CATEGORY"], key=lambda x: x[0])

    def locks(self, c):
        locks = []
        for number, (ident, name, srcloc, kind, _, announced, terminated) in enumerate(self.d["LOCK"]):
            events = [[time, location(where), thread, what] for time, where, thread, what in
                      self.each("LOCK_EVENT", number)]
            locks.append([ident, name, location(srcloc), kind, announced, terminated,
                          [address(x[0]) for x in self.each("LOCK_THREAD", number)], events])
        c["locks"] = sorted(locks, key=lambda x: x[0])

    def messages(self, c):
        c["messages"] = [[time, text, 0xff000000 | swapped(color) if color else 0xffffffff, stack, track, source, severity]
                         for time, track, text, color, stack, source, severity in self.d["MESSAGE"]]

    def threads(self, c):
        threads = []
        for number, t in enumerate(self.d["tracks"]):
            if t["context"]:
                continue
            zones = [[location(srcloc), start, -1 if length == -1 else start + length, depth,
                      [stack, text, name, swapped(color)], children]
                     for depth, children, srcloc, start, length, stack, text, name, color in t["zones"]]
            threads.append([t["thread"], t["count"], t["kernel_samples"], t["fiber"], t["hint"], t["name"] or "???",
                            zones, self.each("SAMPLE", number), self.each("SWITCH_SAMPLE", number)])
        c["threads"] = sorted(threads, key=lambda t: t[0])

    def gpu(self, c):
        contexts = []
        for number, (thread, calibrated, period, kind, name, overflow) in enumerate(self.d["GPU_CONTEXT"]):
            rows, started = [], 0
            for thread_id, lines in grouped([t["thread"], t["zones"]] for t in self.d["tracks"]
                                            if t["context"] == number + 1 and t["zones"]).items():
                zones = []
                for depth, z in in_order_of_begins([zones for zones, in lines]):
                    _, _, srcloc, start, length, stack = z[:6]
                    cpu, cpu_length, issuer, query = z[9:13]
                    end = -1 if length == -1 or query & NO_END else start + length
                    if query >> BACK_SHIFT:
                        end = start - (query >> BACK_SHIFT)
                    start = -1 if query & NO_START else start
                    started += start != -1
                    zones.append([location(srcloc), cpu, start, -1 if cpu_length == -1 else cpu + cpu_length,
                                  end, depth, stack, address(issuer), query & 0xffff])
                rows.append([thread_id, zones])
            notes = grouped(self.each("GPU_NOTE", number))
            contexts.append([address(thread), calibrated, started, period, 6 if kind == TENSTORRENT else kind, name,
                             address(overflow), sorted(self.each("GPU_NOTE_NAME", number)),
                             sorted([query, sorted(values)] for query, values in notes.items()),
                             sorted(rows, key=lambda r: r[0])])
        c["gpu"] = contexts

    def plots(self, c):
        c["plots"] = []
        for number, (kind, form, steps, fill, color, name) in enumerate(self.d["plots"]):
            points = self.each("POINT", number)
            values = [p[1] for p in points]
            bounds = [min(values), max(values), None] if values else [0, 0, None]
            c["plots"].append([kind, form, steps, fill, swapped(color), name, *bounds, points])

    def memory(self, c):
        pools = []
        for number, (name, high, low, usage) in enumerate(self.d["POOL"]):
            events, frees = [], 0
            for at, size, stack, free_stack, time, free, thread, free_thread in self.each("MEMORY", number):
                frees += free != -1
                events.append([address(at), size, stack, free_stack, time, -1 if free == -1 else free - time,
                               address(thread), address(free_thread)])
            pools.append([name or "Frame", len(events) - frees, frees, address(high), address(low), address(usage), events])
        c["mem"] = sorted(pools, key=lambda p: p[0])

    def stacks(self, c):
        frames, at = [], 0
        for frame, image, end in self.d["STACK_FRAME"]:
            lines = [[function, file, line, address(symbol)] for function, file, line, symbol in
                     self.d["STACK_LINE"][at:end]]
            frames.append([address(frame), image, lines])
            at = end
        c["csf"] = sorted(frames, key=lambda f: f[0])
        c["info"] = [row[0] for row in self.d["APP_INFO"]]
        c["images"] = [[width, height, flip, "hex:" + data] for width, height, flip, data, _ in self.d["IMAGE"]]

    def switches(self, c):
        c["ctx"] = sorted([address(thread[0]), [[*s[:6], address(s[6]), s[7]] for s in self.each("SWITCH", number)]]
                          for number, thread in enumerate(self.d["SWITCH_THREAD"]))
        c["cpuctx"] = {str(cpu): [[start, end, address(thread)] for start, end, thread in rows]
                       for cpu, rows in enumerate(self.d["CPU_SWITCH"]) if rows}
        c["tidpid"] = sorted([address(x) for x in row] for row in self.d["THREAD_PROCESS"])
        c["cputhr"] = sorted([address(row[0]), *row[1:]] for row in self.d["CPU_TOTAL"])
        c["ext"] = sorted([address(row[0]), *row[1:]] for row in self.d["FOREIGN_THREAD"])

    def symbols(self, c):
        c["sym"] = sorted(([address(row[0]), *row[1:]] for row in self.d["SYMBOL"]), key=lambda s: s[0])
        c["code"] = sorted([address(row[0]), "hex:" + row[1]] for row in self.d["CODE"])
        c["addrsym"] = sorted([address(x) for x in row] for row in self.d["SYMBOL_OF"])
        kinds = ("CYCLES", "RETIRED", "CACHE_REFERENCES", "CACHE_MISSES", "BRANCHES", "BRANCH_MISSES")
        c["hw"] = sorted([address(row[0]), [[x[0] for x in self.each("HW_" + kind, number)] for kind in kinds]]
                         for number, row in enumerate(self.d["HW_ADDRESS"]))
        c["src"] = sorted([name or "", source_text(text)] for name, text, _ in self.d["SOURCE"])


def source_text(raw):
    try:
        return bytes.fromhex(raw).decode()
    except UnicodeDecodeError:
        return "hex:" + raw


def is_location(value):
    return len(value) == 5 and all(isinstance(x, int) for x in value[3:]) and \
        all(x is None or isinstance(x, str) for x in value[:3])


def normal(content):
    """The content in the form of the newest version, without what the model need not keep."""
    def walk(value):
        if value == "":
            return None
        if isinstance(value, dict):
            return {key: walk(x) for key, x in value.items()}
        if not isinstance(value, list):
            return value
        if is_location(value):
            return [value[0], value[1] or None, value[2] or None, *value[3:]]
        return None if value == [None, None, None, 0] else [walk(x) for x in value]

    c = walk(carried(copy.deepcopy(content), NEWEST))
    empty = {message[4] for message in c["messages"]}
    c["threads"] = [t for t in c["threads"] if t[6] or t[7] or t[8] or t[0] in empty]
    c["mem"] = [p for p in c["mem"] if p[0] not in ("Frame", "???") or p[6]]
    for pool in c["mem"]:
        pool[0] = "Frame" if pool[0] == "???" else pool[0]
    if c["frames"] and not c["frames"][0][2]:
        del c["frames"][0]
    for plot in c["plots"]:
        plot[8] = None
        plot[5] = plot[5] if plot[0] == 0 else None
        if not plot[9]:
            plot[6:8] = [None, None]
    return c
