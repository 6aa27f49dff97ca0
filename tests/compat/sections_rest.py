"""The sections after the zones: plots, memory, call stacks, samples, context switches, symbols, sources."""


def plots(w):
    b, found = w.b, []
    for _ in range(b.count(48)):
        kind, form, steps, fill, color, name = b.take("BBBBIQ")
        low, high, total = b.take("ddd")
        w.need(kind in (0, 2, 3), f"plot of type {kind}")
        time, points = 0, []
        for _ in range(b.count(16)):
            delta, value = b.take("qd")
            time += delta
            points.append([w.time(time, "plot"), value])
        if w.version >= (0, 13, 3):
            w.sorted([p[0] for p in points], "plot points")
        text = w.pointers.get(name, "???") if name else None
        found.append([kind, form, steps, fill, color, text, low, high, total, points])
    w.content["plots"] = found


def memory(w):
    b, pools = w.b, []
    count, _ = b.take("QQ")
    names = []
    for _ in range(count):
        name, events, active, frees = b.take("QQQQ")
        names.append(name)
        time, listed = 0, []
        for _ in range(events):
            address, size = b.take("QQ")
            at_alloc, at_free = w.csidx(), w.csidx()
            delta, life, thread, free_thread = b.take("qqHH")
            time += delta
            w.need(size < 1 << 47, "an allocation's size")
            w.last_used = max(w.last_used, time + max(life, 0))
            listed.append([address, size, at_alloc, at_free, w.time(time, "allocation"), max(life, -1),
                           w.thread(thread, "memory"), w.thread(free_thread, "memory") if life >= 0 else 0])
        freed = sum(e[5] >= 0 for e in listed)
        w.need(frees >= freed, "the number of frees is too small")
        w.need((active, frees) == (len(listed) - freed, freed), "numbers of allocations")
        w.sorted([e[4] for e in listed], "allocations")
        high, low, usage, again = b.take("QQQQ")
        w.need(again == name, "a pool has two names")
        pools.append([w.pointers.get(name, "???"), active, frees, high, low, usage, listed])
    w.need(0 in names or not count, "no default pool")
    w.content["mem"] = sorted(pools, key=lambda p: p[0])


def call_stacks(w):
    b = w.b
    w.stacks = [None]
    for _ in range(b.count(10)):
        depth = b.take("H")
        w.need(depth, "an empty call stack")
        w.stacks.append([b.take("Q") for _ in range(depth)])


def call_stack_frames(w):
    b, frames = w.b, []
    for _ in range(b.count(30)):
        number, lines = b.take("QB")
        w.need(lines, "an empty frame")
        image = w.sidx()
        frames.append([number, image, [[w.sidx(), w.sidx(), *b.take("IQ")] for _ in range(lines)]])
    w.content["csf"] = sorted(frames, key=lambda f: f[0])


def app_info(w):
    w.content["info"] = [w.sref() for _ in range(w.b.count(9))]


def images(w):
    b = w.b
    b.raw(b.take("I"))
    found = []
    for _ in range(b.count(5)):
        width, height, flip = b.take("HHB")
        w.need(width % 4 == 0 and height % 4 == 0, "an image's size")
        found.append([width, height, flip, "hex:" + b.raw(width * height // 2).hex()])
    w.content["images"] = found
    for _, _, frames in w.content["frames"]:
        w.need(all(-1 <= f[2] < max(len(found), 0) for f in frames), "a frame's image does not exist")


def switches(w):
    b, by = w.b, []
    for _ in range(b.count(16)):
        thread, time, listed = b.take("Q"), 0, []
        for _ in range(b.count(35)):
            wakeup, start, end, cpu, reason, state, other = b.take("qqqBbbQ")
            item = []
            for delta in (wakeup, start, end):
                time += delta
                item.append(w.time(time, "context switch"))
            item += [cpu, reason, state, other]
            listed.append(item + [b.take("B")] if w.version >= (0, 11, 3) else item)
        w.sorted([s[0] for s in listed], "context switches")
        w.need(all(s[2] != -1 for s in listed[:-1]), "an open context switch is not the last")
        by.append([thread, listed])
    w.content["ctx"] = sorted(by)


def cpu_switches(w):
    b, by = w.b, {}
    b.take("Q")
    for cpu in range(256):
        time, listed = 0, []
        for _ in range(b.count(18)):
            start, end, thread = b.take("qqH")
            time += start
            first = w.time(time, "CPU switch")
            time += end
            listed.append([first, w.time(time, "CPU switch"), w.thread(thread, "CPU switch", w.foreign)])
        w.sorted([s[0] for s in listed], "CPU switches")
        w.need(all(s[1] != -1 for s in listed[:-1]), "an open CPU switch is not the last")
        if listed:
            by[str(cpu)] = listed
    w.content["cpuctx"] = by


def thread_facts(w):
    b = w.b
    w.content["tidpid"] = sorted([b.take("Q"), b.take("Q")] for _ in range(b.count(16)))
    w.content["cputhr"] = sorted(list(b.take("QqII")) for _ in range(b.count(24)))


def symbols(w):
    b = w.b
    ordinary, inline = b.take("QQ")
    found = []
    for _ in range(b.count(32)):
        address = b.take("Q")
        name, file, line, image, call_file = w.sidx(), w.sidx(), b.take("I"), w.sidx(), w.sidx()
        call_line, is_inline = b.take("IB")
        found.append([address, name, file, line, image, call_file, call_line, is_inline, b.u24()])
    inlined = sum(s[7] for s in found)
    w.need(ordinary >= len(found) - inlined and inline >= inlined + 1, "the number of symbols is too small")
    w.content["sym"] = sorted(found, key=lambda s: s[0])


def code(w):
    b = w.b
    w.content["code"] = sorted([b.take("Q"), "hex:" + b.raw(b.take("I")).hex()] for _ in range(b.count(12)))
    w.content["addrsym"] = sorted([b.take("Q"), b.take("Q")] for _ in range(b.count(16)))


def hardware_samples(w):
    b, found = w.b, []
    for _ in range(b.count(56)):
        address, lists = b.take("Q"), []
        for _ in range(6):
            time, times = 0, []
            for _ in range(b.count(8)):
                time += b.take("q")
                times.append(w.time(time, "hardware sample"))
            w.sorted(times, "hardware samples")
            lists.append(times)
        found.append([address, lists])
    w.content["hw"] = sorted(found)


def sources(w):
    def text():
        raw = w.b.raw(w.b.take("I"))
        try:
            return raw.decode()
        except UnicodeDecodeError:
            return "hex:" + raw.hex()

    w.content["src"] = sorted([text(), text()] for _ in range(w.b.count(8)))


SECTIONS = (plots, memory, call_stacks, call_stack_frames, app_info, images, switches, cpu_switches, thread_facts,
            symbols, code, hardware_samples, sources)
