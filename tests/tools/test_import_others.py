#!/usr/bin/env python3
"""`tendril import` of traces of other programs, in Chrome's and Fuchsia's formats: times, lengths and names stay as they
are written, and what is left out is said in one line, by kind."""
import gzip
import json
import os
import struct
import subprocess
import sys
import tempfile

import fuchsia_writer as fxt
from common import TENDRIL, check, exit_status
from imported import SCRATCH, TRACE, Imported, expect

def x(name, ts, dur, pid=1, tid=1, **more):
    return dict({"ph": "X", "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": dur}, **more)


def event(ph, ts, name=None, pid=1, tid=1, **more):
    made = dict({"ph": ph, "pid": pid, "tid": tid, "ts": ts}, **more)
    return dict(made, name=name) if name else made


def named(what, name, pid=1, tid=1):
    return {"ph": "M", "name": what, "pid": pid, "tid": tid, "args": {"name": name}}


def times_since_1970_are_kept():
    profiler = {"schemaVersion": 1, "traceEvents": [x("aten::mm", 1790000000000000, 120, 11, 11, cat="cpu_op"),
                                                    x("gemm", 1790000000000020.5, 60.25, 0, 7, cat="kernel")]}
    done = Imported(profiler)
    expect("epoch", (done.code, done.said, done.tracks),
           (0, "", {"PID 11 TID 11": [(0, "aten::mm", 0, 120000)], "PID 0 TID 7": [(0, "gemm", 20500, 60250)]}))
    check("epoch: the time 0", "time 0 is ts 1790000000000000.000 us" in done.facts, done.facts)
    check("other members are facts", "schemaVersion: 1" in done.facts, done.facts)
    # More digits than a double has, and nanoseconds where microseconds should be.
    done = Imported('[{"ph":"X","name":"a","ts":1790000000000000.123,"dur":0.877},{"ph":"X","name":"b","ts":"1790000000000001.001","dur":"0.004"}]')
    expect("digits", done.tracks, {"PID 0 TID 0": [(0, "a", 0, 877), (0, "b", 878, 4)]})
    done = Imported([x("a", 1790000000000000000, 5), x("b", 1790000000000000010, 5)])
    expect("nanoseconds since 1970", done.tracks, {"PID 1 TID 1": [(0, "a", 0, 5000), (0, "b", 10000, 5000)]})
    # One event at 0 does not cost the others, whichever comes first.
    far = [x("zero", 0, 1), x("a", 1790000000000000, 10), x("b", 1790000000000020, 5)]
    for events in far, far[::-1]:
        done = Imported(events)
        expect("a zero among them", (done.tracks, done.said),
               ({"PID 1 TID 1": [(0, "a", 0, 10000), (0, "b", 20000, 5000)]},
                "1 item is left out: 1 event without a time that a trace can have\n"))
    done = Imported([x("a", -7.5, 2), x("b", -4, 1)])
    expect("before 0", done.tracks, {"PID 1 TID 1": [(0, "a", 0, 2000), (0, "b", 3500, 1000)]})


def ids_of_any_size_and_kind_are_different_threads():
    tids = [140735183938368, 140735183940608, -1, 4294967295, 4294967296, 0, 2 ** 64 - 1, 2 ** 63, "main", "1a", 2147483648]
    for pid in 1, 0, 140735183938368, "host":
        done = Imported([x("z%d" % i, 10 * i, 40, pid, tid) for i, tid in enumerate(tids)])
        expect("threads of process %s" % pid, done.tracks,
               {"PID %s TID %s" % (pid, tid): [(0, "z%d" % i, 10000 * i, 40000)] for i, tid in enumerate(tids)})
    done = Imported([x("a", 0, 1, 1, 2), x("b", 0, 1, "1", "2"), x("c", 0, 1, 12, 2), x("d", 5, 1, 1.0, 2)])
    expect("the same thread", sorted(done.tracks), ["PID 1 TID 2", "PID 12 TID 2"])


