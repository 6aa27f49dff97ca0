#!/usr/bin/env python3
"""tendril export --to pprof: the stacks of the profile are those that query and folded stacks have."""
import gzip
import os
import tempfile

from common import check, exit_status
from protobuf_reader import fields, first
from test_export import answers, export, folded, traces, word


def read(path):
    """What the values are; {(track, names, outermost first): values}; {name: {(function, file, line)}}."""
    with gzip.open(path) as f:
        profile = fields(f.read())
    strings = [s.decode("utf-8") for s in profile[6]]
    check("the first string is empty", strings[0] == "" and len(set(strings)) == len(strings))
    functions = {f[1][0]: f for f in map(fields, profile.get(5, []))}
    locations, places = {}, {}
    for location in map(fields, profile.get(4, [])):
        line = fields(location[4][0])
        function = functions[line[1][0]]
        name = strings[first(function, 2, 0)]
        locations[location[1][0]] = name
        places.setdefault(name, set()).add((strings[first(function, 3, 0)], strings[first(function, 4, 0)], first(line, 2, 0)))
    check("numbers are given once", len(functions) == len(profile.get(5, [])) and len(locations) == len(profile.get(4, [])) and
          0 not in functions and 0 not in locations)
    stacks = {}
    for sample in map(fields, profile.get(2, [])):
        label = fields(sample[3][0])
        check("the label is the track", strings[label[1][0]] == "track")
        key = strings[label[2][0]], *(locations[n] for n in reversed(sample.get(1, [])))
        check("a stack is one sample", key not in stacks, key)
        stacks[key] = sample[2]
    types = [tuple(strings[n] for n in (t[1][0], t[2][0])) for t in map(fields, profile[1])]
    return types, stacks, places


def pprof_of(trace, folder):
    out, plain = os.path.join(folder, "trace.pb.gz"), os.path.join(folder, "trace.folded")
    zones, tracks = answers(trace, "SELECT * FROM zones", "SELECT id, name FROM tracks")
    if not export("pprof", out, trace):
        return 0
    types, stacks, places = read(out)
    check("what the values are", types == [("zones", "count"), ("time", "nanoseconds")], types)
    names, paths, wanted = {t["id"]: t["name"] for t in tracks}, {}, {}
    for zone in zones:
        around = paths[zone["parent"]] if zone["parent"] is not None else (names[zone["track_id"]],)
        paths[zone["id"]] = (*around, zone["name"] or "???")
        sums = wanted.setdefault(paths[zone["id"]], [0, 0])
        sums[0] += 1
        sums[1] += zone["self_ns"] or 0
    check("zones in pprof", stacks == wanted, trace, stacks, wanted)
    known = {(z["name"] or "???", z["function"], z["file"], z["line"]) for z in zones}
    check("places in pprof", all((name, *place) in known for name, found in places.items() for place in found), trace, places)
    if not export("pprof", out, trace, "--stacks", "samples") or not export("folded", plain, trace, "--stacks", "samples"):
        return 0
    types, stacks, _ = read(out)
    check("what the values of samples are", types[0] == ("samples", "count") and types[1:] in ([], [("cpu", "nanoseconds")]))
    lines = {}
    for key, values in stacks.items():
        line = ";".join(map(word, key))
        lines[line] = lines.get(line, 0) + values[0]
    check("samples in pprof", lines == folded(plain), trace, lines, folded(plain))
    return len(lines)


def main():
    with tempfile.TemporaryDirectory() as folder:
        seen = [pprof_of(trace, folder) for trace in traces(folder)]
        check("there are samples to compare", any(seen), seen)
    return exit_status()


if __name__ == "__main__":
    raise SystemExit(main())
