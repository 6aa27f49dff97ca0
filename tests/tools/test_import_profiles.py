#!/usr/bin/env python3
"""`tendril import` of profiles: folded stacks, events of perf, files of speedscope, profiles of Firefox. Every stack, number and name of the file is in the trace."""
import json
import os
import subprocess
import sys

from common import TENDRIL, check, exit_status
from imported import SCRATCH, TRACE, Imported, expect, samples_of


def folded_again(form="zones"):
    """What `export` makes of the imported trace: numbers by stack."""
    out = subprocess.run([TENDRIL, "export", "--to", "folded", "--stacks", form, "-o", "-", TRACE], stdout=subprocess.PIPE, check=True).stdout.decode()
    return {line.rpartition(" ")[0].partition(";")[2]: int(line.rpartition(" ")[2]) for line in out.splitlines()}


def folded_stacks_become_zones_as_wide_as_their_numbers():
    done = Imported("# made by hand\nmain;a;b 10\nmain;a 5\r\nother 3\n\nmain;c 2\nmain;a;b 7\n", "f.folded")
    expect("zones", (done.code, done.said, done.tracks),
           (0, "", {"folded stacks": [(0, "main", 0, 24), (1, "a", 0, 22), (2, "b", 0, 17), (1, "c", 22, 2), (0, "other", 24, 3)]}))
    expect("the scale", done.facts, ["1 ns is 1 of the numbers in the file"])
    expect("the same again", folded_again(), {"main;a;b": 17, "main;a": 5, "main;c": 2, "other": 3})
    done = Imported("a;b 0.5\na 1.25\nb c (d) [k];e f 1e1\n", "f.folded")
    expect("numbers with a point", (done.facts, folded_again()), (["1 ns is 0.001 of the numbers in the file"], {"a;b": 500, "a": 1250, "b c (d) [k];e f": 10000}))
    done = Imported("a;b %d\na;c %d\n" % (3 * 10 ** 15, 10 ** 15), "f.folded")
    expect("large numbers", (done.facts, folded_again()), (["1 ns is 100 of the numbers in the file"], {"a;b": 3 * 10 ** 13, "a;c": 10 ** 13}))
    deep = ";".join("f%d" % i for i in range(3000))
    done = Imported(deep + " 9\n", "f.folded")
    expect("3000 levels", (sum(map(len, done.tracks.values())), folded_again()), (3000, {deep: 9}))


def a_line_that_is_not_understood_costs_one_line():
    done = Imported("a;b 10\nc 1\nd 1\ne 1\nno number\na;b -5\na;b 99999999999999999999\n;;; 4\n%s 1\na;b nan\nc 1" % ("x" * 1100000), "f.folded")
    expect("lines", (done.code, done.said, folded_again()), (0, "6 items are left out: 6 lines that are not understood\n", {"a;b": 10, "c": 2, "d": 1, "e": 1}))
    for text in "no number at all\n", "a;b x\nb y\nc 1\n", "a;\0b 5\n":
        done = Imported(text, "f.folded")
        check("no folded stacks: %r" % text, done.code == 1 and done.said.count("\n") == 1 and "no format" in done.said, done.said)


PERF = """# captured on    : Mon Nov 30 2026
#
            work  4711/4712  [001]   100.000001: sched:sched_switch: prev_comm=work prev_pid=4712 prev_prio=120 prev_state=S ==> next_comm=other one next_pid=5000 next_prio=120
\tffffffff821f8298 __schedule+0x618 ([kernel.kallsyms])
\t    7f0000001010 wait(int, char*)+0x10 (/usr/lib/libone.so (deleted))

       other one  5000/5000  [001]   100.000002:          1 sched:sched_wakeup: comm=work pid=4712 prio=120 target_cpu=000
            work  4711/4712  [000] d..2.   100.000003: sched:sched_switch: swapper/0:0 [120] R ==> work:4712 [120]
work  4711/4712   100.000010123:     250000 cpu-clock:ppp: 
\t    5500000010a0 helper (inlined)
\t    5500000010a0 leaf+0xa0 (/tmp/work)
  leaf.c:12
\t    550000002004 main+0x4 (/tmp/work)
  [/tmp/work][550000002004]
\t               0 [unknown] ([unknown])

work  4711/4712   100.000011:     250000 cpu-clock:ppp: 
\t    5500000010a0 leaf+0xa0 (/tmp/other)

renamed  4711/4712   100.000012:  page-faults:  550000002004 main+0x4 (/tmp/work)
renamed  4711/4712  [000]   100.000013: syscalls:sys_enter_write: fd: 0x00000001, count: 0x10 7f0000001020 write+0x10 (/lib/libc.so)
renamed  4711/4712  [000]   100.000014: PERF_RECORD_SWITCH_CPU_WIDE OUT preempt  next pid/tid:  5000/5000
other one  5000/5000  [000]   100.000015: PERF_RECORD_SWITCH_CPU_WIDE IN           prev pid/tid:  4711/4712
other one  5000/5000  [000]   100.000016:    dummy:HG: 
"""


