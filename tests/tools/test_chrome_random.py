#!/usr/bin/env python3
"""Random Chrome traces: `tendril import` makes what the second reader (chrome_reference.py) makes of them: tracks, zones
with start, length, nesting, name and text, messages, frames, plots, and the numbers of events that are left out, by kind.

    test_chrome_random.py [FILES [FIRST_SEED]]       (default 150 files)
"""
import concurrent.futures
import gzip
import json
import os
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import chrome_reference  # noqa: E402
from common import BINARY, TENDRIL, check, exit_status  # noqa: E402

NAMES = ["a", "b", "work", "a \"quoted\" name", "\u00e9\u00e8-\U0001f600", "back\\slash", "{[,]}", "next frame", "tab\tand\nline", ""]
IDS = [0, 1, 2, "0x1", "one", 140735183938368, 140735183940608, -1, 2 ** 64 - 1, 2 ** 31 + 5, "1", 1.5, None]
CATS = ["net", "cpu_op", "gpu,cuda"]


class Number:
    """A number, as it is written."""

    def __init__(self, text):
        self.text = text


def written(value, separators, ascii_only):
    if isinstance(value, Number):
        return value.text
    comma, colon = separators
    if isinstance(value, dict):
        return "{" + comma.join(written(k, separators, ascii_only) + colon + written(v, separators, ascii_only)
                                for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + comma.join(written(v, separators, ascii_only) for v in value) + "]"
    return json.dumps(value, ensure_ascii=ascii_only)


class Maker:
    def __init__(self, seed):
        self.random = random.Random(seed)
        r = self.random
        self.origin = r.choice([0, 0, 1000, 1790000000000000, 1790000000000000000, -5000])
        self.decimals = r.choice([0, 0, 1, 3, 3, 6])
        self.span = r.choice([10, 40, 1000])
        self.pids = r.sample(IDS, r.choice([1, 1, 2, 3]))
        self.tids = r.sample(IDS, r.choice([1, 2, 4]))
        self.names = r.sample(NAMES, r.choice([1, 3, 6]))
        self.phases = r.choice(["X", "BE", "XBE", "XBEiC", "be", "XbenS", "STpF", "XXstf", "BEstfX", "XBEbeniIRCSTpFstfM", "XBEMC",
                                "XBEbeniIRCSTpFstfMNODvVP()c=?"])
        self.damage = r.choice([0, 0, 0, 0.05, 0.3])
        self.odd = r.choice([0, 0, 0.1])

    def time(self, below=None):
        whole = self.random.randrange(self.span if below is None else below)
        if not self.decimals:
            return str(self.origin + whole) if below is None else str(whole)
        digits = str(self.random.randrange(10 ** self.decimals)).zfill(self.decimals)
        whole += self.origin if below is None else 0
        return "%d.%s" % (whole, digits)

    def value(self, deep=0):
        r = self.random
        kind = r.randrange(9 if deep < 3 else 6)
        if kind > 6:
            return [self.value(deep + 1) for _ in range(r.randrange(3))]
        if kind == 6:
            return {r.choice(NAMES): self.value(deep + 1) for _ in range(r.randrange(3))}
        return [1, -2.25, True, None, r.choice(NAMES), "text"][kind]

    def event(self):
        r = self.random
        phase = r.choice(self.phases)
        event = {"ph": phase, "pid": r.choice(self.pids), "tid": r.choice(self.tids), "ts": Number(self.time())}
        if phase not in "Ee" or r.random() < 0.3:
            event["name"] = r.choice(self.names)
        if phase == "X":
            event["dur"] = Number(self.time(r.choice([1, 2, 10, self.span])))
        if phase in "benSTpFstfC" and r.random() < (0.2 if phase == "C" else 0.95):
            event["id"] = r.choice(IDS[:6])
        if phase in "benCstf" and r.random() < 0.1:
            event.pop("id", None)
            event["id2"] = {r.choice(["local", "global"]): r.choice(IDS[:4])}
        if phase in "benSTpFstf" and r.random() < 0.5:
            event["cat"] = r.choice(CATS)
        if phase in "benstf" and r.random() < 0.1:
            event["scope"] = r.choice(CATS)
        if phase in "XBb" and r.random() < 0.1:
            event["bind_id"] = r.choice(IDS[:4])
            event[r.choice(["flow_in", "flow_out"])] = True
            event["flow_out"] = r.choice([True, False, 1])
        if phase in "Tp" and r.random() < 0.3:
            event["args"] = {"step": r.choice(NAMES)}
        if phase == "f" and r.random() < 0.5:
            event["bp"] = "e"
        if phase == "C":
            event["args"] = {r.choice(["value", "load", "x_bytes"]): r.choice([1, 2.5, "3", "no", True]) for _ in range(r.randrange(4))}
        elif phase == "M":
            event["name"] = r.choice(["thread_name", "process_name", "thread_sort_index", "process_sort_index", "num_cpus"])
            event["args"] = {"name": r.choice(NAMES), "sort_index": r.choice([1, -2])} if r.random() < 0.9 else {}
        elif "args" not in event and r.random() < 0.3:
            event["args"] = {r.choice(NAMES): self.value() for _ in range(r.randrange(4))}
        if phase in "XB" and r.random() < 0.1:
            event["loc"] = r.choice(["file.c:12", "no line", "a:b:7x", ":3", "C:\\dir\\file.c", "C:\\dir\\file.c:7", "a:", "a:1234567890"])
        if r.random() < self.odd:
            self.make_odd(event)
        items = list(event.items())
        if r.random() < 0.5:
            r.shuffle(items)
        return dict(items)

    def make_odd(self, event):
        r = self.random
        key = r.choice(["ts", "dur", "ts", "dur", "args", "ph", "pid", "name"])
        if key == "args":
            event["args"] = r.choice([1, [], "text", None])
        elif key == "ph":
            event["ph"] = r.choice(["", "XX", "?", 5, None])
        elif key in ("ts", "dur"):
            event[key] = r.choice([self.time(), Number("-3"), "none", None, Number("1e30"), Number("1e2"), Number("25e-1"), True])
        else:
            event.pop(key, None)

    def text(self):
        r = self.random
        text = written(self.event(), r.choice([(",", ":"), (", ", ": "), (" ,\n", " : ")]), r.random() < 0.5)
        if r.random() >= self.damage:
            return text
        return self.damaged(text)

    def damaged(self, text):
        """The text, damaged so that no part of it is an event."""
        r = self.random
        end = text.rindex("}")
        wrong = r.choice([', "x": NaN', ', "x": [1, Infinity]', ', "x": -Infinity', ', "x": "\\q"', ', "x": "C:\\new\\user"', ', "x": "\\ud83d"',
                          ', "x": "\\udc00 low"', ', "x": "say "hi""', ', "x": "one " too many"', ', "x": tru', ', "x": 01', ', "x"', ',',
                          ', "x": "\\u12g4"', ", 'x': 1", ', "x": {"a": [1, 2}', ', "x": "\0"', ', "x": 1.', ', "x": "\\ud83dx"'])
        if r.random() < 0.15:
            return text[:end] + ', "x": '  # its end is missing
        return text[:end] + wrong + "}"


def make(seed):
    """The bytes of a file, and the texts of its events."""
    maker = Maker(seed)
    r = maker.random
    texts = [maker.text() for _ in range(r.choice([1, 3, 10, 40, 120]))]
    if r.random() < 0.9:
        maker.damage = 0
        texts.append(maker.text())  # in the other files all may be damaged
    separator = r.choice([",", ",\n", " ,\r\n"])
    body = separator.join(texts)
    form = r.randrange(5)
    if form == 0:
        data = "[" + body + "]"
    elif form == 1:
        data = "\ufeff\n[\n" + body + separator
    elif form == 2:
        data = '{"traceEvents": [' + body + "]}\n"
    elif form == 3:
        data = '{"otherData": {"v": [1, {"a": "]"}]}, "displayTimeUnit": "ns",\n"traceEvents":[' + body + '], "stackFrames": {}}'
    else:
        data = '{"traceEvents":[' + body + separator + '{"ph": "X", "name": "not wh'
    data = data.encode("utf-8", "surrogatepass")
    if r.random() < 0.2:
        data = gzip.compress(data, 1)
    return data, texts


def counts_of(stderr):
    """Kinds and numbers of the line about what is left out."""
    found = {}
    for line in stderr.splitlines():
        if " left out: " not in line:
            continue
        for part in line.split(" left out: ")[1].split(", "):
            count, text = part.split(" ", 1)
            kind = [k for k, word in chrome_reference.WORDS.items() if re.search(word, text)]
            found[{"FLOWS": "FLOW", "FLOW_IDS": "FLOW_ID"}.get(kind[0], kind[0])] = int(count)
    return found


def dump_of(trace):
    out = subprocess.run([os.path.join(BINARY, "tests", "trace_dump"), trace], check=True, stdout=subprocess.PIPE)
    return json.loads(out.stdout.decode("utf-8", "surrogateescape"))


def found_in(dump):
    """The dump in the form of chrome_reference.Expected."""
    tracks, names = {}, {}
    for track in dump["tracks"]:
        names[track["thread"]] = track["name"]
        if track["zones"]:
            assert track["name"] not in tracks, "two tracks of one name"
            tracks[track["name"]] = [[z[0], z[2][1] or "", z[3], z[4], [z[2][2] or "", z[2][3]], z[6] or ""] for z in track["zones"]]
    messages = [(m[0], names[m[1]], m[2] or "") for m in dump["MESSAGE"]]
    frames = {name or "": [f[0] for f in times] for (name, _), times in list(zip(dump["frame_sets"], dump["FRAME"]))[1:]}
    plots = {plot[5] or "": [tuple(p) for p in points] for plot, points in zip(dump["plots"], dump["POINT"]) if points}
    return tracks, messages, frames, plots


def compare(seed, scratch):
    """None, or what differs."""
    data, texts = make(seed)
    path, trace = os.path.join(scratch, "%d.json" % seed), os.path.join(scratch, "%d.tracy" % seed)
    with open(path, "wb") as file:
        file.write(data)
    done = subprocess.run([TENDRIL, "import", "-f", "-o", trace, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          universal_newlines=True, check=False, timeout=300)
    wanted = chrome_reference.read(texts)
    if wanted.lost.get("DAMAGED", 0) == len(texts):
        return None if done.returncode == 1 and done.stderr.count("\n") == 1 else "all damaged: %s" % done.stderr
    if done.returncode != 0:
        return "exit status %d: %s" % (done.returncode, done.stderr)
    tracks, messages, frames, plots = found_in(dump_of(trace))
    pairs = [("tracks", {k: sorted(v, key=str) for k, v in tracks.items()},
              {k: sorted(v, key=str) for k, v in wanted.tracks.items()}),
             ("messages", sorted(messages), sorted(wanted.messages)), ("frames", frames, wanted.frames),
             ("plots", {k: sorted(v) for k, v in plots.items()}, {k: sorted(v) for k, v in wanted.plots.items()}),
             ("left out", counts_of(done.stderr), wanted.lost),
             ("renamed", "innermost one" in done.stderr, wanted.renamed > 0)]
    os.unlink(path)
    os.unlink(trace)
    for what, found, expected in pairs:
        if found != expected:
            return "%s: %s instead of %s" % (what, found, expected)
    return None


def main():
    files = int(sys.argv[1]) if len(sys.argv) > 1 else 150
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    with tempfile.TemporaryDirectory() as scratch, \
            concurrent.futures.ProcessPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
        seeds = range(first, first + files)
        for seed, wrong in zip(seeds, pool.map(compare, seeds, [scratch] * files, chunksize=8)):
            check("seed %d" % seed, wrong is None, wrong)
    print("%d files" % files)
    sys.exit(exit_status())


if __name__ == "__main__":
    main()
