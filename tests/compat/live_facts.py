"""The markers of tests/compat/program/features.cpp in each of its modes, as facts about the trace: the facts found in the
output of trace_dump, and the expected ones. A feature is a row of the matrix; a fact is a name and a value."""
import re

from stock import number

COLORS = (0, 0xFF0000, 0x00FF00, 0x0000FF, 0xFFFF00)
WORKERS = ["worker 0", "worker 1", "worker 2"]
SOURCE_TEXT = b"// the text that the program tells\n"
# The first release whose protocol has the feature; with older ones the program uses an older marker or none.
SINCE = {"group hints": "0.11.1", "memory discards": "0.12.2", "severities": "0.14.0", "sections": "0.14.0"}
ORDER = {"0.9.0": "0.9.0", "0.9.1": "0.9.1", "0.10": "0.10.0", "ttfork": "0.10.1", "0.11.1": "0.11.1", "0.12.2": "0.12.2",
         "0.13.1": "0.13.1", "0.14.0": "0.14.0"}


def has(feature, release):
    return number(ORDER[release]) >= number(SINCE.get(feature, "0.0.0"))


# ---- what a trace holds ----

def tracks(dump, device=False):
    return [t for t in dump["tracks"] if bool(t["context"]) == device]


def counted(items):
    counts = {}
    for item in items:
        counts[item] = counts.get(item, 0) + 1
    return counts


def located(zone):
    """The zone's name, else its function."""
    name, function = zone[2][:2]
    return function if name is None else name


def zones_of(dump, name, device=False):
    return [z for t in tracks(dump, device) for z in t["zones"] if located(z) == name]


def count_zones(dump, device=False):
    return counted(located(z) for t in tracks(dump, device) for z in t["zones"])


def value_of(line):
    """The value in a text; from 0.12 on the text also has its hexadecimal form."""
    found = re.fullmatch(r"(\d+)(?: \[0x([0-9a-f]+)\])?", line or "")
    return int(found[1]) if found and (not found[2] or int(found[2], 16) == int(found[1])) else None


def told(zone):
    """Text and value of a zone that has one line of each."""
    lines = (zone[6] or "").split("\n")
    return (lines[0], value_of(lines[1])) if len(lines) == 2 else None


def list_of(dump, table, number):
    return dump[table][number] if number is not None and number < len(dump[table]) else []


def user_messages(dump):
    return [m for m in dump["MESSAGE"] if m[5] == 0]


def lock_of(dump, name):
    for i, row in enumerate(dump["LOCK"]):
        if row[2] and name in (row[2][0], row[2][1]):
            kinds = [0] * 6
            for event in list_of(dump, "LOCK_EVENT", i):
                kinds[event[3]] += 1
            marks = sum(bool(e[1]) for e in list_of(dump, "LOCK_EVENT", i))
            return [kinds, len(list_of(dump, "LOCK_THREAD", i)), bool(row[6]), marks, row[1]]
    return None


def pool_of(dump, name):
    """Allocations, active ones, bytes in use, call stacks of allocations and frees, sum of sizes."""
    for i, row in enumerate(dump["POOL"]):
        if row[0] == name:
            events = list_of(dump, "MEMORY", i)
            return [len(events), sum(e[5] == -1 for e in events), row[3], sum(bool(e[2]) for e in events),
                    sum(bool(e[3]) for e in events), sum(e[1] for e in events)]
    return None


def plot_of(dump, name):
    for i, plot in enumerate(dump["plots"]):
        if plot[5] == name:
            return [plot[1:5], [value for _, value in list_of(dump, "POINT", i)]]
    return None


def frames_of(dump, name):
    for i, (called, continuous) in enumerate(dump["frame_sets"]):
        if called == name or (name is None and i == 0):
            return [continuous, list_of(dump, "FRAME", i)]
    return [None, []]


