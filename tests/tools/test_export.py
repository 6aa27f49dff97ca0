#!/usr/bin/env python3
"""tendril export: each format is read back and compared with what query prints of the same trace."""
import csv
import gzip
import io
import json
import os
import re
import sqlite3
import subprocess
import tempfile

import parquet_reader
from common import BINARY, SOURCE, TENDRIL, TRACE, check, exit_status

TRACES = os.path.join(SOURCE, "tests/data/trace")
SYNTHETIC = os.path.join(TRACES, "0.14.0/synthetic.tracy")
FORK = os.path.join(TRACES, "ttfork/synthetic.tracy")
csv.field_size_limit(1 << 24)
# Equal, overlapping, open and empty zones.
HARD = [{"ph": "X", "pid": 1, "tid": tid, "ts": ts, "dur": dur, "name": name} for tid, ts, dur, name in [
    (1, 1, 5, "a;b"), (1, 1, 5, "line\nbreak"), (1, 1, 5, '"\\'), (2, 10, 10, "d"), (2, 15, 10, "e"), (3, 16, 0, "none"),
    (3, 16, 0, "too"), (4, 20, 1.001, "\u00e4")]] + [{"ph": "B", "pid": 1, "tid": 3, "ts": 15, "name": "open"}]


def run(*words):
    return subprocess.run([TENDRIL, *words], capture_output=True, text=True, timeout=100, check=False, stdin=subprocess.DEVNULL)


def traces(folder):
    """The paths of the traces that all exports are tried with; some are made in the folder."""
    demo, hard = os.path.join(folder, "demo.tracy"), os.path.join(folder, "hard.json")
    subprocess.run([os.path.join(BINARY, "tests", "write_demo"), "demo", demo], check=True, stdout=subprocess.DEVNULL)
    with open(hard, "w", encoding="utf-8") as f:
        json.dump(HARD, f)
    check("hard zones are imported", run("import", "-q", "-o", hard + ".tracy", hard).returncode == 0)
    return TRACE, SYNTHETIC, FORK, demo, hard + ".tracy"


def export(to, out, trace, *words):
    r = run("export", "--to", to, "-o", out, *words, trace)
    check(f"{trace} is exported to {to}", r.returncode == 0 and not r.stdout and not r.stderr, r.returncode, r.stdout,
          r.stderr)
    return r.returncode == 0


def answers(trace, *questions):
    """The rows of each question."""
    r = run("query", "--format", "json", trace, "; ".join(questions))
    check(f"{questions} of {trace}", r.returncode == 0, r.stderr)
    found, at = [], 0
    while len(found) < len(questions) and r.returncode == 0:
        rows, end = json.JSONDecoder().raw_decode(r.stdout[at:])
        found.append(rows)
        at += end + len(r.stdout[at + end:]) - len(r.stdout[at + end:].lstrip())
    return found


def tables():
    """Names of tables, in which docs/query-tables.md has the columns and their types."""
    text = open(os.path.join(SOURCE, "docs/query-tables.md"), encoding="utf-8").read()
    found = {}
    for part in re.split(r"^## ", text, flags=re.M)[1:]:
        columns = re.findall(r"^\| `(\w+)` \| (\w+) \|", part, flags=re.M)
        if columns and " | type | " in part:
            found[part.split("\n", 1)[0]] = columns
    return found


