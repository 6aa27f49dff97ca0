"""The part of a trace's content that a version of the format can hold (in walker.py's form)."""
import copy


def carried(content, version):
    """The content as a file of that version has it: what the version lacks is dropped or replaced as readers do it."""
    c = copy.deepcopy(content)
    if version < (0, 13, 5):
        items = sorted(item for _, listed in c["sections"] for item in listed)
        c["sections"] = [[0, items]] if items and version == (0, 13, 4) else []
        c["cats"] = []
    for message in c["messages"]:
        if version < (0, 13, 2):
            message[5] = message[6] = None
        elif message[5] is None:
            message[5], message[6] = 0, 2
    for context in c["gpu"]:
        if version < (0, 12, 4):
            context[7], context[8] = [], []
        for _, zones in context[9]:
            for zone in zones:
                zone[8] = None if version < (0, 12, 4) else zone[8] or 0
    for _, switches in c["ctx"]:
        for switch in switches:
            if version < (0, 11, 3):
                del switch[7:]
            elif len(switch) == 7:
                switch.append(switch[3])
    if version < (0, 11, 2):
        for package in c["topology"]:
            package[1] = [[0, sorted(core for _, cores in package[1] for core in cores)]]
    if version < (0, 11, 1):
        for thread in c["threads"]:
            thread[4] = 0
    if version < (0, 9, 2):
        c["on_demand"] = None
    elif c["on_demand"] is None:
        c["on_demand"] = int(c["frame_offset"] != 0)
    return c


def first_difference(a, b, where=""):
    """A line that describes the first difference of two contents, or None."""
    if isinstance(a, dict) and isinstance(b, dict):
        for key in sorted(set(a) | set(b)):
            if key not in a or key not in b:
                return f"{where}/{key} is only in one"
            found = first_difference(a[key], b[key], f"{where}/{key}")
            if found:
                return found
        return None
    if isinstance(a, list) and isinstance(b, list):
        for i, (x, y) in enumerate(zip(a, b)):
            found = first_difference(x, y, f"{where}/{i}")
            if found:
                return found
        return None if len(a) == len(b) else f"{where} has {len(a)} and {len(b)} items"
    return None if a == b else f"{where}: {str(a)[:120]!r} and {str(b)[:120]!r}"


def differ(a, b):
    """As first_difference(), but `b` may have a base frame set and a default pool that `a` lacks."""
    if a == b:
        return None
    b = copy.deepcopy(b)
    if not a["cats"] and b["cats"] == [[0, None]]:
        b["cats"] = []  # the trace sections of 0.13.4 become categories
    if len(b["frames"]) == len(a["frames"]) + 1 and (not a["frames"] or a["frames"][0][0] != "Frame"):
        del b["frames"][0]
    if len(b["mem"]) == len(a["mem"]) + 1:
        b["mem"] = [p for p in b["mem"] if p[0] not in ("Frame", "???") or p[6]]
    return first_difference(a, b)