def stack_functions(dump, stack):
    lines, first = {}, 0
    for frame, _, end in dump["STACK_FRAME"]:
        lines[frame] = [line[0] for line in dump["STACK_LINE"][first:end]]
        first = end
    return [name for frame in stack or [] for name in lines.get(frame, [])]


def resolved(dump, stack, function):
    return any(function in (name or "") for name in stack_functions(dump, stack))


def context_of(dump, name):
    """Type; the times of zones with start and end, by location; the other zones."""
    for i, row in enumerate(dump["GPU_CONTEXT"]):
        if row[4] == name:
            zones = [z for t in tracks(dump, True) if t["context"] == i + 1 for z in t["zones"]]
            lengths = {}
            for z in zones:
                lengths.setdefault(located(z), []).append(z[4])
            return {"type": row[3], "zones": counted(located(z) for z in zones), "overflow": row[5],
                    "lengths": {n: sorted(v) for n, v in lengths.items()}, "period": row[2],
                    "children": sum(z[1] for z in zones), "bound": row[0] != 0,
                    "starts": sorted(z[3] for z in zones)}
    return {}


def steps(starts):
    return sorted({b - a for a, b in zip(starts, starts[1:])})


# ---- mode features ----

def features(dump):
    inner = [told(z) for z in zones_of(dump, "inner")]
    renamed = zones_of(dump, "before rename")
    base, physics, audio = frames_of(dump, None), frames_of(dump, "Physics"), frames_of(dump, "Audio")
    users = user_messages(dump)
    texts = {m[2]: m for m in users}
    first, second = context_of(dump, "Device 0"), context_of(dump, "Device 1")
    stacks = [z[5] for z in zones_of(dump, "with stack")]
    main = next((t for t in tracks(dump) if t["name"] == "Main thread"), {"thread": None})
    sources = {name: bytes.fromhex(text) for name, text, _ in dump["SOURCE"]}
    return {
        "zones": {
            "by place": count_zones(dump),
            "by thread": {t["name"]: t["count"] for t in tracks(dump) if t["count"]},
            "with children": sum(bool(z[1]) for t in tracks(dump) for z in t["zones"]),
            "depth": max([z[0] for z in zones_of(dump, "recurse")], default=None),
            "without end": sum(z[4] < 0 for t in tracks(dump) for z in t["zones"]),
            "file": sorted({z[2][2] for t in tracks(dump) for z in t["zones"]}),
            "function": [z[2][1] for z in zones_of(dump, "unnamed_zone")],
            "colour": sorted({z[2][4] for z in zones_of(dump, "c zone")}),
        },
        "texts, values, colours": {
            "inner": sorted(inner, key=str),
            "colours": counted(z[8] for z in zones_of(dump, "inner")),
            "c inner": [told(z) for z in zones_of(dump, "c inner")],
            "lines": [z[6] for z in renamed],
            "colour": [z[8] for z in renamed],
        },
        "names at run time": {
            "renamed": [z[7] for z in renamed],
            "transient": [len(zones_of(dump, "transient %d" % i)) for i in range(3)],
            "empty": sum(1 for t in tracks(dump) for z in t["zones"] if z[2][0] == ""),
        },
        "frames": {
            "base": [base[0], len(base[1])],
            "continuous": [physics[0], len(physics[1])],
            "with ends": [audio[0], len(audio[1]), sum(f[1] >= f[0] for f in audio[1])],
        },
        "frame images": {
            "sizes": [row[:3] for row in dump["IMAGE"]],
            "frames": [i for i, f in enumerate(base[1]) if f[2] >= 0],
            "pixels": sorted({row[4] for row in dump["IMAGE"]}),
        },
        "plots": {name: plot_of(dump, name) for name in ("plot int", "plot double", "plot float")},
        "messages": {
            "count": len(users),
            "texts": sorted((m[2], m[3]) for m in users if m[2].startswith("message ")),
            "longest": max([len(m[2]) for m in users], default=0),
            "in order": all(a[0] <= b[0] for a, b in zip(users, users[1:])),
        },
        "severities": {name: texts[name][5:] for name in ("severity error", "severity debug") if name in texts},
        "locks": {
            "mutex": lock_of(dump, "mutex"),
            "never terminated": lock_of(dump, "never terminated"),
        },
        "shared locks": {"shared mutex": lock_of(dump, "shared mutex")},
        "memory": {"default": pool_of(dump, None)},
        "memory pools": {"GPU pool": pool_of(dump, "GPU pool")},
        "memory discards": {"arena": pool_of(dump, "arena")},
        "GPU zones": {
            "first": {k: first.get(k) for k in ("type", "zones", "lengths", "children", "period")},
            "second": {k: second.get(k) for k in ("type", "zones", "lengths", "children")},
            "starts": steps(second.get("starts", [])),
        },
        "call stacks": {
            "zones": len([s for s in stacks if s]),
            "resolved": all(resolved(dump, s, "with_stack") for s in stacks),
            "callers": all(resolved(dump, s, "main") for s in stacks),
            "message": bool(texts.get("message with stack", [0] * 7)[4]),
        },
        "fibers": {
            "tracks": [[t["name"], t["count"]] for t in dump["tracks"] if t["fiber"]],
            "switches": [len(list_of(dump, "SWITCH", i)) for i in range(len(dump["SWITCH_THREAD"]))],
        },
        "sections": {
            "sections": sorted([row[0], row[3], row[2] >= row[1]] for row in dump["SECTION"]),
            "categories": sorted([row for row in dump["SECTION_CATEGORY"] if row[1]]),
        },
        "application info": {"lines": [row[0] for row in dump["APP_INFO"] if not row[0].startswith("tendril.")]},
        "thread names": {
            "names": sorted(t["name"] for t in tracks(dump) if t["count"] and not t["fiber"]),
            "main": main["thread"] == dump["pid"],
            "program": dump["program"],
        },
        "group hints": {"hints": {t["name"]: t["hint"] for t in tracks(dump) if t["count"] and not t["fiber"]}},
        "source callback": {"text": sources.get("features.cpp") == SOURCE_TEXT},
    }