def overlapping_zones_get_lines_of_their_own():
    done = Imported([x("A", 0, 100), x("B", 50, 400)])
    expect("overlap", (done.said, done.tracks),
           ("", {"PID 1 TID 1": [(0, "A", 0, 100000)], "PID 1 TID 1, line 2": [(0, "B", 50000, 400000)]}))
    done = Imported([x("A", 0, 100), x("B", 50, 100), x("inner", 60, 5), x("C", 90, 100), x("late", 200, 1)])
    expect("three lines", done.tracks,
           {"PID 1 TID 1": [(0, "A", 0, 100000), (0, "late", 200000, 1000)],
            "PID 1 TID 1, line 2": [(0, "B", 50000, 100000), (1, "inner", 60000, 5000)],
            "PID 1 TID 1, line 3": [(0, "C", 90000, 100000)]})
    done = Imported([x("a", i, 1500) for i in range(1200)])
    expect("too many", (sum(map(len, done.tracks.values())), done.said), (1000, "200 items are left out: 200 zones that overlap too many others\n"))


def ends_change_no_other_zone():
    done = Imported([x("A", 0, 100), event("E", 50), event("E", 60, "A")])
    expect("ends alone", (done.tracks, done.said), ({"PID 1 TID 1": [(0, "A", 0, 100000)]}, "2 items are left out: 2 ends without a begin\n"))
    done = Imported([event("B", 0, "out"), x("A", 5, 10), event("B", 20, "lost"), event("E", 30, "out"), x("C", 40, 1)])
    expect("a begin alone", done.tracks, {"PID 1 TID 1": [(0, "out", 0, 30000), (1, "A", 5000, 10000)],
                                          "PID 1 TID 1, line 2": [(0, "lost", 20000, -1), (1, "C", 40000, 1000)]})
    done = Imported([event("B", 0, "a"), event("B", 5, "b"), event("E", 10, "a"), event("E", 20, "b")])
    expect("crossed", done.tracks, {"PID 1 TID 1": [(0, "a", 0, 10000)], "PID 1 TID 1, line 2": [(0, "b", 5000, 15000)]})
    facts = json.loads(subprocess.run([TENDRIL, "info", "--json", TRACE], stdout=subprocess.PIPE, check=True).stdout.decode())
    expect("kinds", {track["name"]: track["kind"] for track in facts["tracks"]}, {"PID 1 TID 1": "thread", "PID 1 TID 1, line 2": "line"})
    done = Imported([event("B", 0, "a"), event("E", 10, "other", args={"result": 5})])
    expect("another name", (done.tracks, done.texts, done.said),
           ({"PID 1 TID 1": [(0, "a", 0, 10000)]}, {"a": "result: 5\n"},
            "ends whose names no open zone has, and that end the innermost one: 1\n"))
    done = Imported([event("B", 0, "f"), event("B", 0, "g"), event("E", 0), event("B", 0, "h"), event("E", 7), event("E", 9)])
    expect("begins at one time", done.tracks, {"PID 1 TID 1": [(0, "f", 0, 9000), (1, "g", 0, 0), (1, "h", 0, 7000)]})
    done = Imported([x("n", 0, -5), x("t", 0, "long"), x("ok", 1, 2), {"ph": "X", "name": "open", "ts": 1, "pid": 2, "tid": 2}])
    expect("lengths", (done.tracks, done.said),
           ({"PID 1 TID 1": [(0, "ok", 0, 2000)], "PID 2 TID 2": [(0, "open", 0, -1)]},
            "2 items are left out: 2 zones with impossible lengths\n"))