def tables_of(trace, folder):
    out, base = os.path.join(folder, "tables"), os.path.join(folder, "trace.db")
    if not export("csv", out, trace) or not export("sqlite", base, trace):
        return
    described = tables()
    check("there is a file for each table", sorted(os.listdir(out)) == sorted(name + ".csv" for name in described))
    db = sqlite3.connect(base)
    check("the database is sound", db.execute("PRAGMA integrity_check").fetchall() == [("ok",)])
    check("there is a table for each", sorted(row[0] for row in db.execute("SELECT name FROM sqlite_schema")) ==
          sorted(described))
    questions = [f"SELECT * FROM {name}" for name in described]
    asked = dict(zip(described, answers(trace, *questions)))
    files = {}
    for name, columns in described.items():
        check(f"types of {name}", [row[1:3] for row in db.execute(f"PRAGMA table_info({name})")] == columns)
        kept = [dict(zip((c for c, _ in columns), row)) for row in db.execute(f"SELECT * FROM {name}")]
        check(f"{name} in the database", kept == asked[name], trace)
        with open(os.path.join(out, name + ".csv"), encoding="utf-8", newline="") as f:
            files[name] = f.read()
        read = list(csv.DictReader(io.StringIO(files[name])))
        check(f"{name} in CSV has each cell", len(read) == len(kept) and all(
            list(a) == list(b) and all(x == "" if y is None else x == y if isinstance(y, str) else float(x) == float(y)
                                       for x, y in zip(a.values(), b.values())) for a, b in zip(read, kept)), trace)
    check("CSV is that of query", "".join(files.values()) == run("query", "--format", "csv", trace,
                                                                 "; ".join(questions)).stdout, trace)
    rows = sum(len(each) for each in asked.values())
    check("the trace has rows", rows > 30, rows)
    db.close()


def parquet_of(trace, folder):
    """Also in groups of rows that follow each other in time: rows are compared by their contents."""
    out, described = os.path.join(folder, "parquet"), tables()
    if not export("parquet", out, trace):
        return
    check("there is a file of Parquet for each table", sorted(os.listdir(out)) == sorted(n + ".parquet" for n in described))
    wanted = dict(zip(described, answers(trace, *(f"SELECT * FROM {name}" for name in described))))
    kinds = {"INTEGER": parquet_reader.INT64, "REAL": parquet_reader.DOUBLE, "TEXT": parquet_reader.BYTE_ARRAY}
    for name, columns in described.items():
        found, _, keys = parquet_reader.read(os.path.join(out, name + ".parquet"))
        check(f"types of {name} in Parquet", [(c, kind) for c, (kind, _) in found.items()] ==
              [(c, kinds[kind]) for c, kind in columns] and keys["tendril.table"] == name, trace)
        rows = [dict(zip(found, row)) for row in zip(*(values for _, values in found.values()))]
        check(f"{name} in Parquet", rows == wanted[name], trace, rows[:2], wanted[name][:2])
    for words, name in ((), "zones"), (("--table", "messages"), "messages"):
        alone = os.path.join(folder, "alone.parquet")
        if export("parquet", alone, trace, *words):
            with open(alone, "rb") as one, open(os.path.join(out, name + ".parquet"), "rb") as same:
                check("a file alone is that of the folder", one.read() == same.read(), trace, name)


def large_parquet(folder):
    """Several groups of rows, which follow each other in time over all plots, and texts that are too long for a
    dictionary."""
    trace, out, points = os.path.join(folder, "large"), os.path.join(folder, "large.parquet"), 140000
    texts = [f"{i} \u00e4" + "x" * (60000 if i % 3 else i) for i in range(70)]
    events = [{"ph": "C", "pid": 1, "ts": i, "name": f"plot {i % 2}", "args": {"v": i * 0.5}} for i in range(points)]
    events += [{"ph": "i", "s": "t", "pid": 1, "tid": 1, "ts": i, "name": text} for i, text in enumerate(texts * 2)]
    with open(trace, "w", encoding="utf-8") as f:
        json.dump(events, f)
    check("the events are imported", run("import", "-q", "-o", trace + ".tracy", trace).returncode == 0)
    if not export("parquet", out, trace + ".tracy", "--table", "plot_points"):
        return
    found, groups, _ = parquet_reader.read(out)
    check("groups have the rows", len(groups) > 1 and sum(groups) == points and max(groups) <= 131072, groups)
    first, times = groups[0], found["time_ns"][1]
    check("groups follow in time", max(times[:first]) <= min(times[first:]) and times[:first] != sorted(times[:first]))
    check("points", sorted(zip(found["plot"][1], times, found["value"][1])) == sorted(
        (f"plot {i % 2} v", i * 1000, i * 0.5) for i in range(points)), times[:4])
    if export("parquet", out, trace + ".tracy", "--table", "messages"):
        check("long texts", parquet_reader.read(out)[0]["message"][1] == texts * 2)