def features_expected(release, ours):
    """`ours`: the client is Tendril's, whose headers have all macros, whatever the recorder's release."""
    zones = {"worker": 300, "inner": 300, "sometimes": 75, "frame body": 60, "recurse": 12, "c zone": 10, "c inner": 10,
             "transient 0": 4, "transient 1": 3, "transient 2": 3, "": 1, "unnamed_zone": 1, "before rename": 1,
             "with stack": 3, "fiber work": 5}
    squares = sorted([("iteration %d" % n, n * n) for n in range(100)] * 3, key=str)
    severe = ours or has("severities", release)
    discards = has("memory discards", release)
    messages = [("message %d of %s" % (n, who), COLORS[n % 5]) for who in WORKERS for n in range(25)]
    messages += [("message %d of main" % n, COLORS[n % 5]) for n in range(2, 25)] + [("message with stack", 0xFF00FF)]
    arena = [16, 0 if discards else 16, 0 if discards else 1024, 0, 0, 1024] if ours or discards else None
    hint = 7 if has("group hints", release) else 0
    expected = {
        "zones": {
            "by place": zones,
            "by thread": {"Main thread": 108, "worker 0": 225, "worker 1": 225, "worker 2": 225, "fiber": 5},
            "with children": 321, "depth": 11, "without end": 0, "file": ["features.cpp"], "function": ["unnamed_zone"],
            "colour": [0xAA5500],
        },
        "texts, values, colours": {
            "inner": squares,
            "colours": {0x102030 + i: 75 for i in range(4)},
            "c inner": [("c text", 42)] * 10,
            "lines": ["first line\nsecond line"],
            "colour": [0x4080C0],
        },
        "names at run time": {"renamed": ["after rename"], "transient": [4, 3, 3], "empty": 1},
        "frames": {"base": [1, 62], "continuous": [1, 30], "with ends": [0, 60, 60]},
        "frame images": {"sizes": [[32, 32, 1]] + [[32, 32, 0]] * 5, "frames": [1 + 10 * i for i in range(6)],
                         "pixels": [512]},
        "plots": {
            "plot int": [[1, 1, 0, 0x0080FF], [n * n for n in range(80)]],
            "plot double": [[2, 0, 1, 0x80FF00], [n / 2 for n in range(80)]],
            "plot float": [[0, 0, 1, 0], [n % 7 + .25 for n in range(80)]],
        },
        "messages": {"count": 102 if severe else 100, "texts": sorted(messages), "longest": 60000, "in order": True},
        "severities": {"severity error": [0, 4], "severity debug": [0, 1]},
        "locks": {
            "mutex": [[120, 121, 121, 0, 0, 0], 4, True, 120, "custom mutex"],
            "never terminated": [[1, 1, 1, 0, 0, 0], 1, False, 0, None],
        },
        "shared locks": {"shared mutex": [[10, 10, 10, 20, 20, 20], 3, True, 0, None]},
        "memory": {"default": [64, 7, 469, 4, 3, sum(64 + n for n in range(64))]},
        "memory pools": {"GPU pool": [64, 32, 6356992, 0, 0, sum(4096 * (n + 1) for n in range(64))]},
        "memory discards": {"arena": arena},
        "GPU zones": {
            "first": {"type": 2, "zones": {"gpu pass": 20, "gpu draw": 40}, "children": 40, "period": 1.0,
                      "lengths": {"gpu pass": [1100] * 20, "gpu draw": [250] * 40}},
            "second": {"type": 3, "zones": {"kernel": 8}, "lengths": {"kernel": [500] * 8}, "children": 0},
            "starts": [1000],
        },
        "call stacks": {"zones": 3, "resolved": True, "callers": True, "message": True},
        "fibers": {"tracks": [["fiber", 5]], "switches": [5]},
        "sections": {"sections": [[0, "whole run", True], [1, "open 2", False], [1, "part 1", True]],
                     "categories": [[1, "category one"]]},
        "application info": {"lines": ["info line one", "info line two"]},
        "thread names": {"names": ["Main thread", *WORKERS], "main": True, "program": "features"},
        "group hints": {"hints": {"Main thread": 0, **{name: hint for name in WORKERS}}},
        "source callback": {"text": True},
    }
    return {feature: facts for feature, facts in expected.items() if has(feature, release)}