def operations_have_tracks_of_their_own():
    both = [event("b", 0, "reqA", cat="net", id="0x1"), event("b", 10, "reqB", cat="net", id="0x2"),
            event("e", 20, "reqA", cat="net", id="0x1"), event("e", 100, "reqB", cat="net", id="0x2")]
    lines = {"PID 1 async net": [(0, "reqA", 0, 20000)], "PID 1 async net, line 2": [(0, "reqB", 10000, 90000)]}
    expect("b and e", Imported(both).tracks, lines)
    expect("in another order", Imported(both[::-1]).tracks, lines)
    expect("S and F", Imported([dict(e, ph={"b": "S", "e": "F"}[e["ph"]]) for e in both]).tracks, lines)
    elsewhere = [dict(e, tid=9) if e["ph"] == "e" else e for e in both]
    expect("ended on another thread", Imported(elsewhere).tracks, lines)
    done = Imported([event("b", 0, "out", id=1), event("b", 5, "in", id=1), event("n", 6, "said", id=1),
                     event("e", 8, "in", id=1), event("e", 9, "out", id=1), x("thread", 1, 2)])
    expect("nested", done.tracks, {"PID 1 TID 1": [(0, "thread", 1000, 2000)], "PID 1 async": [(0, "out", 0, 9000), (1, "in", 5000, 3000)]})
    expect("n", done.messages, [(6000, "PID 1 async", "said")])
    done = Imported([event("S", 0, "load", id=1), event("T", 3, "load", id=1, args={"step": "parse"}), event("F", 9, "load", id=1)])
    expect("T", (done.tracks, done.messages), ({"PID 1 async": [(0, "load", 0, 9000)]}, [(3000, "PID 1 async", "load: parse")]))
    done = Imported([event("b", 0, "a", pid=p, id2={"local": 1}) for p in (1, 2)] + [event("e", 5, "a", pid=1, id2={"local": 1})])
    expect("local ids", done.tracks, {"PID 1 async": [(0, "a", 0, 5000)], "PID 2 async": [(0, "a", 0, -1)]})


def one_damaged_event_costs_one_event():
    good = '{"ph":"X","name":"%s","pid":1,"tid":1,"ts":%d,"dur":5}'
    for wrong in ['"occ":NaN,"x":Infinity', '"x":-Infinity', r'"p":"C:\new\Users"', r'"x":"\ud83d"', r'"x":"\ude00"', r'"x":"\u12g4"',
                  '"cmd":"python -c print("hello")"', '"cmd":"say "hi"', '"a":', '"a":tru', '"a":01', '"a":[1,}', '"a":"\0"', "'a':1"]:
        bad = '{"name":"bad","ph":"X","pid":1,"tid":1,"ts":20,"dur":5,"args":{%s}}' % wrong
        for name, parts in (("first", [bad, good % ("a", 0), good % ("c", 30)]), ("between", [good % ("a", 0), bad, good % ("c", 30)]),
                            ("last", [good % ("a", 0), good % ("c", 30), bad])):
            for form in "[%s]", '{"traceEvents":[%s],"displayTimeUnit":"ms"}', "[%s,\n":
                done = Imported(form % ",\n".join(parts))
                expect("%s, %s, %s" % (wrong, name, form), (done.code, done.tracks, done.said),
                       (0, {"PID 1 TID 1": [(0, "a", 0, 5000), (0, "c", 30000, 5000)]}, "1 item is left out: 1 damaged event\n"))
    done = Imported('[%s,{"ph":"X","name":"cut","args":{"a":{"b":1},%s,null,7,"text",%s]' % (good % ("a", 0), good % ("b", 10), good % ("c", 20)))
    check("an event in a damaged one", [z[1] for z in done.tracks["PID 1 TID 1"]] == ["a", "b", "c"] and "3 items that are no events" in done.said, done.said)
    done = Imported('[{"ph":"X","ts":NaN},{"ph":"X","ts":Infinity}]')
    check("all are damaged", done.code == 1 and "event 1 of the Chrome trace is damaged" in done.said and done.said.count("\n") == 1, done.said)
    done = Imported("[" + ",".join([good % ("a", 0), '{"ph":"X","args":{"a":%s%s}}' % ("[" * 5000, "]" * 5000), good % ("b", 9)]) + "]")
    expect("lists in lists", (done.code, done.said), (0, "1 item is left out: 1 event with too many lists in each other\n"))