def part_of(trace, folder):
    """What overlaps a range, of some tracks, in each format."""
    def rows(where_zones, where_messages, where_points, where_tracks):
        return [[tuple(row.values()) for row in rows] for rows in answers(
            trace, f"SELECT track, depth, start_ns, end_ns, name, text FROM zones WHERE {where_zones} ORDER BY 1, 2, 3",
            f"SELECT time_ns, thread, message FROM messages WHERE {where_messages} ORDER BY 1, 2",
            f"SELECT plot, time_ns, value FROM plot_points WHERE {where_points} ORDER BY 1, 2",
            f"SELECT name FROM tracks WHERE {where_tracks} ORDER BY 1")]

    def exported(*words):
        out = os.path.join(folder, "part.db")
        export("sqlite", out, trace, *words)
        db = sqlite3.connect(out)
        found = [db.execute(question).fetchall() for question in (
            "SELECT track, depth, start_ns, end_ns, name, text FROM zones ORDER BY 1, 2, 3",
            "SELECT time_ns, thread, message FROM messages ORDER BY 1, 2",
            "SELECT plot, time_ns, value FROM plot_points ORDER BY 1, 2", "SELECT name FROM tracks ORDER BY 1")]
        db.close()
        return found

    zones = "start_ns < 3000000 AND ifnull(end_ns, 9e18) > 2000000"
    times = "time_ns >= 2000000 AND time_ns < 3000000"
    cores = "{} LIKE '%BRISC%'"
    for words, wanted in [
            (("--range", "2ms..3ms"), rows(zones, times, times, "1")),
            (("--lanes", "BRISC"), rows(cores.format("track"), cores.format("thread"), "1", cores.format("name"))),
            (("-r", "2ms..3ms", "-l", "BRISC and zones > 0"), rows(
                f"{zones} AND {cores.format('track')}", f"{times} AND {cores.format('thread')}", times,
                f"{cores.format('name')} AND name IN (SELECT track FROM zones WHERE {zones})"))]:
        found = exported(*words)
        check(f"a part has rows: {words}", all(found[i] for i in (0, 2, 3)), found)
        check(f"a part: {words}", found == wanted, [f[:3] for f in found], [w[:3] for w in wanted])
    folded_out = os.path.join(folder, "part.folded")
    export("folded", folded_out, trace, "--lanes", "BRISC")
    check("stacks of a part", folded(folded_out) and all("BRISC" in line for line in folded(folded_out)))


def fleet(folder):
    out = os.path.join(folder, "fleet")
    export("parquet", out, TRACE, "--fleet", "--host", "node 7/x")
    export("parquet", out, SYNTHETIC, "--fleet")
    check("folders of a fleet", sorted(os.path.relpath(path, out) for path, _, files in os.walk(out) if files) == [
        "host=__HIVE_DEFAULT_PARTITION__/run=synthetic", "host=node%207%2Fx/run=features"], list(os.walk(out)))
    r = run("export", "--to", "parquet", "--fleet", "-o", out, SYNTHETIC)
    check("a run is not written a second time", r.returncode == 1 and "already exists" in r.stderr, r.stderr)
    export("parquet", os.path.join(folder, "odd"), TRACE, "--fleet", "--host", b"\xff\xc3\xa4" + "\U0001f600".encode() * 50)
    check("names are UTF-8", os.listdir(os.path.join(folder, "odd")) == ["host=%FF\u00e4" + "\U0001f600" * 50], os.listdir(os.path.join(folder, "odd")))