# ---- the other modes ----

def many(dump):
    return {"many events": {
        "zones": count_zones(dump), "by thread": {t["name"]: t["count"] for t in tracks(dump) if t["count"]},
        "values": sorted(value_of(z[6]) for z in zones_of(dump, "leaf") if z[6]),
        "messages": sorted(m[2] for m in user_messages(dump)),
    }}


def many_expected(release, ours):
    return {"many events": {
        "zones": {"outer": 10000, "leaf": 10000}, "by thread": {"first": 10000, "second": 10000},
        "values": sorted(list(range(0, 5000, 100)) * 2),
        "messages": sorted("text %d of %d" % (n, t) for t in (0, 1) for n in range(1500)),
    }}


def images(dump):
    base = frames_of(dump, None)[1]
    return {"frame images": {"zones": count_zones(dump), "frames": len(base),
                             "sizes": counted(tuple(row[:3]) for row in dump["IMAGE"]),
                             "framed": [i for i, f in enumerate(base) if f[2] >= 0]}}


def images_expected(release, ours):
    return {"frame images": {"zones": {"render": 64}, "frames": 66, "sizes": {(64, 64, 0): 64},
                             "framed": list(range(1, 65))}}


def gpu(dump):
    contexts = {name: context_of(dump, name) for name in ("ticks", None, "wrapping", "clocked")}
    if not contexts[None]:
        contexts[None] = context_of(dump, "")
    return {"GPU zones": {
        "submit": len(zones_of(dump, "submit")), "zones": count_zones(dump, True),
        "ticks": [contexts["ticks"].get("lengths", {}).get("timed"), contexts["ticks"].get("period")],
        "types": [contexts[name].get("type") for name in contexts],
        "nameless": contexts[None].get("lengths"),
        "wrapped": [contexts["wrapping"].get("lengths"), contexts["wrapping"].get("overflow"),
                    steps(contexts["wrapping"].get("starts", []))],
        "calibrated": contexts["clocked"].get("lengths"),
    }}


