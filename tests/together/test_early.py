"""Programs that begin before the recording: every time of every kind is what the program measured, by `record -a` of one and of several
that come in any order, with --serve, --keep and triggers, from a journal, and in traces that are merged.

    test_early.py [NAME...]     only these of the functions below, without "check_"
"""
import csv
import io
import os
import signal
import subprocess
import sys
import time

from kit import BINARY, TENDRIL, dump, expect, finish, folder, free_port, start_record, wait_for

EARLY = os.path.join(BINARY, "tests", "early")
MATMUL = os.path.join(BINARY, "examples", "matmul", "matmul")
SLACK_NS = 200_000  # clocks are related by measured rates
FEW = 20


class Program:
    """Marks zones from its start until end()."""

    def __init__(self, scratch, name, **variables):
        self.name, self.port = name, free_port()
        self.log, self.stop = [os.path.join(scratch, name + end) for end in (".log", ".stop")]
        for path in (self.log, self.stop):
            if os.path.exists(path):
                os.unlink(path)
        env = dict(os.environ, TRACY_PORT=str(self.port), TRACY_NO_EXIT="1", TRACY_ONLY_LOCALHOST="1", **variables)
        self.process = subprocess.Popen([EARLY, name, self.log, self.stop], env=env)
        self.mark()

    def zones(self):
        """Of each: the times between which it began, and ended."""
        with open(self.log, encoding="ascii") as f:
            return [[int(ns) for ns in line.split()] for line in f if line.endswith("\n") and line[0].isdigit()]

    def marks(self):
        """Of each kind that is not a zone: the times between which each was marked."""
        found = {}
        with open(self.log, encoding="ascii") as f:
            for kind, before, after in (line.rsplit(" ", 2) for line in f if line.endswith("\n") and not line[0].isdigit()):
                found.setdefault(kind, []).append((int(before), int(after)))
        return found

    def mark(self, more=FEW):
        want = more + (len(self.zones()) if os.path.exists(self.log) else 0)
        wait_for(lambda: os.path.exists(self.log) and len(self.zones()) >= want, "zones of " + self.name)

    def end(self):
        open(self.stop, "w").close()

    def kill(self):
        self.process.kill()
        self.process.wait()

    def where(self):
        return ["-a", ":%d" % self.port]


def traced(trace):
    """(begin, end) of each zone, by its name, which is that of the program."""
    out = subprocess.run([TENDRIL, "csvexport", "-u", trace], stdout=subprocess.PIPE, text=True, timeout=60, check=True)
    found = {}
    for row in csv.DictReader(io.StringIO(out.stdout)):
        begin = int(row["ns_since_start"])
        found.setdefault(row["name"], []).append((begin, begin + int(row["exec_time_ns"])))
    return {name: sorted(zones) for name, zones in found.items()}


def narrow(origin, ns, before, after):
    """The range that is left for where the trace's time 0 is on the programs' clock."""
    return max(origin[0], before - ns - SLACK_NS), min(origin[1], after - ns + SLACK_NS)


def fits(zone, logged, origin):
    return narrow(narrow(origin, zone[0], *logged[0:2]), zone[1], *logged[2:4])


def times_of(there, name):
    """Times of each kind in a trace's dump, of the program of this name."""
    def is_named(text, suffix=""):
        return text is not None and (text == name + suffix or text.startswith(name + suffix + " (") or
                                     text.endswith(": " + name + suffix))

    def rows(table, named, suffix=""):
        return [row for rows, of in zip(there[table], named) if is_named(of, suffix) for row in rows]
    sets = [entry[0] for entry in there["frame_sets"]]
    blocks = rows("MEMORY", [pool[0] for pool in there["POOL"]], " pool")
    parts = rows("FRAME", sets, " part")
    contexts = {1 + i for i, context in enumerate(there["GPU_CONTEXT"]) if is_named(context[4], " gpu")}
    return {"message": [row[0] for row in there["MESSAGE"] if row[2] == name],
            "plot": [row[0] for row in rows("POINT", [plot[5] for plot in there["plots"]])],
            "frame": [row[0] for row in rows("FRAME", sets)],
            "part": [row[0] for row in parts], "part end": [row[1] for row in parts],
            "alloc": [row[4] for row in blocks], "free": [row[5] for row in blocks],
            "lock": [row[0] for row in rows("LOCK_EVENT", [lock[1] for lock in there["LOCK"]])],
            "fiber": [zone[3] for track in there["tracks"] if is_named(track["name"], " fiber") for zone in track["zones"]],
            "gpu": sorted(zone[3] for track in there["tracks"] if track["context"] in contexts for zone in track["zones"])}