def word(name):
    return "".join(":" if c == ";" else " " if c < " " else c for c in name) or "???"


def folded_of(trace, folder):
    out = os.path.join(folder, "trace.folded")
    zones, tracks, stacks = answers(
        trace, "SELECT id, parent, track_id, name, self_ns FROM zones", "SELECT id, name FROM tracks ORDER BY id",
        "SELECT samples, stack FROM stacks")
    if not export("folded", out, trace):
        return
    paths, wanted = {}, {}
    for zone in zones:
        above = paths[zone["parent"]] if zone["parent"] is not None else word(tracks[zone["track_id"]]["name"])
        paths[zone["id"]] = above + ";" + word(zone["name"])
        if zone["self_ns"]:
            wanted[paths[zone["id"]]] = wanted.get(paths[zone["id"]], 0) + zone["self_ns"]
    check("folded zones", folded(out) == wanted, trace, folded(out), wanted)
    if not export("folded", out, trace, "--stacks", "samples"):
        return
    # Those of context switches are not costs, and in neither.
    found = {}
    for line, count in folded(out).items():
        below = line.split(";")[1:]
        if below:
            found[tuple(below[::-1])] = found.get(tuple(below[::-1]), 0) + count
    check("folded samples", found == {tuple(word(f) for f in row["stack"].split(";")): row["samples"] for row in stacks},
          trace, found, stacks)


def folded(path):
    found = {}
    with open(path, encoding="utf-8", errors="replace") as f:
        for line in f:
            stack, number = line.rstrip("\n").rsplit(" ", 1)
            found[stack] = found.get(stack, 0) + int(number)
    return found


def speedscope_of(trace, folder):
    out = os.path.join(folder, "trace.speedscope.json")
    zones, tracks, ends = answers(trace, "SELECT * FROM zones", "SELECT id, name FROM tracks ORDER BY id",
                                  "SELECT max(last_ns) AS ns FROM tracks")
    if not export("speedscope", out, trace):
        return
    with open(out, encoding="utf-8") as f:
        file = json.load(f)
    check("schema", file["$schema"] == "https://www.speedscope.app/file-format-schema.json")
    frames, profiles = file["shared"]["frames"], file["profiles"]
    with_zones = [track for track in tracks if any(zone["track_id"] == track["id"] for zone in zones)]
    check("a profile for each track with zones", [p["name"] for p in profiles] == [t["name"] for t in with_zones], trace)
    for profile, track in zip(profiles, with_zones):
        found, stack, last = [], [], profile["startValue"]
        check("an evented profile", profile["type"] == "evented" and profile["unit"] == "nanoseconds", profile["type"])
        for event in profile["events"]:
            check("times rise", last <= event["at"] <= profile["endValue"], trace, event)
            last = event["at"]
            if event["type"] == "O":
                stack.append(event)
                continue
            begin = stack.pop()
            check("what ends is what began last", begin["frame"] == event["frame"], trace, event)
            frame = frames[begin["frame"]]
            found.append((len(stack), begin["at"], event["at"], frame["name"], frame.get("file", ""), frame.get("line", 0)))
        check("all have ended", not stack and last == profile["endValue"], trace)
        wanted = [(z["depth"], z["start_ns"], z["end_ns"], z["name"], z["file"], z["line"]) for z in zones
                  if z["track_id"] == track["id"]]
        # An open zone ends with the trace, or with the zone around it.
        check("zones in speedscope", len(found) == len(wanted) and all(
            a[:2] + a[3:] == b[:2] + b[3:] and (a[2] == b[2] or b[2] is None) for a, b in zip(sorted(found), sorted(
                wanted, key=lambda z: (z[0], z[1], z[2] if z[2] is not None else ends[0]["ns"], *z[3:])))), trace, track)


def ns(us):
    return round(us * 1000)