def gpu_expected(release, ours):
    return {"GPU zones": {
        "submit": 1, "zones": {"timed": 11, "untimed": 2, "open": 1, "wrap": 8, "calibrated": 2},
        "ticks": [[40 * (5 + n) for n in range(10)], 40], "types": [1, 4, 5, 3],
        "nameless": {"timed": [500], "open": [-1]}, "wrapped": [{"wrap": [100] * 8}, 1 << 34, [400]],
        "calibrated": {"calibrated": [2000, 3000]},
    }}


def ondemand(dump):
    places = count_zones(dump)
    return {"on demand": {
        "zones": {name: n for name, n in places.items() if name != "before"}, "earlier": bool(places.get("before", 0) > 1),
        "messages": sorted(m[2] for m in user_messages(dump)), "plot": plot_of(dump, "plot"),
        "marked": dump["on_demand"], "info": [row[0] for row in dump["APP_INFO"] if not row[0].startswith("tendril.")],
        "frames before": dump["frame_offset"] > 0,
        "lock": (lock_of(dump, "std::mutex of_the_rounds") or [None])[0],
    }}


def ondemand_expected(release, ours):
    return {"on demand": {
        "zones": {"after": 20}, "earlier": False, "messages": ["literal"] * 20,
        "plot": [[1, 1, 1, 0], list(range(20))], "marked": 1, "info": ["said before"], "frames before": True,
        "lock": [20, 20, 20, 0, 0, 0],
    }}


def unfinished(feature):
    def facts(dump):
        crash = dump["crash"]
        return {feature: {
            "zones": count_zones(dump), "open": sum(z[4] < 0 for t in tracks(dump) for z in t["zones"]),
            "messages": sorted(m[2] for m in user_messages(dump)), "frames": len(frames_of(dump, None)[1]),
            "crash": crash and [bool(crash[2]), bool(crash[3])],
        }}
    return facts


def unfinished_expected(feature, crash):
    def facts(release, ours):
        return {feature: {
            "zones": {"outer unfinished": 1, "done": 10, "inner unfinished": 1}, "open": 2, "messages": ["alive"] * 10,
            "frames": 12, "crash": crash,
        }}
    return facts


MODES = {
    "features": (features, features_expected),
    "many": (many, many_expected),
    "images": (images, images_expected),
    "gpu": (gpu, gpu_expected),
    "killed": (unfinished("killed program"), unfinished_expected("killed program", None)),
    "crash": (unfinished("crashed program"), unfinished_expected("crashed program", [True, True])),
    "ondemand": (ondemand, ondemand_expected),
}


def brief(found, wanted):
    """The differences, in a line."""
    if isinstance(found, dict) and isinstance(wanted, dict):
        keys = [k for k in {**wanted, **found} if found.get(k) != wanted.get(k)]
        found, wanted = {k: found.get(k) for k in keys}, {k: wanted.get(k) for k in keys}
    elif isinstance(found, list) and isinstance(wanted, list) and len(found) == len(wanted) > 10:
        at = next(i for i, (a, b) in enumerate(zip(found, wanted)) if a != b) if found != wanted else 0
        return f"at {at}: {found[at]!r} instead of {wanted[at]!r}"
    return f"{str(found)[:400]} instead of {str(wanted)[:400]}"
