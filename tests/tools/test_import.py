#!/usr/bin/env python3
"""`tendril import`: recorded sessions give the zones and messages of the traces that were captured of them; what a
program saves itself is whole; what is no session costs one line and leaves nothing."""
import csv
import ctypes
import glob
import io
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "live"))
import live  # noqa: E402
from unchanged import unchanged  # noqa: E402

CORPUS = os.environ.get("TD_CORPUS", os.path.join(live.SOURCE, "..", "shared", "corpus"))
if not os.path.isdir(CORPUS):
    print("no corpus at %s (set TD_CORPUS): recordings of tests/data" % CORPUS)
    CORPUS = os.path.join(live.SOURCE, "tests", "data", "session")


def tendril(*words, stdin=None):
    return subprocess.run([live.TENDRIL, *words], stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          universal_newlines=True, timeout=120, check=False)


def table(trace, *options):
    rows = list(csv.reader(io.StringIO(tendril("csvexport", "--style", "0.11.1", *options, trace).stdout)))
    return rows[0], sorted(row[:5] for row in rows[1:])  # the other columns have thread numbers, which differ


def check_recordings(check, trace):
    streams = sorted(glob.glob(os.path.join(CORPUS, "*", "*.stream")))
    check.true("there are recordings", streams)
    for stream in streams:
        done = tendril("import", "-f", "-o", trace, stream)
        check.same(stream, done.returncode, 0)
        told = "breaks off" in done.stderr
        check.same(stream + ": says that it breaks off", told, os.path.basename(stream) == "killed.stream")
        captured = stream[:-len("stream")] + "tracy"
        if os.path.exists(captured):
            for options in (["-u"], ["-m"]):
                check.same("%s %s" % (stream, options), table(trace, *options), table(captured, *options))
    print("%d recordings" % len(streams))


def check_saved(check, scratch, trace):
    saved = os.path.join(scratch, "saved.stream")
    subprocess.run([os.path.join(live.BINARY, "tests", "client_marked"), "all"], check=True, timeout=200,
                   env=dict(os.environ, TENDRIL_SAVE=saved))
    with open(saved, "rb") as file:
        done = tendril("import", "-f", "-o", trace, "-", stdin=file)
    check.same("a saved session", (done.returncode, done.stderr), (0, ""))
    check.true("a saved session: zones", "zones        80," in done.stdout)
    check.true("a saved session: messages", "messages     81," in done.stdout)
    for name, capture in live.captures()[1:]:
        exporter = os.path.join(os.path.dirname(capture), "csvexport")
        if not os.access(exporter, os.X_OK):
            continue
        wanted = {"ttfork": "tt", "0.10": "0.10.0"}.get(name, name)
        tendril("import", "-q", "-f", "--format", wanted, "-o", trace, saved)
        out = subprocess.run([exporter, trace], stdout=subprocess.PIPE, universal_newlines=True, timeout=200, check=False)
        counts = {line.split(",")[0]: line.split(",")[5] for line in out.stdout.splitlines()[1:]}
        check.same(name + " reads it", (counts.get("named"), counts.get("made")), ("20", "20"))
    done = tendril("import", "-o", trace, saved)
    check.same("not over another file", (done.returncode, done.stderr.count("\n")), (2, 1))
    return saved


def code_and_sources(trace):
    """Machine code by the name of its function, and source files."""
    dump = live.dump(trace)
    names = {symbol[0]: symbol[1] for symbol in dump["SYMBOL"]}
    return sorted((names.get(address), code) for address, code, *_ in dump["CODE"]), sorted(row[:2] for row in dump["SOURCE"])