def names_are_kept():
    long = "\u00e9\u00e8\u00ea\u00eb" * 12 + "-worker-number-42"
    done = Imported([named("process_name", "Renderer"), named("process_name", "GPU Process", 2), named("thread_name", "Main"),
                     named("thread_name", "Main", 2), named("thread_name", long, 1, 2), x("a", 0, 3), x("b", 0, 3, 2), x("c", 0, 3, 1, 2),
                     x("d", 0, 3, 1, 3), event("b", 0, "e", cat="net", id=1), x("f" * 5000, 0, 1, 7),
                     {"ph": "M", "name": "process_labels", "pid": 1, "args": {"labels": "a tab"}}])
    expect("tracks", list(done.tracks),
           ["(Renderer PID 1 TID 1) Main", "(Renderer PID 1 TID 2) " + long, "Renderer PID 1 TID 3", "Renderer PID 1 async net",
            "(GPU Process PID 2 TID 1) Main", "PID 7 TID 1"])
    expect("a long zone", done.tracks["PID 7 TID 1"][0][1], "f" * 5000)
    check("labels", "process_labels (PID 1): a tab" in done.facts, done.facts)
    sort = [{"ph": "M", "name": kind, "pid": 1, "tid": tid, "args": {"sort_index": index}}
            for kind, tid, index in (("thread_sort_index", 1, 5), ("thread_sort_index", 2, -3), ("process_sort_index", 0, 9))]
    done = Imported(sort + [x("a", 0, 1), x("b", 0, 1, 1, 2), x("c", 0, 1, 2)])
    expect("in order", list(done.tracks), ["PID 2 TID 1", "PID 1 TID 2", "PID 1 TID 1"])
    done = Imported([x("a", 0, 1, loc=loc) for loc in ("a.c:7", "C:\\dir\\b.c", "C:\\dir\\b.c:9", "x:7y", ":3")])
    expect("places", done.places, [("a.c", 7), ("C:\\dir\\b.c", 0), ("C:\\dir\\b.c", 9), ("x:7y", 0), (None, 3)])
    done = Imported([x("a\u0000b \U0001f600", 0, 1, args={"nested": {"k": ["\u00fc", 1.50, None]}, "s": "a\nb"})])
    expect("texts", (done.tracks["PID 1 TID 1"][0][1], list(done.texts.values())),
           ("a\ufffdb \U0001f600", ['nested: {"k":["\u00fc",1.5,null]}\ns: a\nb\n']))


def counters_are_plots_of_their_own():
    done = Imported([event("C", 0, "cpu0", args={"value": 1}), event("C", 1, "cpu1", args={"value": 100}), event("C", 2, "cpu0", args={"value": 2})])
    expect("one key", done.plots, {"cpu0": [(0, 1), (2000, 2)], "cpu1": [(1000, 100)]})
    done = Imported([event("C", 0, "mem", args={"rss": 1, "heap": "2"}), event("C", 0, "gpu", args={"rss": 3}), event("C", 5, "mem", 2, args={"rss": 4}),
                     event("C", 7, "mem", id=1, args={"rss": 5, "bad": "no", "null": None}), event("C", 8, "empty", args={})])
    expect("many keys", done.plots, {"mem rss (PID 1)": [(0, 1)], "mem rss (PID 2)": [(5000, 4)], "mem heap": [(0, 2)], "gpu rss": [(0, 3)],
                                     "mem[1] rss": [(7000, 5)]})
    expect("no numbers", done.said, "3 items are left out: 3 values of counters that are no numbers\n")


def arguments_are_kept():
    done = Imported([event("i", 1, "said", args={"n": 1, "deep": {"a": [2]}}), event("I", 2, "plain", args={}), event("R", 3, "one", args="text"),
                     event("n", 4, "op", id=1, args={"k": "v"}), event("p", 5, "op", id=2, args={"step": "s", "more": 1})])
    expect("of messages", [m[2] for m in done.messages],
           ['said\nn: 1\ndeep: {"a":[2]}', "plain", "one\ntext", "op\nk: v", "op: s\nstep: s\nmore: 1"])
    done = Imported([x("a", 0, 1, args=["p", 2]), x("b", 0, 1, args="q"), x("c", 0, 1, args=None)])
    expect("of zones", done.texts, {"a": '["p",2]', "b": "q", "c": None})
    done = Imported([event("i", 1, "next frame", args={"n": 1}), event("C", 1, "c", id2={"global": 7}, args={"value": 1}), event("C", 1, "c", args={"value": 2})])
    expect("of frames", done.said, "1 item is left out: 1 set of arguments of a frame or flow\n")
    expect("id2 of counters", done.plots, {"c[7]": [(0, 1)], "c": [(0, 2)]})