def chrome_of(trace, folder):
    out = os.path.join(folder, "trace.json.gz")
    if not export("chrome", out, trace) or not export("chrome", out[:-3], trace):
        return
    with gzip.open(out, "rb") as packed, open(out[:-3], "rb") as plain:
        text = packed.read()
        check("packed and not", text == plain.read(), trace)
    events = json.loads(text)["traceEvents"]
    zones, tracks, messages, points, flows = answers(
        trace, "SELECT * FROM zones", "SELECT * FROM tracks ORDER BY id", "SELECT * FROM messages", "SELECT * FROM plot_points",
        "SELECT * FROM flows")
    names = {e["tid"] - 1: e for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
    processes = {e["pid"]: e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "process_name"}
    check("a thread for each track", len(names) == len(tracks) and all(
        names[t["id"]]["args"] == {"name": t["name"], **{key: t[key] for key in ("chip", "x", "y", "core") if t[key] is not None}}
        and processes[names[t["id"]]["pid"]] == (processes[1] if t["chip"] is None else f"chip {t['chip']}")
        for t in tracks), trace)
    found = [(e["tid"] - 1, ns(e["ts"]), ns(e["ts"]) + ns(e["dur"]) if e["ph"] == "X" else None, e["name"], e.get("loc"),
              e.get("args", {}).get("text")) for e in events if e["ph"] in "XB"]
    wanted = [(z["track_id"], z["start_ns"], z["end_ns"], z["name"], f"{z['file']}:{z['line']}" if z["file"] else None, z["text"])
              for z in zones]
    check("zones in Chrome", sorted(found, key=repr) == sorted(wanted, key=repr), trace)
    check("messages in Chrome", [(e["tid"] - 1, ns(e["ts"]), e["name"]) for e in events if e["ph"] == "i"] ==
          [(m["thread_id"], m["time_ns"], m["message"]) for m in messages], trace)
    check("plots in Chrome", [(ns(e["ts"]), e["name"], e["args"]["value"]) for e in events if e["ph"] == "C"] ==
          [(p["time_ns"], p["plot"], p["value"]) for p in points if p["value"] is not None], trace)
    check("there are flows to compare", flows or "demo" not in trace)
    starts, ends = ({e["id"]: e for e in events if e["ph"] == phase} for phase in "sf")
    check("flows in Chrome", sorted((starts[i]["tid"] - 1, ends[i]["tid"] - 1, ns(ends[i]["ts"]), ends[i]["name"]) for i in ends) ==
          sorted((f["giver_id"], f["waiter_id"], f["time_ns"], f["flow"]) for f in flows) and set(starts) == set(ends), trace)
    back = os.path.join(folder, "back.tracy")
    r = run("import", "-q", "-o", back, out)
    check("the file is imported", r.returncode == 0, r.stderr)
    read, read_tracks = answers(back, "SELECT * FROM zones", "SELECT * FROM tracks ORDER BY id")
    check("zones, imported again", same_zones(zones, tracks, read, read_tracks), trace)


def same_zones(zones, tracks, read, read_tracks):
    """Of each track, which has a name with its number as TID; times may be shifted."""
    shift = min(z["start_ns"] for z in zones) - min(z["start_ns"] for z in read)

    def of(zone, track, added):
        end = zone["end_ns"]
        return track, zone["depth"], zone["start_ns"] + added, None if end is None else end + added, zone["name"], zone["line"]
    numbers = {t["id"]: int(re.search(r"TID (\d+)", t["name"])[1]) - 1 for t in read_tracks if " TID " in t["name"]}
    a = sorted((of(z, z["track_id"], 0) for z in zones), key=repr)
    b = sorted((of(z, numbers[z["track_id"]], shift) for z in read), key=repr)
    for x, y in zip(a, b):
        if x != y:
            print(x, y)
            break
    return a == b


def outputs(folder):
    base = os.path.join(folder, "kept.db")
    with open(base, "w", encoding="utf-8") as f:
        f.write("old")
    export("sqlite", base, TRACE)
    check("an older file is kept", open(base + ".old", encoding="utf-8").read() == "old")
    full = os.path.join(folder, "full")
    os.mkdir(full)
    export("csv", full, TRACE)
    before = sorted(os.listdir(folder))
    for words, part in [
            (("--to", "csv", "-o", full, TRACE), "already exists and is no empty folder"),
            (("--to", "csv", "-o", base, TRACE), "already exists and is no empty folder"),
            (("--to", "csv", "-o", "/nowhere/x", TRACE), "cannot write '/nowhere/x'"),
            (("--to", "csv", "-o", os.path.join(base, "x"), TRACE), "Not a directory"),
            (("--to", "csv", "-o", "-", TRACE), "a folder, not one file"),
            (("--to", "parquet", "--fleet", "-o", "-", TRACE), "a folder, not one file"),
            (("--to", "sqlite", "-o", "/nowhere/x", TRACE), "cannot write '/nowhere/x'"),
            (("--to", "sqlite", "-o", full, TRACE), "it is a folder"),
            (("--to", "sqlite", "-o", "-", TRACE), "needs a file"),
            (("--to", "sqlit", "-o", base, TRACE), "did you mean sqlite?"),
            (("--to", "nothing", "-o", base, TRACE), "'nothing' is not one of csv|sqlite|parquet|folded|speedscope|chrome|perfetto|pprof"),
            (("--to", "sqlite", "-o", base, "--table", "zone", TRACE), "did you mean zones?"),
            (("--to", "parquet", "-o", base + ".parquet", "--table", "zones", "--table", "facts", TRACE), "has one table"),
            (("--to", "csv", "-o", base, TRACE, TRACE), "only with --fleet"),
            (("--to", "csv", "-o", base, "--host", "x", TRACE), "only with --fleet"),
            (("--to", "csv", "-o", base, "--range", "5..1", TRACE), "not FROM..TO"),
            (("--to", "csv", "-o", base, "--lanes", "chip", TRACE), "a chip is a number"),
            (("--to", "csv", "-o", base, "--lanes", "nowhere", TRACE), "no track passes"),
            (("--to", "csv", "-o", base, "--fleet", TRACE), "--fleet is for --to parquet"),
            (("-o", base, TRACE), "--to FORMAT is missing"),
            (("--to", "csv", TRACE), "-o OUT is missing"),
            (("--to", "csv", "-o", os.path.join(folder, "new"), "nothing.tracy"), "nothing.tracy")]:
        r = run("export", *words)
        check(f"{words} is refused", r.returncode in (1, 2) and part in r.stderr and r.stderr.count("\n") == 1,
              r.returncode, r.stderr)
    with open("/dev/full", "w", encoding="utf-8") as no_room:
        r = subprocess.run([TENDRIL, "query", "--format", "csv", TRACE, "SELECT * FROM zones"], stdout=no_room, stderr=subprocess.PIPE, text=True, check=False)
    check("why rows are not written", r.returncode == 1 and r.stderr.endswith("cannot write the rows: No space left on device\n"), r.stderr)
    check("a refused export leaves nothing", sorted(os.listdir(folder)) == before, os.listdir(folder))


def main():
    with tempfile.TemporaryDirectory() as folder:
        for number, trace in enumerate(traces(folder)):
            own = os.path.join(folder, str(number))
            os.mkdir(own)
            tables_of(trace, own)
            parquet_of(trace, own)
            folded_of(trace, own)
            speedscope_of(trace, own)
            chrome_of(trace, own)
        other = os.path.join(folder, "outputs")
        os.mkdir(other)
        outputs(other)
        large_parquet(folder)
        fleet(folder)
        part_of(os.path.join(folder, "demo.tracy"), folder)
    return exit_status()


if __name__ == "__main__":
    raise SystemExit(main())