def events_of_perf_become_samples_switches_and_messages():
    done = Imported(PERF, "perf.txt", "0.14.0")
    work, other = "(PID 4711 TID 4712) renamed", "(PID 5000 TID 5000) other one"
    expect("import", (done.code, done.said, done.tracks), (0, "", {}))
    kernel, main_stack = ["__schedule", "wait(int, char*)"], ["helper", "leaf@leaf.c:12", "main", "[unknown]"]
    expect("samples", samples_of(done), {work: [(0, kernel), (9123, main_stack), (10000, ["leaf"])],
                                         "(PID 4711 TID 4712 page-faults) renamed": [(11000, ["main"])]})
    expect("where threads stop", samples_of(done, "SWITCH_SAMPLE"), {work: [(0, kernel)]})
    expect("messages", done.messages, [(12000, work, "syscalls:sys_enter_write: fd: 0x00000001, count: 0x10"), (15000, other, "dummy:HG")])
    thread = 4711 << 32 | 4712
    runs = {row[0]: [run[:6] for run in runs] for row, runs in zip(done.dump["SWITCH_THREAD"], done.dump["SWITCH"])}
    expect("switches", runs, {thread: [[1000, 2000, 13000, 0, 100, 103]], 5000 << 32 | 5000: [[0, 0, 13000, 1, -1, -1], [13000, 13000, -1, 0, -1, -1]]})
    expect("processors", done.dump["CPU_SWITCH"], [[[2000, 13000, thread], [13000, -1, 5000 << 32 | 5000]], [[0, -1, 5000 << 32 | 5000]]])
    expect("images", sorted({frame[1] for frame in done.dump["STACK_FRAME"]}),
           ["/lib/libc.so", "/tmp/other", "/tmp/work", "/usr/lib/libone.so (deleted)", "[kernel.kallsyms]", "[unknown]"])
    # Two programs have an address in common: the second one's are apart, and each function keeps its begin.
    symbols = {line[0]: line[3] for line in done.dump["STACK_LINE"] if line[0] == "leaf"}
    expect("begins of functions", (symbols["leaf"] & (1 << 48) - 1, len({line[3] for line in done.dump["STACK_LINE"] if line[0] == "leaf"})), (0x550000001000, 2))
    check("the time 0", "the first event of perf is at 100.000001000 s" in done.facts, done.facts)
    rows = subprocess.run([TENDRIL, "query", "--format", "csv", TRACE, "SELECT name, self, total FROM symbols ORDER BY self DESC, name"], stdout=subprocess.PIPE, check=True)
    expect("the table of symbols", rows.stdout.decode().split(), ["name,self,total", "helper,1,1", "leaf,1,1", "main,1,2", "[unknown],0,1", "leaf,0,1"])
    rows = subprocess.run([TENDRIL, "query", "--format", "csv", TRACE, "SELECT samples, stack FROM stacks ORDER BY samples DESC, stack"], stdout=subprocess.PIPE, check=True)
    expect("the table of stacks", rows.stdout.decode().splitlines(), ["samples,stack", "1,helper;leaf;main;[unknown]", "1,leaf", "1,main"])


