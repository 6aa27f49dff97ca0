"""A second reader of Chrome traces, made from docs/commands/import.md: what `tendril import` must make of a list of events. It is
slow and simple on purpose: exact numbers, all pairs of zones compared.

    read(texts) -> Expected, for the texts of single events in the order of the file
"""
import json
from decimal import Decimal, ROUND_FLOOR

HOURS = 2 ** 47 - 2
KINDS = {"N": "OBJECT", "O": "OBJECT", "D": "OBJECT", "v": "MEMORY", "V": "MEMORY", "P": "SAMPLE", "(": "MARK", ")": "MARK",
         "c": "MARK", "=": "MARK"}
WORDS = {"DAMAGED": "damaged event", "PHASE": "unknown kind", "TIME": "without a time", "LENGTH": "length", "END": "without a begin",
         "FLOW": "end of a flow", "FLOWS": "ends of flows", "FLOW_ID": "flow without an id", "FLOW_IDS": "flows without ids",
         "ARGUMENT": "sets? of arguments", "VALUE": "counter", "FACT": "fact", "OBJECT": "object", "MEMORY": "memory dump",
         "SAMPLE": "sample", "MARK": "mark"}
OPEN = None


class Lost(Exception):
    """An event that is left out; the argument is its kind."""


class Raw(str):
    """A number, as it is written."""


def no_constant(name):
    raise ValueError(name)


def parse(text):
    """The event, with numbers as texts. ValueError: it is damaged."""
    event = json.loads(text, parse_float=Raw, parse_int=Raw, parse_constant=no_constant, strict=False)
    text.encode("utf-8", "surrogatepass")
    check_surrogates(event)
    if "\0" in text:
        raise ValueError("NUL")
    return event


def check_surrogates(value):
    if isinstance(value, dict):
        for key, item in value.items():
            check_surrogates(key)
            check_surrogates(item)
    elif isinstance(value, list):
        for item in value:
            check_surrogates(item)
    elif isinstance(value, str):
        value.encode("utf-8")  # a lone surrogate cannot be


def shown(value):
    """A value as text: strings as they are, all else as compact JSON."""
    if isinstance(value, str):
        return value.replace("\0", "\ufffd")
    return compact(value)