def expect_marks(trace, programs, origin, whole, least):
    there = dump(trace)
    for program in programs:
        times, logged = times_of(there, program.name), program.marks()
        expect(times.keys() == logged.keys(), "kinds %s of %s" % (logged.keys(), program.name))
        for kind, marks in logged.items():
            expect(len(times[kind]) == len(marks) if whole else len(times[kind]) >= least,
                   "%d of kind %s instead of %d" % (len(times[kind]), kind, len(marks)))
            for ns in times[kind]:  # one of the marks after those before it
                at = 0
                while at < len(marks) and ns + origin[0] > marks[at][1] + SLACK_NS:
                    at += 1
                expect(at < len(marks), "%s of %s at %d was not marked" % (kind, program.name, ns))
                expect(not whole or at == 0, "%s at %s is missing" % (kind, marks[0]))
                origin = narrow(origin, ns, *marks[at])
                expect(origin[0] <= origin[1], "%s of %s at %d was marked at %s" % (kind, program.name, ns, marks[at]))
                marks = marks[at + 1:]
    return origin


def expect_right(trace, programs, whole=True, least=FEW):
    """whole: all zones are there; else the last ones, or all but the last. Returns the first zone's time, and the range of
    where the trace's time 0 is."""
    there, origin, first = traced(trace), (-1 << 62, 1 << 62), 1 << 62
    for program in programs:
        zones, logged = there.get(program.name, []), program.zones()
        expect(len(zones) >= least, "%d zones of %s" % (len(zones), program.name))
        expect(not whole or len(zones) == len(logged), "%d zones instead of %d" % (len(zones), len(logged)))
        skip = 0
        if not whole and len(zones) < len(logged):
            # Their lengths say which ones they are.
            def differ(at):
                return sum(abs((b - a) - (l[2] - l[1])) for (a, b), l in zip(zones, logged[at:at + len(zones)]))
            skip = min(range(len(logged) - len(zones) + 1), key=differ)
        for zone, entry in zip(zones, logged[skip:]):
            origin = fits(zone, entry, origin)
            expect(origin[0] <= origin[1], "zone %s of %s was marked at %s" % (zone, program.name, entry))
            first = min(first, zone[0])
    return first, expect_marks(trace, programs, origin, whole, least)


def expect_zero(right):
    """Time 0 is where the first program begins, which its first zone follows."""
    first, _ = right
    expect(0 <= first < 60_000_000_000, "the first zone is at %d ns" % first)


def check_one(scratch):
    trace, a = os.path.join(scratch, "one.tracy"), Program(scratch, "a")
    recorder = start_record(trace, *a.where())
    a.mark()
    a.end()
    finish(recorder)
    expect_zero(expect_right(trace, [a]))