def all_choices_of_fields_of_perf_are_read():
    for header in "w 12 5.5: cpu-clock: ", "w 12 5.5:     1 cpu-clock: ", "w  7/12 [003] 5.500000001: cycles:u: ", "a b  12 [000] dN.1. 5.5: ", ":12 12 5.5: cpu/config=1/u: ":
        for frame in "\t401136 leaf+0x10 (/tmp/w)", "    401136 leaf (/tmp/w)", "\tleaf+0x10 (/tmp/w)", "\t401136 leaf+0x10 (/tmp/w)\n  w.c:3":
            done = Imported(header + "\n" + frame + "\n\n", "perf.txt")
            expect("%r %r" % (header, frame), (done.said, [[f.partition("@")[0] for f in stack] for rows in samples_of(done).values() for _, stack in rows]), ("", [["leaf"]]))
    expect("without a process", list(samples_of(Imported("w 12 5.5: a: \n\t1 x (y)\n", "perf.txt"))), ["(TID 12) w"])


def one_damaged_event_of_perf_costs_one_event():
    lines = ["w 1/1  %d.000: cpu-clock: \n\t401136 leaf (/tmp/w)\n\t401200 main (/tmp/w)\n\n" % i for i in range(1, 6)]
    for wrong in "no header at all\n\t401136 leaf (/tmp/w)\n\n", "w one/1  3.000: cpu-clock: \n\t401136 leaf (/tmp/w)\n\n", "w 1/1  3.0.0: cpu-clock: \n\t4 x (y)\n", "\t401136 leaf (/tmp/w)\n\t1 x\n\n":
        done = Imported("".join(lines[:2]) + wrong + "".join(lines[3:]), "perf.txt")
        expect("%r" % wrong, (done.code, done.said, samples_of(done)), (0, "1 item is left out: 1 line that is not understood\n", {
            "(PID 1 TID 1) w": [(i * 10 ** 9, ["leaf", "main"]) for i in (0, 1, 3, 4)]}))


def recordings_of_perf_are_read_by_perf():
    data, text = os.path.join(SCRATCH, "perf.data"), os.path.join(SCRATCH, "perf.txt")
    with open(data, "wb") as file:
        file.write(b"PERFILE2" + bytes(200))
    env = dict(os.environ, PATH="/nonexistent")
    done = subprocess.run([TENDRIL, "import", "-f", "-o", TRACE, data], env=env, stderr=subprocess.PIPE, check=False)
    check("without perf", done.returncode == 1 and done.stderr.count(b"\n") == 1 and b"perf script --ns -F" in done.stderr, done.stderr)
    record = ["perf", "record", "-q", "-e", "cpu-clock", "-c", "200000", "-g", "-o", data, sys.executable, "-c", "sum(i * i for i in range(300000))"]
    try:
        recorded = subprocess.run(record, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False, timeout=60).returncode == 0
    except OSError:
        recorded = False
    if not recorded:
        print("perf cannot record here: no recording was read")
        return
    done = subprocess.run([TENDRIL, "import", "-f", "-o", TRACE, data], stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True, check=False)
    with open(text, "w", encoding="utf-8") as file:
        subprocess.run(["perf", "script", "--ns", "-i", data], stdout=file, stderr=subprocess.DEVNULL, check=True)
    with open(text, encoding="utf-8", errors="replace") as file:
        samples = sum(" cpu-clock:" in line for line in file)
    check("samples of perf", samples > 20 and "samples      %d, " % samples in done.stdout and not done.stderr, samples, done.stdout, done.stderr)
    done = subprocess.run([TENDRIL, "import", "-f", "-o", TRACE, text], stdout=subprocess.PIPE, universal_newlines=True, check=False)
    check("the same from its text", "samples      %d, " % samples in done.stdout, done.stdout)
    damaged = os.path.join(SCRATCH, "damaged.data")
    with open(data, "rb") as file, open(damaged, "wb") as to:
        to.write(file.read(200))
    done = subprocess.run([TENDRIL, "import", "-f", "-o", TRACE, damaged], stderr=subprocess.PIPE, check=False)
    check("a damaged recording", done.returncode == 1 and done.stderr.count(b"\n") == 1, done.stderr)
    with open(data, "rb") as file:
        done = subprocess.run([TENDRIL, "import", "-f", "-o", TRACE, "-"], stdin=file, stderr=subprocess.PIPE, check=False)
    check("a recording from a pipe", done.returncode == 1 and b"from files only" in done.stderr, done.stderr)


def scope(*profiles, frames=("a", "b", "c"), **more):
    return dict({"$schema": "https://www.speedscope.app/file-format-schema.json", "shared": {"frames": [{"name": f} if isinstance(f, str) else f for f in frames]},
                 "profiles": list(profiles)}, **more)


