"""Locks, messages, zones of threads and of GPU contexts."""
from container import Bad


def locks(w):
    b, locks = w.b, []
    for _ in range(b.count(47)):
        number, name = b.take("I"), w.sidx()
        location = w.location(b.take("h"), "lock")
        kind, _, announced, terminated = b.take("BBqq")
        threads = [b.take("Q") for _ in range(b.count(8))]
        w.need(len(threads) <= 64, "a lock of more than 64 threads")
        time, events = announced, []
        for _ in range(b.count(12)):
            delta, sl, thread, what = b.take("qhBB")
            time += delta
            w.need(thread < len(threads), "a lock's thread number")
            w.need(what < 3 or (kind == 1 and what < 6), f"lock event {what}")
            events.append([w.time(time, "lock event"), w.location(sl, "lock event", True), thread, what])
        w.sorted([e[0] for e in events], "lock events")
        locks.append([number, name, location, kind, announced, terminated, threads, events])
    w.content["locks"] = sorted(locks, key=lambda x: x[0])


def messages(w):
    b, time = w.b, 0
    w.messages_by, times = {}, []
    for _ in range(b.count(32)):
        token, delta = b.take("Qq")
        time += delta
        times.append(time)
        text, color, stack = w.sref(), b.take("I"), w.csidx()
        source, severity = b.take("BB") if w.version >= (0, 13, 2) else (None, None)
        w.need(token not in w.messages_by, "a message token twice")
        w.messages_by[token] = [time, text, color, stack, None, source, severity]
        w.last_used = max(w.last_used, time)
    w.sorted(times, "messages")


def extras(w):
    w.extra = []
    for _ in range(w.b.count(12)):
        w.extra.append([w.csidx(), w.sidx(), w.sidx(), w.b.u24()])
    w.need(w.extra and w.extra[0] == [None, None, None, 0], "no reserved zone extra")


def zone_list(w, count, thread_zones, limits, time=0):
    """The zones of a thread, parents before children. Uses a stack instead of recursion."""
    b, stack, left, parent = w.b, [], count, None
    while True:
        while left:
            sl, delta, extra, children = b.take("hqII")
            time += delta
            w.cpu_locations.add(sl)
            if extra >= len(w.extra):
                w.problem("a zone's extra does not exist")
                extra = 0
            zone = [w.location(sl, "zone"), w.time(time, "zone"), None, len(stack),
                    w.extra[extra] if extra else None, children]
            thread_zones.append(zone)
            if parent is not None:
                w.need(zone[1] >= parent[1], "a child begins before its parent")
            if children:
                w.child_lists += 1
                if children * 26 > len(b.data) - b.at:
                    raise Bad("more children than fit")
                stack.append((left, parent, limits))
                left, parent, limits = children, zone, [None]
                continue
            time = close_zone(w, zone, time, parent, limits)
            left -= 1
        if not stack:
            return
        zone = parent
        left, parent, limits = stack.pop()
        inner = w.last_end
        time = close_zone(w, zone, time, parent, limits)
        w.need(zone[2] == -1 or (inner != -1 and inner <= zone[2]), "a child ends after its parent")
        left -= 1


def close_zone(w, zone, time, parent, limits):
    time += w.b.take("q")
    zone[2] = w.time(time, "zone")
    w.need(zone[2] == -1 or zone[2] >= zone[1], "a zone ends before it begins")
    w.need(limits[0] != -1, "a zone without end is not the last of its list")
    w.need(limits[0] is None or limits[0] <= zone[1], "zones of a list overlap")
    limits[0] = w.last_end = zone[2]
    return time


def sample_list(w, what):
    b, time, samples = w.b, 0, []
    for _ in range(b.count(11)):
        time += b.take("q")
        samples.append([w.time(time, what), w.csidx()])
    if w.version >= (0, 13, 6):
        w.sorted([s[0] for s in samples], what)
    return samples