def check_boards(scratch):
    """A board of this machine and one of an agent, whose kernels run later, and one program that is reached last."""
    if not os.access(MATMUL, os.X_OK):
        return
    trace, board = os.path.join(scratch, "boards.tracy"), ["-b", "tensix_sim", "--grid", "2x2"]
    programs = [Program(scratch, name) for name in ("a", "b")]
    programs[0].process.send_signal(signal.SIGSTOP)
    out = open(os.path.join(scratch, "agent.out"), "w+", encoding="utf-8")
    agent = subprocess.Popen([TENDRIL, "agent", "--listen", "0", "--once", *board, "--", MATMUL, "64", "2"], stdout=out)
    wait_for(lambda: os.path.getsize(out.name), "the agent")
    with open(out.name, encoding="utf-8") as file:
        at = "127.0.0.1:" + file.read().split()[-1]
    began = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    recorder = start_record(trace, *programs[1].where(), *programs[0].where(), "--agent", at, *board, "--",
                            "sh", "-c", MATMUL + " 64 2; sleep 3")
    programs[1].mark()
    wait_for(lambda: os.path.exists(trace + ".journal"), "the recording")
    programs[0].process.send_signal(signal.SIGCONT)
    for program in programs:
        program.mark()
        program.end()
    finish(recorder)
    ended = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    expect(agent.wait(30) == 0, "the agent")
    out.close()
    right = expect_right(trace, programs)
    expect_zero(right)
    chips = [(track["name"].split()[1], zone) for track in dump(trace)["tracks"] if (track["name"] or "").startswith("chip")
             for zone in track["zones"]]
    expect({chip for chip, _ in chips} == {"0", "1"}, "both boards have zones")
    for chip, zone in chips:
        expect(began <= right[1][1] + zone[3] and right[1][0] + zone[3] + zone[4] <= ended,
               "a zone of chip %s at %d, of %d ns, in a recording from %d to %d" % (chip, *zone[3:5], began - right[1][0],
                                                                                 ended - right[1][0]))


def check_on_demand(scratch):
    """Recorders one after the other: each has what was marked while it was connected."""
    a = Program(scratch, "a", TRACY_ON_DEMAND="1")
    for number in range(3):
        trace = os.path.join(scratch, "%d.tracy" % number)
        recorder = start_record(trace, *a.where())
        wait_for(lambda path=trace + ".journal": os.path.exists(path) and os.path.getsize(path) > 4000, "the recording")
        a.mark(2 * FEW)
        recorder.send_signal(signal.SIGINT)
        recorder.communicate(timeout=60)
        a.mark()
        expect_zero(expect_right(trace, [a], whole=False, least=FEW))
    a.kill()


def check_any_order(scratch):
    """The one that began last is connected first, and the other way round."""
    for turn in (1, -1):
        trace = os.path.join(scratch, "order.tracy")
        programs = [Program(scratch, name) for name in ("a", "b", "c")]
        recorder = start_record(trace, *(word for p in programs[::turn] for word in p.where()))
        for program in programs:
            program.mark()
            program.end()
        finish(recorder)
        expect_zero(expect_right(trace, programs))


def check_came_last(scratch):
    """The oldest program can be reached only when zones of the other one are in the trace."""
    trace = os.path.join(scratch, "last.tracy")
    oldest, other = Program(scratch, "a"), Program(scratch, "b")
    oldest.process.send_signal(signal.SIGSTOP)
    recorder = start_record(trace, *other.where(), *oldest.where())
    other.mark(50)
    oldest.process.send_signal(signal.SIGCONT)
    for program in (oldest, other):
        program.mark()
        program.end()
    finish(recorder)
    expect_zero(expect_right(trace, [oldest, other]))


def check_served(scratch):
    """What viewers of the recording get has the same times."""
    port, a = free_port(), Program(scratch, "a")
    traces = [os.path.join(scratch, name + ".tracy") for name in ("recorded", "served")]
    recorder = start_record(traces[0], *a.where(), "--serve", str(port))
    viewer = subprocess.Popen([TENDRIL, "capture", "-q", "-a", "127.0.0.1", "-p", str(port), "-f", "-o", traces[1]],
                              stdout=subprocess.DEVNULL)
    a.mark()
    a.end()
    finish(recorder)
    expect(viewer.wait(60) == 0, "the viewer failed")
    for trace in traces:
        expect_zero(expect_right(trace, [a]))


def check_delayed(scratch):
    """The marker that starts the client has read the clock before. It is the first of all."""
    for command in ("capture", "record"):
        trace, a = os.path.join(scratch, command + ".tracy"), Program(scratch, "a", TRACY_DELAYED_INIT="1")
        words = ["-a", "127.0.0.1", "-p", str(a.port), "-f"] if command == "capture" else a.where()
        recorder = subprocess.Popen([TENDRIL, command, "--strict", "-o", trace, *words], stdout=subprocess.PIPE,
                                    stderr=subprocess.STDOUT, text=True)
        a.mark()
        a.end()
        finish(recorder)
        expect_zero(expect_right(trace, [a]))