def evented(events, unit="nanoseconds", name="p"):
    return {"type": "evented", "name": name, "unit": unit, "startValue": 0, "endValue": 100,
            "events": [{"type": kind, "frame": frame, "at": at} for kind, frame, at in events]}


def sampled(samples, weights, unit="nanoseconds", name="s", start=0):
    return {"type": "sampled", "name": name, "unit": unit, "startValue": start, "endValue": 100, "samples": samples, "weights": weights}


def profiles_of_speedscope_become_tracks():
    events = [("O", 0, 10), ("O", 1, 20), ("C", 1, 30), ("O", 1, 30), ("O", 1, 30), ("C", 1, 40), ("C", 1, 40), ("C", 0, 50)]
    zones = [(0, "a", 0, 40), (1, "b", 10, 10), (1, "b", 20, 10), (2, "b", 20, 10)]
    for unit, ns in ("nanoseconds", 1), ("microseconds", 10 ** 3), ("milliseconds", 10 ** 6), ("seconds", 10 ** 9), ("none", 1), ("bytes", 1):
        done = Imported(scope(evented(events, unit)), "s.json")
        expect("evented, " + unit, (done.code, done.said, done.tracks), (0, "", {"p": [(d, f, start * ns, length * ns) for d, f, start, length in zones]}))
        expect("facts, " + unit, done.facts, {"none": ["p: 1 ns is 1 of the numbers in the file"], "bytes": ["p: 1 ns is 1 byte"]}.get(unit, []))
    place = {"name": "a \"b\" \u00e9", "file": "dir/f.c", "line": 12, "col": 3}
    done = Imported(scope(evented([("O", 0, 0), ("C", 0, 1)]), frames=(place,), exporter="x@1", name="n"), "s.json")
    expect("places", (done.tracks, done.places, done.facts), ({"p": [(0, 'a "b" \u00e9', 0, 1)]}, [("dir/f.c", 12)], ["exporter: x@1", "name: n"]))
    done = Imported(scope(evented([("O", 0, 1790000000000000000.5), ("C", 0, 1790000000000000010)], name="one"), evented([("O", 1, "x"), ("O", 1, 1790000000000000005)], name="two")), "s.json")
    check("times of today", done.code == 0 and done.tracks["two"] == [(0, "b", 5, -1)], done.said, done.tracks)
    done = Imported(scope(sampled([[0, 1], [0, 1, 2], [0], [], [0]], [1, 2.5, 1, 3, 4], "microseconds", start=7)), "s.json")
    expect("sampled", (done.said, done.tracks), ("", {"s": [(0, "a", 0, 4500), (1, "b", 0, 3500), (2, "c", 1000, 2500), (0, "a", 7500, 4000)]}))
    done = Imported(scope(sampled([[0, 1], [0, 2], [0, 1], [0]], [1, 0, 1, 1])), "s.json")
    expect("a sample without weight", (done.said, done.tracks), ("", {"s": [(0, "a", 0, 3), (1, "b", 0, 1), (1, "c", 1, 0), (1, "b", 1, 1)]}))
    text = '{"profiles":[%s],"shared":{"frames":[{"name":"a"},{"name":"b"}]},"$schema":"https://www.speedscope.app/"}' % json.dumps(evented(events))
    expect("frames at the end", Imported(text, "s.json").tracks, {"p": zones})
    both = Imported(scope(evented([("O", 0, 0), ("C", 0, 5)], name="x"), evented([("O", 0, 2), ("C", 0, 9)], name="x")), "s.json")
    expect("two of one name", sorted(track["zones"][0][3:5] for track in both.dump["tracks"]), [[0, 5], [2, 7]])