def check_saved_code(check, scratch, trace):
    """Machine code and source files of a saved session are among those that are captured. A capture also asks for the
    places of each instruction, and so for the functions that are called there."""
    program, saved = os.path.join(live.BINARY, "tests", "client_stacks_O0"), os.path.join(scratch, "stacks.stream")
    subprocess.run([program], check=True, timeout=200, env=dict(os.environ, TENDRIL_SAVE=saved))
    check.same("saved code", tendril("import", "-f", "-o", trace, saved).returncode, 0)
    imported = code_and_sources(trace)
    live.Run("tendril", live.TENDRIL, [program], trace)
    captured = code_and_sources(trace)
    check.true("saved code", imported[0] and all(code in captured[0] for code in imported[0]))
    check.true("saved sources", imported[1] and all(source in captured[1] for source in imported[1]))
    check.true("there is some of both", "leaf" in dict(imported[0]) and
               any(name.endswith("stacks.c") for name, _ in imported[1]))
    subprocess.run([program], check=True, timeout=200, env=dict(os.environ, TENDRIL_SAVE=saved, TRACY_NO_CODE_TRANSFER="1"))
    tendril("import", "-f", "-o", trace, saved)
    check.same("none is saved where none is sent", code_and_sources(trace), ([], []))


EVENTS = [
    {"ph": "M", "name": "thread_name", "pid": 1, "tid": 10, "args": {"name": "alpha"}},
    {"ph": "X", "name": "outer", "pid": 1, "tid": 10, "ts": 100, "dur": 50, "loc": "dir:a/b.c:12",
     "args": {"a": 1, "b": "x", "c": 1.5, "d": True, "e": None, "f": [1, 2], "g": {"h": 1}}},
    {"ph": "X", "name": "zero", "pid": 1, "tid": 10, "ts": 120, "dur": 0},
    {"ph": "X", "name": "after", "pid": 1, "tid": 10, "ts": 150, "dur": 10},
    {"ph": "i", "name": "frame", "pid": 1, "tid": 10, "ts": 111},
    {"ph": "I", "name": "said", "pid": 1, "tid": 10, "ts": 112},
    {"ph": "i", "name": "Render Frame", "pid": 1, "tid": 10, "ts": 118},
    {"ph": "i", "name": "subFRAMEs", "pid": 1, "tid": 11, "ts": 114},
    {"ph": "I", "name": "Render Frame", "pid": 1, "tid": 10, "ts": 128},
    {"ph": "i", "name": "fram e", "pid": 1, "tid": 10, "ts": 116},
    {"ph": "C", "name": "counter", "pid": 1, "tid": 1, "ts": 115, "args": {"some_bytes": 5, "bytes": 7, "v": 2}},
    {"ph": "E", "pid": 1, "tid": 11, "ts": 132},
    {"ph": "B", "name": "late", "pid": 1, "tid": 12, "ts": 140},
    {"ph": "B", "name": "early", "pid": 1, "tid": 12, "ts": 139.125},
    {"ph": "E", "pid": 1, "tid": 12, "ts": 145},
    {"ph": "E", "pid": 1, "tid": 12, "ts": 146},
]


def packed(path):
    """Packs the file with zstd. Returns the new file's name."""
    zstd = ctypes.CDLL("libzstd.so.1")
    zstd.ZSTD_compressBound.restype = zstd.ZSTD_compress.restype = ctypes.c_size_t
    with open(path, "rb") as file:
        data = file.read()
    room = ctypes.create_string_buffer(zstd.ZSTD_compressBound(ctypes.c_size_t(len(data))))
    count = zstd.ZSTD_compress(room, ctypes.c_size_t(len(room)), data, ctypes.c_size_t(len(data)), 3)
    with open(path + ".zst", "wb") as file:
        file.write(room.raw[:count])
    return path + ".zst"