def threads(w):
    b, threads = w.b, []
    _, lists, count = b.take("QQQ")
    w.child_lists, w.threads_seen, w.cpu_locations = 0, set(), set()
    for _ in range(count):
        thread, zones, kernel, fiber = b.take("QQQB")
        w.need(thread not in w.threads_seen, "a thread twice")
        w.threads_seen.add(thread)
        hint = b.take("i") if w.version >= (0, 11, 1) else 0
        listed = []
        zone_list(w, b.count(26, "I"), listed, [None])
        for _ in range(b.count(8)):
            message = w.messages_by.get(b.take("Q"))
            if message is None:
                w.problem("a thread's message does not exist")
            else:
                w.need(message[4] is None, "a message in two threads")
                message[4] = thread
        at_switches, samples = sample_list(w, "switch samples"), sample_list(w, "samples")
        w.need(zones == len(listed), f"thread {thread}: {len(listed)} zones, {zones} are announced")
        threads.append([thread, zones, kernel, fiber, hint, w.names_of.get(thread, "???"), listed, samples,
                        at_switches])
    w.need(lists >= w.child_lists, "too few child lists")
    w.need(all(m[4] is not None for m in w.messages_by.values()), "a message without thread")
    w.need(w.cpu_locations <= w.listed, "zones with locations that are not counted")
    w.content["messages"] = sorted(w.messages_by.values(), key=lambda m: m[0])
    w.content["threads"] = sorted(threads, key=lambda t: t[0])


def gpu_list(w, row, count):
    """As zone_list(), with two clocks."""
    b, stack, left, cpu, gpu = w.b, [], count, 0, 0
    zones, limits, parent = [], [None], None
    item = "qqh"
    while True:
        while left:
            cpu_delta, gpu_delta, sl = b.take(item)
            call_stack, thread, children = w.csidx(), *b.take("HQ")
            cpu += cpu_delta
            gpu += gpu_delta
            zone = [w.location(sl, "GPU zone"), w.time(cpu, "GPU zone"), w.time(gpu, "GPU zone"), None, None,
                    len(stack), call_stack, w.thread(thread, "GPU zone"), None]
            w.gpu_started += gpu != -1
            zones.append(zone)
            if not row[0]:
                w.need(zone[7] == row[1], "a GPU zone's thread is not its row")
            if gpu != -1 and parent is not None and parent[2] != -1:
                w.need(gpu >= parent[2], "a GPU child begins before its parent")
            if children:
                w.gpu_child_lists += 1
                if children * 47 > len(b.data) - b.at:
                    raise Bad("more GPU children than fit")
                stack.append((left, parent, limits))
                left, parent, limits = children, zone, [None]
                continue
            cpu, gpu = close_gpu_zone(w, zone, cpu, gpu, limits)
            left -= 1
        if not stack:
            return zones
        zone = parent
        left, parent, limits = stack.pop()
        cpu, gpu = close_gpu_zone(w, zone, cpu, gpu, limits)
        left -= 1


def close_gpu_zone(w, zone, cpu, gpu, limits):
    cpu_delta, gpu_delta = w.b.take("qq")
    cpu += cpu_delta
    gpu += gpu_delta
    zone[3], zone[4] = w.time(cpu, "GPU zone"), w.time(gpu, "GPU zone")
    if w.version >= (0, 12, 4):
        zone[8] = w.b.take("H")
    if zone[2] != -1:
        w.need(limits[0] is None or limits[0] <= zone[2], "GPU zones of a list are not in order")
        limits[0] = zone[2]
    w.need(zone[4] == -1 or zone[2] <= zone[4], "a GPU zone ends before it begins")
    return cpu, gpu


def gpu_contexts(w):
    b, contexts = w.b, []
    _, lists, count = b.take("QQQ")
    w.gpu_child_lists = 0
    for _ in range(count):
        thread, calibrated, started, period, kind = b.take("QBQfB")
        name, overflow = w.sidx() or "", b.take("Q")
        modern = w.version >= (0, 12, 4)
        note_names = [[b.take("q"), w.sidx()] for _ in range(b.count(11))] if modern else []
        rows, w.gpu_started = [], 0
        for _ in range(b.count(16)):
            row, roots = b.take("Q"), b.count(47)
            w.need(roots, "a GPU row without zones")
            rows.append([row, gpu_list(w, (thread, row), roots)])
        notes = []
        for _ in range(b.count(10) if modern else 0):
            query = b.take("H")
            notes.append([query, sorted([b.take("q"), b.take("d")] for _ in range(b.count(16)))])
        w.need(started == w.gpu_started, f"{w.gpu_started} GPU zones have a start, {started} are announced")
        highest = 5 if w.version < (0, 12, 0) else 8 if w.version < (0, 13, 0) else 9 if w.version < (0, 14, 0) else 10
        w.need(1 <= kind <= highest or (kind == 6 and w.version == (0, 10, 0)), f"GPU type {kind}")
        contexts.append([thread, calibrated, started, period, kind, name, overflow, sorted(note_names), sorted(notes),
                         sorted(rows, key=lambda r: r[0])])
    w.need(lists >= w.gpu_child_lists, "too few GPU child lists")
    w.content["gpu"] = contexts


SECTIONS = (locks, messages, extras, threads, gpu_contexts)