def flows_join_zones():
    done = Imported([x("launch", 0, 10), x("gemm", 50, 20, 0, 7), event("s", 2, "ac2g", cat="ac2g", id=5),
                     event("f", 50, "ac2g", 0, 7, cat="ac2g", id=5, bp="e"), event("s", 999, "ac2g", id=6)])
    expect("as PyTorch", (done.texts, done.said), ({"launch": "flow out ac2g #5\n", "gemm": "flow in ac2g #5\n"},
                                                   "1 item is left out: 1 end of a flow outside of zones\n"))
    done = Imported([x("one", 0, 10), x("two", 20, 10, 1, 2), x("three", 40, 10, 1, 3), event("s", 5, "job", id="0xa"),
                     event("t", 25, "job", 1, 2, id="0xa"), event("f", 35, "job", 1, 3, id="0xa")])
    expect("steps", done.texts, {"one": "flow out job #0xa\n", "two": "flow in job #0xa\nflow out job #0xa.1\n", "three": "flow in job #0xa.1\n"})
    waits = json.loads(subprocess.run([TENDRIL, "info", "--json", "--waits", TRACE], stdout=subprocess.PIPE, check=True).stdout)
    check("they are read as flows", (waits["flow_ends"], len(waits["waits"]["pairs"])) == (4, 2), waits)
    done = Imported([x("a", 0, 5, bind_id="0x1", flow_out=True), x("b", 9, 5, 1, 2, bind_id="0x1", flow_in=True)])
    expect("bind_id", done.texts, {"a": "flow out bind #0x1\n", "b": "flow in bind #0x1\n"})
    done = Imported([x("out", 0, 50, bind_id=1, flow_out=True), x("in", 0, 5), x("over", 0, 90, bind_id=2, flow_out=True)])
    expect("bind_id belongs to its zone", done.texts, {"out": "flow out bind #1\n", "in": None, "over": "flow out bind #2\n"})
    done = Imported([event("b", 0, "op", id=1, bind_id=7, flow_out=True), event("e", 5, "op", id=1), x("b", 9, 5, bind_id=7, flow_in=True)])
    expect("bind_id of operations", done.texts, {"op": "flow out bind #7\n", "b": "flow in bind #7\n"})


def flows_are_known_by_all_of_their_id():
    zones = [x("one", 0, 10), x("two", 0, 10, 1, 2), x("three", 20, 10), x("four", 20, 10, 1, 2)]
    done = Imported(zones + [event("s", 1, "f", 1, 1, cat="p", id=1), event("s", 2, "f", 1, 2, cat="q", id=1),
                             event("f", 21, "f", 1, 1, cat="q", id=1, bp="e"), event("f", 22, "f", 1, 2, cat="p", id=1, bp="e")])
    expect("category", done.texts, {"one": "flow out f #1\n", "two": "flow out f #1 (q)\n", "three": "flow in f #1 (q)\n", "four": "flow in f #1\n"})
    far = [x("one", 0, 10, 1), x("two", 0, 10, 2), x("three", 20, 10, 2, 9), x("four", 20, 10, 1, 9)]
    for kind, texts in (("local", ("f #5", "f #5 (PID 2)")), ("global", ("f #5", "f #5"))):
        done = Imported(far + [event("s", 1, "f", 1, id2={kind: 5}), event("s", 2, "f", 2, id2={kind: 5}),
                               event("f", 21, "f", 2, 9, id2={kind: 5}, bp="e"), event("f", 22, "f", 1, 9, id2={kind: 5}, bp="e")])
        expect(kind + " ids", done.texts, {"one": "flow out %s\n" % texts[0], "two": "flow out %s\n" % texts[1],
                                           "three": "flow in %s\n" % texts[1], "four": "flow in %s\n" % texts[0]})
    done = Imported(zones + [event("s", 1, "f"), event("f", 21, "f", bp="e"), event("s", 2, "f", id=0, args={"a": 1})])
    expect("no id", (done.texts["one"], done.said),
           ("flow out f #0\n", "3 items are left out: 2 flows without ids, 1 set of arguments of a frame or flow\n"))