def check_served_before_the_oldest(scratch):
    """A viewer's time 0 is the begin that was known when it came. What is older is at 0 there, and counted."""
    port, out = free_port(), os.path.join(scratch, "viewer.out")
    traces = [os.path.join(scratch, name + ".tracy") for name in ("recorded", "served")]
    oldest = Program(scratch, "a")
    oldest.process.send_signal(signal.SIGSTOP)
    other = Program(scratch, "b")
    recorder = start_record(traces[0], *other.where(), *oldest.where(), "--serve", str(port))
    with open(out, "w", encoding="utf-8") as file:
        viewer = subprocess.Popen([TENDRIL, "capture", "-a", "127.0.0.1", "-p", str(port), "-f", "-o", traces[1]], stdout=file)
    wait_for(lambda: os.path.exists(traces[1] + ".journal") and os.path.getsize(traces[1] + ".journal") > 4000, "the viewer")
    oldest.process.send_signal(signal.SIGCONT)
    for program in (oldest, other):
        program.mark()
        program.end()
    finish(recorder)
    expect(viewer.wait(60) == 0, "the viewer failed")
    expect_zero(expect_right(traces[0], [oldest, other]))
    with open(out, encoding="utf-8") as file:
        odd = [line for line in file.read().splitlines() if line.startswith("odd ")]
    expect(len(odd) == 1 and int(odd[0].split()[-2]) >= FEW, "odd times: %s" % odd)


def check_kept(scratch):
    """A recording that keeps its last part."""
    trace, a = os.path.join(scratch, "kept.tracy"), Program(scratch, "a")
    a.mark(100)
    recorder = start_record(trace, *a.where(), "--keep", "1")
    a.mark(200)
    a.end()
    finish(recorder)
    first, _ = expect_right(trace, [a], whole=False, least=1)
    expect(first < 600_000_000_000, "the first zone is at %d ns" % first)


def check_triggered(scratch):
    """Files that are written while the recording runs."""
    trace, a = os.path.join(scratch, "rotated.tracy"), Program(scratch, "a")
    recorder = start_record(trace, *a.where(), "--keep", "1", "--trigger", "signal", "--rotate")
    a.mark(100)
    recorder.send_signal(signal.SIGUSR1)
    a.mark(100)
    a.end()
    finish(recorder)
    files = [os.path.join(scratch, name) for name in os.listdir(scratch) if name.startswith("rotated")]
    expect(files, "no file was written")
    for path in files:
        expect_right(path, [a], whole=False, least=1)


def check_recovered(scratch):
    """Journals: of a recording that was killed."""
    trace, programs = os.path.join(scratch, "killed.tracy"), [Program(scratch, name) for name in ("a", "b")]
    recorder = start_record(trace, *(word for p in programs[::-1] for word in p.where()))
    for program in programs:
        program.mark(50)
    time.sleep(1.5)  # what has come is in the journal after a second
    recorder.kill()
    recorder.communicate()
    for program in programs:
        program.kill()
    subprocess.run([TENDRIL, "recover", "-q", trace], timeout=60, check=True)
    expect_zero(expect_right(trace, programs, whole=False, least=50))


def check_merged(scratch):
    """Each trace's note says where its time 0 is."""
    merged, traces = os.path.join(scratch, "merged.tracy"), []
    programs = [Program(scratch, name) for name in ("a", "b")]
    for program in programs:
        traces.append(os.path.join(scratch, program.name + ".tracy"))
        recorder = start_record(traces[-1], *program.where())
        program.mark()
        program.end()
        finish(recorder)
    subprocess.run([TENDRIL, "merge", "-q", "-o", merged, *traces], timeout=60, check=True)
    expect_zero(expect_right(merged, programs))


def main():
    names = sys.argv[1:] or [name[6:] for name in globals() if name.startswith("check_")]
    with folder() as scratch:
        for name in names:
            print(name, flush=True)
            globals()["check_" + name](scratch)


main()
