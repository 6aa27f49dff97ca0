"""Programs that begin before the recording: every zone's time is what the program measured, by `record -a` of one and of several
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

from kit import BINARY, TENDRIL, expect, finish, folder, free_port, start_record, wait_for

EARLY = os.path.join(BINARY, "tests", "early")
SLACK_NS = 200_000  # clocks are related by measured rates
FEW = 20


class Program:
    """Marks zones from its start until end()."""

    def __init__(self, scratch, name):
        self.name, self.port = name, free_port()
        self.log, self.stop = [os.path.join(scratch, name + end) for end in (".log", ".stop")]
        for path in (self.log, self.stop):
            if os.path.exists(path):
                os.unlink(path)
        env = dict(os.environ, TRACY_PORT=str(self.port), TRACY_NO_EXIT="1", TRACY_ONLY_LOCALHOST="1")
        self.process = subprocess.Popen([EARLY, name, self.log, self.stop], env=env)
        self.mark()

    def zones(self):
        """Of each: the times between which it began, and ended."""
        with open(self.log, encoding="ascii") as f:
            return [[int(ns) for ns in line.split()] for line in f if line.endswith("\n")]

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


def fits(zone, logged, origin):
    """The range that is left for where the trace's time 0 is on the programs' clock."""
    low, high = origin
    for ns, (before, after) in ((zone[0], logged[0:2]), (zone[1], logged[2:4])):
        low, high = max(low, before - ns - SLACK_NS), min(high, after - ns + SLACK_NS)
    return low, high


def expect_right(trace, programs, whole=True, least=FEW):
    """whole: all zones are there; else the last ones, or all but the last."""
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
    return first


def expect_zero(first):
    """Time 0 is where the first program begins, which its first zone follows."""
    expect(0 <= first < 60_000_000_000, "the first zone is at %d ns" % first)


def check_one(scratch):
    trace, a = os.path.join(scratch, "one.tracy"), Program(scratch, "a")
    recorder = start_record(trace, *a.where())
    a.mark()
    a.end()
    finish(recorder)
    expect_zero(expect_right(trace, [a]))


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


def check_kept(scratch):
    """A recording that keeps its last part."""
    trace, a = os.path.join(scratch, "kept.tracy"), Program(scratch, "a")
    a.mark(100)
    recorder = start_record(trace, *a.where(), "--keep", "1")
    a.mark(200)
    a.end()
    finish(recorder)
    first = expect_right(trace, [a], whole=False, least=1)
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