def all_else_is_counted():
    kinds = [event(ph, 1, "x", id=1) for ph in "NODvVP()c=?q"] + [{"name": "no phase"}, {"ph": "X", "name": "no time", "dur": 1}, x("ok", 3, 4)]
    done = Imported(kinds)
    expect("kinds", done.said, "14 items are left out: 3 events of unknown kinds, 1 event without a time that a trace can have, "
           "3 events about objects, 2 memory dumps, 1 sample or profile, 4 marks of clocks and contexts\n")
    done = Imported({"traceEvents": [x("a", 0, 1)], "otherData": {"version": "v1", "list": [1, 2]}, "displayTimeUnit": "ns",
                     "systemTraceEvents": "x" * 9000, "stackFrames": {}})
    check("facts", {"otherData.version: v1", "otherData.list: [1,2]", "displayTimeUnit: ns"} <= set(done.facts), done.facts)
    expect("a long fact", done.said, "1 item is left out: 1 fact about the trace\n")


def packed_and_cut_files_are_read():
    events = [x("z%d" % (i % 7), 10 * i, 5, 1, i % 3) for i in range(3000)]
    text = json.dumps(events).encode()
    whole = Imported(text)
    for name, data in ("gzip", gzip.compress(text)), ("in two parts", gzip.compress(text[:5000]) + gzip.compress(text[5000:]) + bytes(512)):
        done = Imported(data, "in.json.gz")
        expect(name, (done.code, done.said, done.tracks), (0, "", whole.tracks))
    cut = Imported(gzip.compress(text)[:2000], "in.json.gz")
    check("cut gzip", cut.code == 0 and cut.said.count("breaks off") == 1 and 10 < sum(map(len, cut.tracks.values())) < 3000, cut.said)
    damaged = bytearray(gzip.compress(text))
    damaged[600:700] = bytes(100)
    done = Imported(bytes(damaged), "in.json.gz")
    check("damaged gzip", done.code == 1 and done.said.count("\n") == 1, done.said)
    done = Imported(gzip.compress(text) + b"more", "in.json.gz")
    check("bytes after gzip", done.code == 1 and "follow" in done.said, done.said)
    done = Imported('{"traceEvents":[' + json.dumps(x("a", 0, 1)) + ',\n{"ph":"X","name":"cu')
    check("cut", done.code == 0 and "breaks off" in done.said and len(done.tracks) == 1, done.said)


PHASES = fxt.trace(fxt.ticks(10 ** 9), fxt.string(1, "cat"), fxt.string(2, "outer"), fxt.string(3, "inner"), fxt.thread(1, 100, 101),
                   fxt.event(2, 1, 1000, 2, (), None, 1), fxt.event(2, 1, 1500, 3, (), None, 1), fxt.event(3, 1, 1700, 3, (), None, 1),
                   fxt.event(3, 1, 3000, 2, (), None, 1), fxt.event(4, 1, 4000, 3, (), 4500, 1))
T = (100, 101)


def fuchsia_zones_are_those_that_are_written():
    done = Imported(PHASES, "t.fxt")
    wanted = [(0, "outer", 0, 2000), (1, "inner", 500, 200), (0, "inner", 3000, 500)]
    expect("fxt", (done.code, done.said, done.tracks), (0, "", {"PID 100 TID 101": wanted}))
    expect("packed", Imported(gzip.compress(PHASES), "t.fxt").tracks, done.tracks)
    done = Imported(fxt.trace(fxt.event(4, T, 0, "A", (), 100), fxt.event(4, T, 50, "B", (), 450), fxt.event(3, (100, 102), 9, "A"), fxt.event(4, T, 9, "n", (), 5)), "t.fxt")
    expect("overlap", (done.tracks, done.said),
           ({"PID 100 TID 101": [(0, "A", 0, 100)], "PID 100 TID 101, line 2": [(0, "B", 50, 400)]},
            "2 items are left out: 1 zone with an impossible length, 1 end without a begin\n"))
    done = Imported(fxt.trace(fxt.ticks(19200000), fxt.event(4, T, 19200000 * 10 ** 6, "A", (), 19200000 * 10 ** 6 + 192)), "t.fxt")
    expect("ticks", done.tracks, {"PID 100 TID 101": [(0, "A", 0, 10000)]})