def check_packed(check, scratch, trace, saved):
    """Every input may be packed. A cut-off file is imported up to its end; a damaged one costs one line."""
    path = os.path.join(scratch, "many.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump([{"ph": "X", "name": "z%d" % (i % 7), "pid": 1, "tid": i % 3, "ts": 10 * i, "dur": 5} for i in range(30000)], file)
    for name in path, saved:
        plain = tendril("import", "-f", "-o", trace, name)
        done = tendril("import", "-f", "-o", trace, packed(name))
        check.same(name + ", packed", (done.returncode, done.stderr, done.stdout), (0, "", plain.stdout))
    with open(path + ".zst", "rb") as file:
        data = file.read()
    for name, what in ("cut.zst", data[:len(data) // 2]), ("damaged.zst", data[:1000] + bytes(1000) + data[2000:]):
        with open(os.path.join(scratch, name), "wb") as file:
            file.write(what)
    done = tendril("import", "-f", "-o", trace, os.path.join(scratch, "cut.zst"))
    check.same("packed and cut", (done.returncode, done.stderr.count("breaks off")), (0, 1))
    done = tendril("import", "-f", "-o", trace, os.path.join(scratch, "damaged.zst"))
    check.same("packed and damaged", (done.returncode, done.stderr.count("\n"), "damaged.zst: its packed data" in done.stderr), (1, 1, True))


def zones(dump):
    return {track["name"]: track["zones"] for track in dump["tracks"] if track["zones"]}


def without_async(tracks):
    """Asynchronous operations are zones of the thread in stock's import, and have tracks of their own in ours."""
    return {name: [z for z in rows if z[2][1] != "async"] for name, rows in tracks.items() if "async" not in name}


def same_chrome(check, name, ours, stocks, counter):
    """`counter`: the name of the only counter, which is not in the names of stock's plots."""
    ours, stocks = live.dump(ours), live.dump(stocks)
    check.same(name + ": messages", ours["MESSAGE"], stocks["MESSAGE"])
    # Stock's import makes no base set of frames; here every file has one.
    check.same(name + ": frames", (ours["frame_sets"][1:], ours["FRAME"][1:]), (stocks["frame_sets"][1:], stocks["FRAME"][1:]))
    check.same(name + ": zones", without_async(zones(ours)),
               {track: rows for track, rows in without_async(zones(stocks)).items() if rows})
    plots = [sorted((plot[0], plot[5].replace(counter + " ", ""), points) for plot, points in zip(dump["plots"], dump["POINT"]))
             for dump in (ours, stocks)]
    check.same(name + ": plots", plots[0], plots[1])


def check_chrome(check, scratch, trace):
    corpus = os.path.join(CORPUS, "0.11.1", "chrome.json")
    if os.path.exists(corpus):
        check.same("a Chrome trace", tendril("import", "-f", "-o", trace, corpus).returncode, 0)
        same_chrome(check, "a Chrome trace", trace, corpus[:-4] + "tracy", "counters")
    path = os.path.join(scratch, "events.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(EVENTS, file)
    done = tendril("import", "-f", "-o", trace, path)
    check.same("events", (done.returncode, done.stderr),
               (0, "tendril import: %s: 1 item is left out: 1 end without a begin\n" % path))
    check.true("events: counts", "zones        5\n" in done.stdout and
               "messages     2, 4 frames, 3 plot points" in done.stdout)
    # A set for each name with "frame" in it, in the order of their first frames.
    frames = live.dump(trace)
    check.same("events: frames", [(name, [time for time, *_ in times]) for (name, *_), times in
                                  zip(frames["frame_sets"][1:], frames["FRAME"][1:])],
               [("frame", [11000]), ("subFRAMEs", [14000]), ("Render Frame", [18000, 28000])])
    lengths = {zone[2][1]: (zone[0], zone[4]) for zone in zones(live.dump(trace))["(PID 1 TID 10) alpha"]}
    check.same("events: zones", lengths, {"outer": (0, 50000), "zero": (1, 0), "after": (0, 10000)})
    for program in sorted(glob.glob(os.path.join(live.STOCK, "*", "bin", "import-chrome"))) if live.STOCK else []:
        stocks = os.path.join(scratch, "stocks.tracy")
        subprocess.run([program, path, stocks], check=True, stdout=subprocess.DEVNULL, timeout=200)
        same_chrome(check, program, trace, stocks, "counter")
        print("as " + program)
    # Programs that write a zone once it has ended write the inner one first, and may not get to the last bracket.
    with open(path, "w", encoding="utf-8") as file:
        file.write('[{"ph":"X","name":"inner","ts":5,"dur":1},{"ph":"X","name":"outer","ts":5,"dur":9},')
    done = tendril("import", "-f", "-o", trace, path)
    check.same("a list without its end", (done.returncode, done.stderr), (0, ""))
    found = [zone[:1] + zone[2][1:2] + zone[4:5] for zone in zones(live.dump(trace))["PID 0 TID 0"]]
    check.same("the inner zone first", sorted(found), [[0, "outer", 9000], [1, "inner", 1000]])


def check_deep(check, scratch, trace):
    """Zones nested deeper than a recursion could go on the stack."""
    levels = 100000
    path = os.path.join(scratch, "deep.json")
    with open(path, "w", encoding="utf-8") as file:
        for i in range(levels):
            file.write('%s{"ph":"B","name":"deep","pid":1,"tid":1,"ts":%d}\n' % ("," if i else "[", i))
        for i in range(levels - 10):
            file.write(',{"ph":"E","pid":1,"tid":1,"ts":%d}\n' % (levels + i))
        file.write("]")
    done = tendril("import", "-f", "-o", trace, path)
    check.same("deep", (done.returncode, done.stderr), (0, ""))
    found = unchanged(json.loads(tendril("info", "--json", trace).stdout))["tracks"][0]
    check.same("deep: zones", (found["zones"], found["depth"], found["open_zones"]), (levels, levels, 10))
    for nested, code, lines in (900, 0, 0), (5000, 1, 1):  # nested arguments of an event, which are parsed as a whole
        with open(path, "w", encoding="utf-8") as file:
            file.write('[{"ph":"X","name":"z","pid":1,"tid":1,"ts":1,"dur":1,"args":{"a":%s%s}}]' % ("[" * nested, "]" * nested))
        done = tendril("import", "-f", "-o", trace, path)
        check.same("lists in lists", (done.returncode, done.stderr.count("in each other"), done.stderr.count("\n")),
                   (code, lines, lines))


def check_refused(check, scratch, saved):
    out = os.path.join(scratch, "none.tracy")
    with open(saved, "rb") as file:
        whole = bytearray(file.read())
    protocol = bytearray(whole)
    protocol[13] = 3
    second = 5 + int.from_bytes(whole[1:5], "little")
    third = second + 5 + int.from_bytes(whole[second + 1:second + 5], "little")
    damaged = bytearray(whole)
    damaged[third] = 7
    for name, content in (("empty", b""), ("text", b"no session\n" * 100), ("protocol", protocol), ("zeros", bytes(4096)),
                          ("json", b'{"a": [1, 2]}'), ("event", b'[{"ph" "X"}]'),
                          ("damaged", damaged), ("two traces", b'[{"ph":"B","ts":1}]\n[{"ph":"B","ts":1}]'),
                          ("a log", b'{"traceEvents":[{"ph":"B","ts":1}]}\nwrote 1 event\n')):
        path = os.path.join(scratch, name)
        with open(path, "wb") as file:
            file.write(content)
        done = tendril("import", "-o", out, path)
        check.same(name, (done.returncode, done.stderr.count("\n"), done.stdout), (1, 1, ""))
    check.true("the place of the second trace", "byte 21," in tendril("import", "-o", out, os.path.join(scratch, "two traces")).stderr)
    for words in ((out,), ("-o", out), ("-o", out, "a", "b"), ("-o", out, "--format", "0.8", saved)):
        check.same(" ".join(words), tendril("import", *words).returncode in (1, 2), True)
    check.same("no such file", tendril("import", "-o", out, os.path.join(scratch, "nothing")).returncode, 1)
    check.same("a folder", tendril("import", "-o", out, scratch).returncode, 1)
    check.true("nothing is left", not os.path.exists(out))


def main():
    check = live.Check()
    with tempfile.TemporaryDirectory() as scratch:
        trace = os.path.join(scratch, "imported.tracy")
        check_recordings(check, trace)
        check_chrome(check, scratch, trace)
        check_deep(check, scratch, trace)
        os.unlink(trace)
        saved = check_saved(check, scratch, trace)
        check_saved_code(check, scratch, trace)
        check_packed(check, scratch, trace, saved)
        os.unlink(trace)
        check_refused(check, scratch, saved)
    check.leave()


main()