def one_damaged_event_of_speedscope_costs_one_event():
    good = [("O", 0, 0), ("O", 1, 10), ("C", 1, 20), ("O", 1, 30), ("C", 1, 40), ("C", 0, 50)]
    text = json.dumps(scope(evented(good)))
    without = {"p": [(0, "a", 0, 50), (1, "b", 30, 10)]}
    begin, end = '{"type": "O", "frame": 1, "at": 10}', '{"type": "C", "frame": 1, "at": 20}'
    assert begin in text and end in text
    for wrong in ('{"type": "O", "frame": 1, "at": NaN}', '{"type": "O", "frame": 99, "at": 10}', '{"type": "O", "frame": -1, "at": 10}', '{"type": "O", "at": 10}',
                  '{"type": "Z", "frame": 1, "at": 10}', '{"type: "O", "frame": 1, "at": 10}', '{"type": "O, "frame": 1, "at": 10}', '{"type": O", "frame": 1, "at": 10}', "7",
                  '"x"', "null", "[[]]", '{"type": "O", "frame": 1, "at": 10, "x": "\\q"}', '{"type": "O", "frame": 1, "at": 1e400}', '{"type": "O" "frame": 1, "at": 10}',
                  '{"type": "O", "frame": 1, "at": 10, "x": "y}', '{"type": "O", "frame": 1, "at": 10, "x": "\\ud800"}'):
        done = Imported(text.replace(begin, wrong).replace(end + ", ", ""), "s.json")
        expect("%s" % wrong, (done.code, done.tracks, done.said.partition(":")[0]), (0, without, "1 item is left out"))
    done = Imported(text.replace('{"name": "a"}', '{"name": "a}'), "s.json")
    expect("a frame", (done.code, done.tracks), (0, {"p": [(0, "b", 0, 10), (0, "b", 20, 10)]}))
    done = Imported(scope(sampled([[0], [0, 7], "x", [0], [0]], [1, 1, 1, "w", 1])), "s.json")
    expect("samples", (done.tracks, done.said), ({"s": [(0, "a", 0, 1), (0, "a", 3, 1)]}, "3 items are left out: 3 damaged events\n"))
    done = Imported(scope(sampled([[0], [1], [0]], [1, 1])), "s.json")
    expect("weights that are missing", (done.tracks, done.said), ({"s": [(0, "a", 0, 1), (0, "b", 1, 1)]}, "1 item is left out: 1 damaged event\n"))
    whole = json.dumps(scope(evented([event for i in range(50) for event in (("O", 1, 10 * i), ("C", 1, 10 * i + 5))])))
    for cut in range(whole.index('"events"') + 10, len(whole), 397):
        done = Imported(whole[:cut], "s.json")
        check("cut at %d" % cut, done.code == 0 and done.said.count("breaks off") == 1 and sum(map(len, done.tracks.values())) <= 50, done.said)


def fx_thread(**more):
    """A thread of a processed profile: main calls work, which calls an inlined function."""
    strings = ["main", "work", "inner", "lib.so", "a.c", "Text", "Load", "Tick"]
    made = {"name": "GeckoMain", "processName": "Web", "pid": 10, "tid": 11, "stringArray": strings,
            "samples": {"stack": [0, 1, 2, None, 2], "time": [5.5, 6.5, 7.5, 8.5, 9.5], "length": 5},
            "stackTable": {"prefix": [None, 0, 1], "frame": [0, 1, 2], "length": 3},
            "frameTable": {"func": [0, 1, 2], "line": [3, None, 7], "address": [16, 32, 32], "inlineDepth": [0, 0, 1], "length": 3},
            "funcTable": {"name": [0, 1, 2], "fileName": [4, 4, None], "lineNumber": [1, 2, None], "resource": [0, 0, 0], "length": 3},
            "resourceTable": {"name": [3], "length": 1},
            "markers": {"name": [5, 6, 6, 7], "startTime": [5.5, 6, None, 9], "endTime": [None, None, 8, 10.25], "phase": [0, 2, 3, 1],
                        "data": [{"type": "Text", "name": "said \u00e9"}, {"url": "x"}, None, None], "length": 4}}
    return dict(made, **more)


def firefox(*threads, **more):
    return dict({"meta": {"preprocessedProfileVersion": 50, "interval": 1, "startTime": 1.5e12, "product": "Firefox"}, "threads": list(threads)}, **more)


FX_TRACK = "(Web PID 10 TID 11) GeckoMain"
FX_STACKS = {FX_TRACK: [(0, ["main@a.c:3"]), (1000000, ["work@a.c:2", "main@a.c:3"]), (2000000, ["inner", "work@a.c:2", "main@a.c:3"]), (4000000, ["inner", "work@a.c:2", "main@a.c:3"])]}
FX_ZONES = {FX_TRACK: [(0, "Load", 500000, 2000000), (0, "Tick", 3500000, 1250000)]}
NO_STACK = "1 item is left out: 1 stackless sample\n"