def all_kinds_of_fuchsia_records_are_read():
    args = (("i", -5), ("big", -2 ** 40), ("u", ("u32", 2 ** 32 - 1)), ("U", ("u64", 2 ** 64 - 1)), ("f", 2.5), ("s", "text"), ("p", ("pointer", 0xbeef)),
            ("k", ("koid", 55)), ("b", True), ("none", None), ("raw", b"123"), ("loc", "dir/a.cc:12"))
    done = Imported(fxt.trace(
        fxt.kernel_object(1, 100, "netstack"), fxt.kernel_object(2, 101, "main", (("process", ("koid", 100)),)), fxt.kernel_object(4, 55, "a channel"),
        fxt.user_object(100, 0xbeef, "an object"), fxt.thread(1, 100, 101), fxt.event(4, 1, 10, "zone", args, 30), fxt.event(0, 1, 12, "said", (("n", 1), ("s", "x"))),
        fxt.log(1, 14, "a log line"), fxt.event(1, 1, 15, "mem", (("rss", 5), ("no", "text")), 0), fxt.event(1, 1, 16, "mem", (("rss", 2.5),), 7),
        fxt.event(5, 1, 11, "op", (), 1), fxt.event(5, 1, 12, "op", (), 2), fxt.event(6, 1, 12, "mark", (), 1), fxt.event(7, (100, 999), 20, "op", (), 1),
        fxt.event(7, 1, 25, "op", (), 2), fxt.event(8, 1, 11, "flow", (), 9), fxt.event(4, (200, 1), 40, "other", (), 50),
        fxt.event(9, (200, 1), 41, "flow", (), 9), fxt.event(10, (200, 1), 42, "flow", (), 9), fxt.event(15, 1, 3, "what")), "t.fxt")
    expect("tracks", done.tracks, {"(netstack PID 100 TID 101) main": [(0, "zone", 0, 20)], "netstack PID 100 async cat": [(0, "op", 1, 9)],
                                   "netstack PID 100 async cat, line 2": [(0, "op", 2, 13)], "PID 200 TID 1": [(0, "other", 30, 10)]})
    expect("arguments", done.texts["zone"], "i: -5\nbig: -1099511627776\nu: 4294967295\nU: 18446744073709551615\nf: 2.5\ns: text\n"
           "p: 0xbeef (an object)\nk: 55 (a channel)\nb: true\nnone: \nraw: 3 bytes\nloc: dir/a.cc:12\nflow out flow #9\n")
    expect("flows", done.texts["other"], "flow in flow #9\nflow out flow #9.1\nflow in flow #9.1\n")
    expect("messages", done.messages, [(2, "(netstack PID 100 TID 101) main", "said\nn: 1\ns: x"), (2, "netstack PID 100 async cat", "mark"),
                                       (4, "(netstack PID 100 TID 101) main", "a log line")])
    expect("plots", done.plots, {"mem rss": [(5, 5)], "mem[7] rss": [(6, 2.5)]})
    expect("left out", done.said, "2 items are left out: 1 event of an unknown kind, 1 value of a counter that is no number\n")


