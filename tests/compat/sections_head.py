"""The sections before the zones: facts about the trace, and the tables that other sections refer to."""
from container import Bad
from payload import as_text


def header(w):
    if w.b.raw(5) != b"tracy":
        raise Bad("no payload of a trace")
    w.version = w.b.take("BBB")
    if not (0, 9, 0) <= w.version <= (0, 14, 255):
        raise Bad(f"version {w.version}")


def clock(w):
    c = w.content
    if w.version < (0, 12, 3):
        w.b.take("q")
    c["resolution"], c["timer_mul"], c["last_time"], c["frame_offset"], c["pid"], c["sampling_period"] = \
        w.b.take("qdqQQq")
    c["cpu_arch"], c["cpu_id"], vendor = w.b.take("BI12s")
    c["vendor"] = as_text(vendor)
    on_demand = w.b.take("B") if w.version >= (0, 9, 2) else None
    w.on_demand = c["frame_offset"] != 0 if on_demand is None else on_demand
    w.stored_on_demand = on_demand


def names(w):
    c, b = w.content, w.b
    raw = {}
    raw["capture_name"], raw["program"] = b.text(), b.text()
    ctime, etime = b.take("QQ")
    raw["host"] = b.text()
    for key, text in raw.items():
        w.need(len(text.encode()) < 1024, f"{key} has 1024 bytes or more")
    c.update({"capture_name": raw["capture_name"], "program": raw["program"], "ctime": ctime, "etime": etime,
              "host": raw["host"], "on_demand": w.stored_on_demand})


def topology(w):
    b, packages = w.b, []

    def cores():
        return sorted([b.take("I"), sorted(b.take("I") for _ in range(b.count(4)))]
                      for _ in range(b.count(12)))

    for _ in range(b.count(12)):
        package = b.take("I")
        if w.version >= (0, 11, 2):
            dies = sorted([b.take("I"), cores()] for _ in range(b.count(12)))
        else:
            dies = [[0, cores()]]
        packages.append([package, dies])
    w.content["topology"] = sorted(packages)


def crash(w):
    thread, time, message, stack = w.b.take("QqQI")
    w.content["crash"] = [thread, time, message, ["stack", stack] if stack else None] if thread else None


def frames(w):
    b, sets = w.b, []
    for number in range(b.count(17)):
        name, continuous = b.take("QB")
        w.need(number or name == 0, "frame set 0 has a name")
        time, frames = 0, []
        for _ in range(b.count(12 if continuous else 20)):
            time += b.take("q")
            start, end = w.time(time, "frame"), None
            if not continuous:
                time += b.take("q")
                end = w.time(time, "frame")
            frames.append([start, end, b.take("i")])
        w.sorted([f[0] for f in frames], "frames")
        sets.append([name, continuous, frames])
    w.need(sets, "no frame set")
    if sets:
        w.need(len(sets[0][2]) >= (3 if w.on_demand else 1), "too few frames in the base set")
    w.content["frames"] = sets


def sections(w):
    b, c, by = w.b, w.content, []
    c["sections"], c["cats"] = by, []
    if w.version < (0, 13, 4):
        return
    lists = b.count(10) if w.version >= (0, 13, 5) else 1
    w.section_texts = []
    for _ in range(lists):
        category = b.take("H") if w.version >= (0, 13, 5) else 0
        items = []
        for _ in range(b.count(15)):
            items.append([w.time(b.i48(), "trace section"), b.i48(), b.u24()])
        w.sorted([i[0] for i in items], "trace sections")
        by.append([category, items])
    if w.version >= (0, 13, 5):
        c["cats"] = [[b.take("H"), b.u24()] for _ in range(b.count(5))]
        for category, _ in by:
            w.need(any(x[0] == category for x in c["cats"]), f"category {category} has no entry")
    c["sections"] = sorted(category for category in by if category[1])


def string_tables(w):
    b = w.b
    tokens, w.strings = {}, []
    for _ in range(b.count(16)):
        token = b.take("Q")
        text = b.text()
        w.need(token not in tokens, "a string token twice")
        tokens.setdefault(token, text)
        w.strings.append(text)
    w.need(len(w.strings) < (1 << 24) - 1, "too many strings")
    w.pointers = {}
    for _ in range(b.count(16)):
        key, token = b.take("QQ")
        if token in tokens:
            w.pointers.setdefault(key, tokens[token])
    w.names_of = {}
    for _ in range(b.count(16)):
        thread, token = b.take("QQ")
        if token in tokens:
            w.names_of.setdefault(thread, tokens[token])
    w.content["ext"] = sorted([t, tokens[p], tokens[n]] for t, p, n in
                                 (b.take("QQQ") for _ in range(b.count(24))) if p in tokens and n in tokens)


def thread_tables(w):
    b = w.b
    w.own = [b.take("Q") for _ in range(b.count(8))]
    w.foreign = [b.take("Q") for _ in range(b.count(8))]
    w.need(w.own[:1] == [0], "the thread table does not begin with 0")
    w.need(max(len(w.own), len(w.foreign)) <= 65536, "too many threads")


def locations(w):
    b = w.b

    def one():
        name, function, file = w.sref(), w.sref(), w.sref()
        return [name, function, file, *b.take("II")]

    known = {}
    for _ in range(b.count(43)):
        key = b.take("Q")
        known[key] = one()
    numbers = [b.take("Q") for _ in range(b.count(8))]
    w.need(numbers[:1] == [0], "location number 0 is not reserved")
    w.need(all(k in known for k in numbers[1:]), "a numbered location is unknown")
    w.static = [None] + [known.get(k) for k in numbers[1:]]
    w.dynamic = [one() for _ in range(b.count(35))]
    w.need(max(len(known), len(numbers) - 1, len(w.dynamic)) <= 32767, "too many locations")
    w.zone_counts = [b.take("hQ") for _ in range(b.count(10))]
    w.listed = {sl for sl, _ in w.zone_counts}
    w.need(len(w.listed) == len(w.zone_counts), "a location is counted twice")
    w.gpu_counts = [b.take("hQ") for _ in range(b.count(10))]


SECTIONS = (header, clock, names, topology, crash, frames, sections, string_tables, thread_tables, locations)