def threads_of_firefox_have_samples_and_markers():
    counters = [{"name": "malloc", "category": "Memory", "pid": 10, "samples": {"time": [6, 7], "count": [100, -30.5]}},
                {"name": "power", "category": "power", "pid": 10, "sampleGroups": [{"id": 0, "samples": {"timeDeltas": [6.5, 1], "count": [4, 3]}}]}]
    done = Imported(firefox(fx_thread(), counters=counters), "f.json")
    expect("import", (done.code, done.said, done.tracks), (0, NO_STACK, FX_ZONES))
    expect("samples", samples_of(done), FX_STACKS)
    expect("messages", done.messages, [(0, FX_TRACK, "Text\ntype: Text\nname: said \u00e9")])
    expect("texts", done.texts, {"Load": "url: x\n", "Tick": None})
    expect("plots", done.plots, {"malloc": [(500000, 100), (1500000, 69.5)], "power": [(1000000, 4), (2000000, 3)]})
    check("facts", "product: Firefox" in done.facts, done.facts)
    expect("addresses", sorted((line[0], frame[1]) for line, frame in zip([x for x in done.dump["STACK_LINE"] if x[0] != "inner"], done.dump["STACK_FRAME"])),
           [("main", "lib.so"), ("work", "lib.so"), ("work", "lib.so")])
    # Tables that all threads share, which come after them; times as differences.
    thread, shared = fx_thread(), {}
    for key in "stringArray", "stackTable", "frameTable", "funcTable", "resourceTable":
        shared[key] = thread.pop(key)
    thread["samples"] = {"stack": [0, 1, 2, None, 2], "timeDeltas": [5.5, 1, 1, 1, 1]}
    shared["sources"] = {"filename": [4]}
    shared["funcTable"] = {"name": [0, 1, 2], "source": [0, 0, None], "lineNumber": [1, 2, None], "resource": [0, 0, 0]}
    done = Imported(firefox(thread, shared=shared), "f.json")
    expect("shared", (done.said, samples_of(done), done.tracks), (NO_STACK, FX_STACKS, FX_ZONES))
    older = fx_thread(markers={"name": [5, 6, 6, 7], "time": [5.5, 6, 8, 9], "data": [None, {"type": "tracing", "interval": "start"}, {"type": "tracing", "interval": "end"}, {
        "startTime": 9, "endTime": 10.25}]})
    done = Imported(firefox(older), "f.json")
    expect("markers without phases", (done.tracks, [m[2] for m in done.messages]), (FX_ZONES, ["Text"]))


def gecko(start, *threads, **more):
    return dict({"meta": {"version": 24, "interval": 1, "startTime": start}, "libs": [], "threads": list(threads)}, **more)


def gecko_thread(pid, order=("schema", "data")):
    def table(schema, rows):
        whole = {"schema": {name: i for i, name in enumerate(schema)}, "data": rows}
        return {key: whole[key] for key in order}
    return {"name": "GeckoMain", "processType": "tab", "pid": pid, "tid": 11, "stringTable": ["(root)", "f (http://x/a.js:12:7)", "0x7f0010", "Load", "g (b.js:5)"],
            "samples": table(["stack", "time", "eventDelay"], [[0, 5.5], [1, 6.5, 0], [2, 7.5], [None, 8.5], [3, 9.5]]),
            "stackTable": table(["prefix", "frame"], [[None, 0], [0, 1], [1, 2], [2, 3]]),
            "frameTable": table(["location", "relevantForJS", "line"], [[0], [1, True], [2], [4, True, 6]]),
            "markers": table(["name", "startTime", "endTime", "phase", "category", "data"], [[3, 6, None, 2, 0, {"type": "tracing"}], [3, None, 8, 3, 0]])}