def compact(value):
    if isinstance(value, Raw):
        return str(value)
    if isinstance(value, dict):
        return "{" + ",".join(json.dumps(k, ensure_ascii=False) + ":" + compact(v) for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(compact, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def lines_of(args):
    if args is None:
        return ""
    return "".join("%s: %s\n" % (shown(k), shown(v)) for k, v in args.items()) if isinstance(args, dict) else shown(args)


def said(name, args):
    """A message."""
    text = lines_of(args)
    return name + "\n" + (text[:-1] if text.endswith("\n") else text) if text else name


def number(value):
    if not isinstance(value, str):
        raise Lost("TIME")
    text = str(value)
    if not text or text[0] not in "-0123456789" or text.strip() != text or "_" in text:
        raise Lost("TIME")
    try:
        return Decimal(text)
    except ArithmeticError:
        raise Lost("TIME") from None


def identity(value):
    if value is None:
        return "0"
    if isinstance(value, Raw):
        exact = Decimal(str(value))
        return str(int(exact)) if exact == exact.to_integral_value() and abs(exact) <= 4 * 10 ** 18 else str(value)
    return shown(value)


def to_ns(us):
    """Rounded to the nearest; a half to the later one."""
    return int((us * 1000 + Decimal("0.5")).to_integral_value(rounding=ROUND_FLOOR))


class Zone:
    def __init__(self, start, end, name, place, text, order, chain=None, parent=None, begun=False):
        self.start, self.end, self.name, self.place, self.text = start, end, name, place, text
        self.order, self.chain, self.parent, self.begun = order, chain, parent, begun
        self.links = []

    def last(self):
        return float("inf") if self.end is OPEN else self.end


class Owner:
    """A thread, or the operations of a process and category."""

    def __init__(self, pid, name, is_async):
        self.pid, self.id, self.is_async, self.name = pid, name, is_async, ""
        self.events = []  # (time, order, what, ...)

    def label(self, processes):
        of = processes.get(self.pid, "")
        start = (of + " " if of else "") + "PID " + self.pid
        if self.is_async:
            return start + " async" + (" " + self.id if self.id else "")
        return "(%s TID %s) %s" % (start, self.id, self.name) if self.name else "%s TID %s" % (start, self.id)


class Expected:
    def __init__(self):
        self.tracks, self.messages, self.frames, self.plots = {}, [], {}, {}
        self.lost, self.renamed, self.zones = {}, 0, 0

    def lose(self, kind):
        self.lost[kind] = self.lost.get(kind, 0) + 1


class Reader:
    def __init__(self):
        self.out = Expected()
        self.owners, self.processes, self.chains = {}, {}, {}
        self.instants, self.samples, self.flows = [], {}, []
        self.labels, self.shown_as = {}, {}
        self.base, self.zero = None, 0

    def owner(self, pid, name, is_async=False):
        key = (pid, name, is_async)
        if key not in self.owners:
            self.owners[key] = Owner(pid, name, is_async)
        return self.owners[key]

    def time(self, us):
        whole = int(us.to_integral_value(rounding=ROUND_FLOOR))
        if abs(us) > 4 * 10 ** 18:
            raise Lost("TIME")
        if self.base is None:
            self.base = whole
        if abs(whole - self.base) > 4500000000000000:
            raise Lost("TIME")
        return to_ns(us - self.base)

    def chain(self, event, phase):
        pid, cat = identity(event.get("pid")), shown(event["cat"]) if "cat" in event else ""
        key, id2 = ["old" if phase in "STpF" else "new", cat], event.get("id2")
        key.append(shown(event.get("name", "")) if phase in "STpF" else shown(event.get("scope", "")))
        if isinstance(id2, dict) and "local" in id2:
            key += ["local", pid, identity(id2["local"])]
        elif isinstance(id2, dict) and "global" in id2:
            key += ["global", identity(id2["global"])]
        elif "id" in event:
            key += ["id", identity(event["id"])]
        else:
            key += ["thread", pid, identity(event.get("tid"))]
        key = tuple(key)
        if key not in self.chains:
            self.chains[key] = self.owner(pid, cat, True)
        return key, self.chains[key]

    def event_id(self, event):
        """The id, and whether it is one of the process."""
        id2 = event.get("id2")
        for kind in ("local", "global"):
            if isinstance(id2, dict) and kind in id2:
                return id2[kind], kind == "local"
        if "id" not in event:
            return Lost, False
        return event["id"], False

    def label(self, name, number, more):
        """What a flow is shown as: "NAME #ID", with "(MORE)" if another one is."""
        flow = (name, number, more)
        if flow not in self.labels:
            text = (name + " #" + number).replace("\n", " ")
            if self.shown_as.setdefault(text, flow) != flow and more:
                text += (" (" + more + ")").replace("\n", " ")
            self.labels[flow] = text
        return self.labels[flow]

    def flow_label(self, event, name):
        number, local = self.event_id(event)
        if number is Lost:
            raise Lost("FLOW_ID")
        more = [shown(event[key]) for key in ("cat", "scope") if key in event and shown(event[key])]
        if local:
            more.append("PID " + identity(event.get("pid")))
        name = name if "name" in event else shown(event["cat"]) if "cat" in event else "flow"
        return self.label(name, identity(number), ", ".join(more))

    def own_flow(self, event, owner, time, order):
        """What the zone that was added last says of a flow itself."""
        into, out = event.get("flow_in") is True, event.get("flow_out") is True
        if "bind_id" in event and (into or out):
            kind = "step" if into and out else "in" if into else "out"
            flow = [time, order, self.label("bind", identity(event["bind_id"]), ""), kind, 0, owner.events[-1][3]]
            self.flows.append(flow)
            owner.events.append((time, order, "F", flow))

    def lose_arguments(self, event):
        if isinstance(event.get("args"), dict) and event["args"]:
            self.out.lose("ARGUMENT")

    def metadata(self, event):
        name, args = event.get("name"), event.get("args")
        if not isinstance(name, str) or isinstance(name, Raw) or not isinstance(args, dict):
            raise Lost("FACT")
        if name in ("thread_name", "process_name"):
            given = args.get("name")
            if not isinstance(given, str) or isinstance(given, Raw):
                raise Lost("FACT")
            if name == "thread_name":
                self.owner(identity(event.get("pid")), identity(event.get("tid"))).name = shown(given)
            else:
                self.processes[identity(event.get("pid"))] = shown(given)
        elif name in ("thread_sort_index", "process_sort_index"):
            try:
                number(args.get("sort_index"))
            except Lost:
                raise Lost("FACT") from None

    def counter(self, event, time):
        args = event.get("args")
        name = shown(event["name"]) if "name" in event else ""
        own, _ = self.event_id(event)
        if own is not Lost:
            name += "[" + identity(own) + "]"
        if not isinstance(args, dict) or not args:
            raise Lost("VALUE")
        for key, value in args.items():
            try:
                exact = float(number(value))
                if exact - exact != 0:
                    raise Lost
            except Lost:
                self.out.lose("VALUE")
                continue
            self.samples.setdefault((identity(event.get("pid")), name, shown(key)), []).append((time, exact))

    def take(self, event, order):
        phase = event.get("ph")
        if phase == "M":
            self.metadata(event)
            return
        if isinstance(phase, Raw) or not isinstance(phase, str) or len(phase) != 1 or phase not in "BEXbeniIRCSTpFstf":
            raise Lost(KINDS.get(phase, "PHASE") if isinstance(phase, str) else "PHASE")
        us = number(event.get("ts"))
        time = self.time(us)
        if phase == "C":
            self.counter(event, time)
            return
        chain = None
        if phase in "benSTpF":
            chain, owner = self.chain(event, phase)
        else:
            owner = self.owner(identity(event.get("pid")), identity(event.get("tid")))
        name = shown(event["name"]) if "name" in event else ""
        text = lines_of(event.get("args"))
        if phase == "X":
            end = OPEN
            if "dur" in event:
                try:
                    length = number(event["dur"])
                except Lost:
                    raise Lost("LENGTH") from None
                if length < 0 or length > 4 * 10 ** 18:
                    raise Lost("LENGTH")
                end = self.time(us + length)
            owner.events.append((time, order, "X", Zone(time, end, name, place_of(event), text, order)))
            self.own_flow(event, owner, time, order)
        elif phase in "BbS":
            owner.events.append((time, order, "B", Zone(time, OPEN, name, place_of(event), text, order, chain, begun=True)))
            self.own_flow(event, owner, time, order)
        elif phase in "EeF":
            owner.events.append((time, order, "E", name, text, chain))
        elif phase in "stf":
            label = self.flow_label(event, name)
            self.lose_arguments(event)
            kind = "out" if phase == "s" else "step" if phase == "t" else "in" if event.get("bp") == "e" else "next"
            flow = [time, order, label, kind, 0, None]
            self.flows.append(flow)
            owner.events.append((time, order, "F", flow))
        else:
            args = event.get("args")
            if phase in "Tp" and isinstance(args, dict) and "step" in args:
                name += ": " + shown(args["step"])
                args = args if len(args) > 1 else None
            if phase in "iIR" and "frame" in name.lower():
                self.lose_arguments(event)
                self.instants.append((time, order, None, name))
            else:
                owner.events.append((time, order, "M", said(name, args), chain))

    def finish(self):
        self.keep_hours()
        self.number_flows()
        for owner in self.owners.values():
            self.lay(owner)
        zero = self.zero
        out = self.out
        for time, _, track, text in sorted(self.instants, key=lambda i: i[:2]):
            if track is None:
                out.frames.setdefault(text, []).append(time - zero)
            else:
                out.messages.append((time - zero, track, text))
        for track in out.tracks.values():
            for zone in track:
                zone[2] -= zero
        self.name_plots(zero)
        return out

    def keep_hours(self):
        """Leaves out what is outside of the 39 hours with most items."""
        times = [time for times in self.samples.values() for time, _ in times] + [i[0] for i in self.instants]
        times += [e[0] for o in self.owners.values() for e in o.events if e[2] in "XBM"]
        best, self.zero = 0, 0
        for first in sorted(set(times)):
            inside = sum(first <= time <= first + HOURS for time in times)
            if inside > best:
                best, self.zero = inside, first

        def fits(time):
            if not times or self.zero <= time <= self.zero + HOURS:
                return True
            self.out.lose("TIME")
            return False
        self.instants = [i for i in self.instants if fits(i[0])]
        self.samples = {s: [p for p in points if fits(p[0])] for s, points in self.samples.items()}
        for owner in self.owners.values():
            owner.events = [e for e in owner.events if e[2] == "F" or (e[2] == "E" and e[0] < self.zero) or fits(
                e[3].end if e[2] == "X" and e[3].end is not OPEN and self.zero <= e[0] <= self.zero + HOURS else e[0])]
        self.flows = [e[3] for o in self.owners.values() for e in o.events if e[2] == "F"]

    def name_plots(self, zero):
        def plain(series):
            key = "" if series[2] in ("value", series[1]) else series[2]
            return series[1] + (" " if series[1] and key else "") + key
        uses = {}
        for series in self.samples:
            uses[plain(series)] = uses.get(plain(series), 0) + 1
        for series, points in self.samples.items():
            name = plain(series)
            if uses[name] > 1:
                of = self.processes.get(series[0], "")
                name += " (" + (of + " " if of else "") + "PID " + series[0] + ")"
            if points:
                self.out.plots.setdefault(name, []).extend((time - zero, value) for time, value in points)

    def number_flows(self):
        last, part = None, 0
        for flow in sorted(self.flows, key=lambda f: (f[2], f[0], f[1])):
            if flow[2] != last or flow[3] == "out":
                part = 0
            last = flow[2]
            flow[4] = part
            part += flow[3] == "step"

    def pair(self, events):
        stacks = {}
        for event in events:
            if event[2] == "B":
                zone = event[3]
                stack = stacks.setdefault(zone.chain, [])
                zone.parent = stack[-1] if stack else None
                stack.append(zone)
            elif event[2] == "E":
                stack = stacks.setdefault(event[5], [])
                if not stack:
                    self.out.lose("END")
                    continue
                same = [i for i, zone in enumerate(stack) if event[3] and zone.name == event[3]]
                if event[3] and not same:
                    self.out.renamed += 1
                at = same[-1] if same else len(stack) - 1
                zone = stack.pop(at)
                if at < len(stack):
                    stack[at].parent = zone.parent
                zone.end = event[0]
                if event[4]:
                    zone.links.append(event[4])

    def lay(self, owner):
        events = sorted(owner.events, key=lambda e: e[:2])
        self.pair(events)
        lines, placed, waiting = [], [], []  # lines: stacks of zones that may be open
        times = sorted({e[0] for e in events})
        for time in times:
            now = [e for e in events if e[0] == time]
            first = len(placed)
            for zone in run_order([e[3] for e in now if e[2] == "B"], [e[3] for e in now if e[2] == "X"]):
                place(zone, lines, placed)
            if len(placed) > first:
                for flow in waiting:
                    self.bind(flow[0], placed[first])
                waiting = []
            for event in now:
                if event[2] == "F":
                    flow = event[3]
                    found = around(lines, time, None, placed)
                    if flow[5]:
                        self.bind(flow, flow[5] if flow[5] in placed else None)
                    elif flow[3] != "next":
                        self.bind(flow, found)
                    elif len(placed) > first:
                        self.bind(flow, placed[first])
                    else:
                        waiting.append((flow, found))
                elif event[2] == "M":
                    found = around(lines, time, event[4], placed) if event[4] else None
                    self.instants.append((time, event[1], (owner, found.line if found else 0), event[3]))
        for flow, found in waiting:
            self.bind(flow, found)
        self.store(owner, placed)

    def store(self, owner, placed):
        label = owner.label(self.processes)

        def track(line):
            return label + (", line %d" % (line + 1) if line else "")
        for i, (time, order, where, text) in enumerate(self.instants):
            if isinstance(where, tuple) and where[0] is owner:
                self.instants[i] = (time, order, track(where[1]), text)
        for zone in placed:
            text = zone.text
            for link in zone.links:
                text += link if link.endswith("\n") else link + "\n"
            depth, up = 0, zone.up
            while up:
                depth, up = depth + 1, up.up
            length = -1 if zone.end is OPEN else zone.end - zone.start
            self.out.tracks.setdefault(track(zone.line), []).append(
                [depth, zone.name, zone.start, length, zone.place, text])
            self.out.zones += 1

    def bind(self, flow, zone):
        if zone is None:
            self.out.lose("FLOW")
            return
        part = flow[4]
        if flow[3] != "out":
            zone.links.append("flow in " + flow[2] + (".%d" % part if part else ""))
        if flow[3] in ("out", "step"):
            part += flow[3] == "step"
            zone.links.append("flow out " + flow[2] + (".%d" % part if part else ""))


def place_of(event):
    loc = event.get("loc")
    if not isinstance(loc, str) or isinstance(loc, Raw):
        return ["", 0]
    file, colon, line = loc.rpartition(":")
    if not colon or not 1 <= len(line) <= 9 or line.strip("0123456789"):
        return [shown(loc), 0]
    return [shown(file), int(line)]


def run_order(begun, complete):
    """Zones that begin at one time: begun ones as they came, complete ones before those that are all shorter."""
    complete = sorted(complete, key=lambda z: (-z.last(), z.order))
    ordered = []
    for i, zone in enumerate(begun):
        longest = max(begun[i:], key=lambda z: (z.last(), -z.order))
        while complete and (-complete[0].last(), complete[0].order) < (-longest.last(), longest.order):
            ordered.append(complete.pop(0))
        ordered.append(zone)
    return ordered + complete


def is_known_inside(outer, zone):
    up = zone.parent
    while up is not None and up.last() == zone.start:
        if up is outer:
            return True
        up = up.parent
    return False


def has_ended(zone, following):
    if zone.last() != following.start:
        return zone.last() < following.start
    return following.last() != following.start or not is_known_inside(zone, following)


def place(zone, lines, placed):
    for line in lines:
        while line and has_ended(line[-1], zone):
            line.pop()
    inside = [line for line in lines if line and line[-1].last() >= zone.last() and line[-1].chain == zone.chain]
    empty = [line for line in lines if not line]
    if inside:
        line = max(inside, key=lambda l: placed.index(l[-1]))
    elif empty:
        line = empty[0]
    else:
        line = []
        lines.append(line)
    zone.up = line[-1] if line else None
    zone.line = [i for i, l in enumerate(lines) if l is line][0]
    line.append(zone)
    placed.append(zone)


def around(lines, time, chain, placed):
    for line in lines:
        while line and line[-1].last() < time:
            line.pop()
    found = [line[-1] for line in lines if line and line[-1].chain == chain]
    return max(found, key=placed.index) if found else None


def read(texts):
    reader = Reader()
    for order, text in enumerate(texts):
        try:
            event = parse(text)
        except (ValueError, UnicodeEncodeError):
            reader.out.lose("DAMAGED")
            continue
        try:
            reader.take(event, order)
        except Lost as lost:
            reader.out.lose(lost.args[0])
    return reader.finish()