def what_fuchsia_records_cannot_be_is_counted():
    good, later = fxt.event(4, T, 0, "a", (), 10), fxt.event(4, T, 20, "b", (), 30)
    wanted = {"PID 100 TID 101": [(0, "a", 0, 10), (0, "b", 20, 10)]}
    cut_name = bytearray(fxt.event(4, T, 5, "x", (), 9))
    cut_name[6:8] = struct.pack("<H", 0x8000 | 30000)
    for what, middle, said in (
            ("binary data", fxt.blob("b", b"x" * 100) + fxt.large_blob(b"y" * 100000), "2 items are left out: 2 pieces of binary data\n"),
            ("a switch of an unknown kind", fxt.record(8, 7 << 60, fxt.words(1, 2, 3)), "1 item is left out: 1 record of an unknown kind\n"),
            ("a switch without threads", fxt.record(8, 1 << 60, fxt.words(1)), "1 item is left out: 1 damaged event\n"),
            ("a full buffer", fxt.record(0, 3 << 16 | 1 << 20, b""), "1 item is left out: 1 notice that a buffer was full\n"),
            ("unknown records", fxt.record(12, 0, b"") + fxt.record(0, 9 << 16, b""), "2 items are left out: 2 records of unknown kinds\n"),
            ("a name that leaves the record", bytes(cut_name), "1 item is left out: 1 damaged event\n"),
            ("a thread that was not told", fxt.event(0, 77, 5, "x"), "1 item is left out: 1 damaged event\n"),
            ("a time of centuries", fxt.event(0, T, 2 ** 64 - 1, "x"), "1 item is left out: 1 event without a time that a trace can have\n")):
        done = Imported(fxt.trace(good, middle, later), "t.fxt")
        expect(what, (done.code, done.tracks, done.said), (0, wanted, said))
    done = Imported(fxt.trace(good, later) + bytes(4096), "t.fxt")
    check("zeros at the end", done.code == 0 and done.tracks == wanted and "breaks off" in done.said, done.said)
    whole = fxt.trace(good, later, fxt.event(0, T, 40, "m"))
    for cut in range(8, len(whole), 3):
        done = Imported(whole[:cut], "t.fxt")
        check("cut at %d" % cut, done.code == 0 and ("breaks off" in done.said) == (cut % 8 != 0 or cut not in (8, 8 + len(good), 8 + len(good) + len(later))), done.said)


def fuchsia_switches_are_those_of_threads():
    done = Imported(fxt.trace(
        fxt.kernel_object(1, 100, "netstack"), fxt.kernel_object(2, 101, "main", (("process", ("koid", 100)),)), fxt.event(4, T, 1000, "a", (), 1100),
        fxt.scheduling(1, 3, 1000, 0, 101), fxt.scheduling(1, 3, 1500, 101, 77, state=3), fxt.scheduling(2, 300, 1600, 101),
        fxt.scheduling(0, 2, 1700, (0, 0), T), fxt.scheduling(0, 2, 1900, T, (0, 0), state=5), fxt.scheduling(1, 3, 2000, 77, 0)), "t.fxt")
    expect("runs", (done.said.count("left out"), [[row[:4] for row in rows] for rows in done.dump["SWITCH"]]), (0, [[[0, 0, 500, 3], [600, 700, 900, 2]], [[500, 500, 1000, 3]]]))
    expect("processors", done.dump["CPU_SWITCH"][2:], [[[700, 900, 100 << 32 | 101]], [[0, 500, 100 << 32 | 101], [500, 1000, 77]]])
    expect("who else ran", done.dump["FOREIGN_THREAD"], [[77, "PID not known", "TID 77"]])


def providers_have_strings_of_their_own():
    done = Imported(fxt.trace(fxt.provider(1, "first"), fxt.string(1, "one"), fxt.thread(1, 1, 1), fxt.provider(2, "second"), fxt.ticks(1000), fxt.string(1, "two"),
                              fxt.thread(1, 2, 2), fxt.event(0, 1, 3, 1), fxt.section(1), fxt.event(0, 1, 3000000, 1), fxt.event(0, 1, 5000000, 9)), "t.fxt")
    expect("messages", done.messages, [(0, "PID 2 TID 2", "two"), (0, "PID 1 TID 1", "one"), (2000000, "PID 1 TID 1", "???")])
    check("names", {"provider 1: first", "provider 2: second"} <= set(done.facts), done.facts)


def main():
    for test in (times_since_1970_are_kept, ids_of_any_size_and_kind_are_different_threads, overlapping_zones_get_lines_of_their_own,
                 ends_change_no_other_zone, operations_have_tracks_of_their_own, one_damaged_event_costs_one_event, names_are_kept,
                 counters_are_plots_of_their_own, arguments_are_kept, flows_join_zones, flows_are_known_by_all_of_their_id, all_else_is_counted, packed_and_cut_files_are_read,
                 fuchsia_zones_are_those_that_are_written, all_kinds_of_fuchsia_records_are_read,
                 what_fuchsia_records_cannot_be_is_counted, fuchsia_switches_are_those_of_threads, providers_have_strings_of_their_own):
        test()
    sys.exit(exit_status())


main()