def profiles_that_firefox_writes_itself_are_read():
    for order in ("schema", "data"), ("data", "schema"):
        done = Imported(gecko(1000, gecko_thread(1, order), processes=[gecko(1250.5, gecko_thread(2, order))]), "f.json")
        first, second = "(tab PID 1 TID 11) GeckoMain", "(tab PID 2 TID 11) GeckoMain"
        stacks = [["(root)"], ["f@http://x/a.js:12", "(root)"], ["0x7f0010", "f@http://x/a.js:12", "(root)"], ["g@b.js:6", "0x7f0010", "f@http://x/a.js:12", "(root)"]]
        times = [0, 1000000, 2000000, 4000000]
        expect("gecko, %s first" % order[0], (done.code, done.said, samples_of(done)), (0, "2 items are left out: 2 stackless samples\n", {
            first: list(zip(times, stacks)), second: [(time + 250500000, stack) for time, stack in zip(times, stacks)]}))
        expect("markers", done.tracks, {first: [(0, "Load", 500000, 2000000)], second: [(0, "Load", 251000000, 2000000)]})
        expect("texts", done.texts, {"Load": "type: tracing\n"})
    inside = {"label": "", "duration": 5, "markers": [], "frames": [], "profile": gecko(1000, gecko_thread(1))}
    expect("inside of a recording", len(samples_of(Imported(inside, "f.json"))["(tab PID 1 TID 11) GeckoMain"]), 4)


def one_damaged_item_of_firefox_costs_one_item():
    text = json.dumps(firefox(fx_thread()))
    rest = {FX_TRACK: [FX_STACKS[FX_TRACK][i] for i in (0, 1, 3)]}
    for what, wrong in ('"stack": [0, 1, 2,', '"stack": [0, 1, 99,'), ('"stack": [0, 1, 2,', '"stack": [0, 1, "x",'), ('"stack": [0, 1, 2,', '"stack": [0, 1, NaN,'), (
            '6.5, 7.5', '6.5, NaN'), ('6.5, 7.5', '6.5, null'), ('6.5, 7.5', '6.5, {"a": [1]}'), ('6.5, 7.5', '6.5, 1e300'):
        assert what in text
        done = Imported(text.replace(what, wrong), "f.json")
        expect("%s" % wrong, (done.code, samples_of(done), done.said[:22], done.tracks), (0, rest, "2 items are left out: ", FX_ZONES))
    done = Imported(text.replace('"prefix": [null, 0, 1]', '"prefix": [null, 2, 1]'), "f.json")
    check("a circle of callers", done.code == 0 and len(samples_of(done)[FX_TRACK]) == 1, done.said)
    for what, wrong in ('"phase": [0, 2, 3, 1]', '"phase": [0, 2, 3, 7]'), ('[null, null, 8, 10.25]', '[null, null, 8, 8]'), ('[null, null, 8, 10.25]', '[null, null, 8, "x"]'):
        done = Imported(text.replace(what, wrong), "f.json")
        expect("%s" % wrong, (done.tracks, done.said[:22]), ({FX_TRACK: FX_ZONES[FX_TRACK][:1]}, "2 items are left out: "))
    done = Imported(text.replace('{"url": "x"}', '{"url": "x}'), "f.json")
    check("data of a marker", done.code == 0 and samples_of(done) == FX_STACKS, done.said)
    rows = json.dumps(gecko(1000, gecko_thread(1)))
    for wrong in '"x"', '[1, "y"]', '[1, NaN]', '{"a": 1}', '[77, 6.5]':
        done = Imported(rows.replace('[1, 6.5, 0]', wrong), "f.json")
        check("row %s" % wrong, done.code == 0 and len(samples_of(done)["(tab PID 1 TID 11) GeckoMain"]) == 3, done.said)
    for cut in range(text.index('"threads"') + 15, len(text), 241):
        done = Imported(text[:cut], "f.json")
        check("cut at %d" % cut, done.code == 0 and done.said.count("breaks off") == 1, done.said)


def main():
    for test in (folded_stacks_become_zones_as_wide_as_their_numbers, a_line_that_is_not_understood_costs_one_line,
                 events_of_perf_become_samples_switches_and_messages, all_choices_of_fields_of_perf_are_read,
                 one_damaged_event_of_perf_costs_one_event, recordings_of_perf_are_read_by_perf,
                 profiles_of_speedscope_become_tracks, one_damaged_event_of_speedscope_costs_one_event,
                 threads_of_firefox_have_samples_and_markers, profiles_that_firefox_writes_itself_are_read,
                 one_damaged_item_of_firefox_costs_one_item):
        test()
    sys.exit(exit_status())


main()
