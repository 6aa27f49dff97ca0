"""What tests of `tendril record` in the guest share."""
import json
import os
import subprocess
import sys
import tempfile
import time

from machine import POLICY_BLOCK, SOURCE, STATE_RUNNING, TENDRIL, example, expect, fail

sys.path.insert(0, os.path.join(SOURCE, "tests"))
from checks import THOROUGH  # noqa: E402,F401
from unchanged import unchanged  # noqa: E402

# A pipeline over all cores of two tiles. LONG runs until it is ended; ONE is a single launch that fills the lanes many
# times. TINY runs one core, where only whether a recording works is of interest.
GRID = ("--grid", "2x1")
TINY = [example("hello")]
SHORT = [example("matmul"), "32", "2"]
LONG = [example("matmul"), "256", "1000"]
ONE = [example("matmul"), "256", "1"]


def reference(grid=GRID, program=SHORT):
    """The trace of a program, recorded outside of the guest through shared memory."""
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, "shm.tracy")
        done = subprocess.run([TENDRIL, "record", *grid, "--clock", "insn", "-o", trace, "--", *program], text=True, timeout=120,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        expect(done.returncode == 0, f"recorded outside: {done.stdout}")
        with open(trace, "rb") as f:
            return f.read()


def info(path):
    done = subprocess.run([TENDRIL, "info", "--json", path], text=True, timeout=200, stdout=subprocess.PIPE)
    expect(done.returncode == 0, f"{path} is no trace")
    return unchanged(json.loads(done.stdout))


def zones_by_name(trace_bytes):
    """{name: count} of a trace's zones."""
    with tempfile.NamedTemporaryFile(suffix=".tracy") as f:
        f.write(trace_bytes)
        f.flush()
        done = subprocess.run([TENDRIL, "csvexport", f.name], text=True, timeout=200, stdout=subprocess.PIPE)
    expect(done.returncode == 0, "no CSV of the trace")
    rows = [line.split(",") for line in done.stdout.splitlines()]
    name, count = rows[0].index("name"), rows[0].index("counts")
    return {row[name]: int(row[count]) for row in rows[1:]}


class Way:
    """One way to the board: `at`, and the options that it needs."""

    def __init__(self, machine, name, at, *options):
        self.machine, self.name, self.at, self.options = machine, name, at, options
        self.path = os.path.join(machine.share, name + ".tracy")

    def start(self, program, *more):
        if os.path.exists(self.path):
            os.unlink(self.path)
        words = ["exec tendril record --at", self.at, *self.options, *more, "-o", f"/share/{self.name}.tracy", "--"]
        # The file gets the process number, for stopping and killing it. $$ would be that of the first process.
        return self.machine.start(f"read -r me rest </proc/self/stat; echo $me >/tmp/{self.name}; " + " ".join([*words, *program]))

    def signal(self, name, started):
        if self.machine.run(f"read -r me </tmp/{self.name}; kill -{name} $me", check=False).code:
            fail(f"record through {self.name} ended too early: {started.wait()}")

    def record(self, program, *more, timeout=300):
        answer = self.start(program, *more).wait(timeout)
        expect(answer.code == 0, f"record through {self.name}: {answer}")
        return answer

    def same_as(self, reference_bytes):
        with open(self.path, "rb") as f:
            here = f.read()
        expect(here == reference_bytes, f"the trace through {self.name} ({len(here)} bytes) is not the one through shared "
               f"memory ({len(reference_bytes)} bytes)")
        print(f"  {self.name}: {len(here)} bytes, the same as through shared memory", flush=True)

    def trace(self):
        with open(self.path, "rb") as f:
            return f.read()

    def start_long(self, board, program=LONG, options=(), settle=1):
        """Starts a recording, and waits until its cores run and are drained. Those of a program that was ended before run to
        their end, and would be taken for its own."""
        until = time.monotonic() + 30
        while board.running() and time.monotonic() < until:
            time.sleep(0.05)
        before = board.lanes()
        started = self.start(program, *options)

        def writes():
            """Whether cores of this recording run and an agent drains them."""
            return any(lane != old and lane[:2] == (POLICY_BLOCK, STATE_RUNNING) and lane[2] > 0
                       for lane, old in zip(board.lanes(), before))

        board.wait_until(lambda: writes() or started.ended(), "a core runs")
        time.sleep(settle)
        if started.ended():
            fail(f"record through {self.name} ended too early: {started.wait()}")
        return started

    def ends_with_a_line(self, started, about, zones=True, timeout=200):
        """The recording ends, gives the reason in one line, and has written its trace."""
        answer = started.wait(timeout)
        lines = [line for line in answer.err.splitlines() if line.startswith("tendril record:")
                 and ".journal' is left from" not in line]  # of an agent that an earlier step killed
        expect(answer.code != 0 and len(lines) == 1, f"one line about {about}: {answer}")
        if zones:
            expect(info(self.path)["zones"] > 0, f"{about}: what was drained is in the trace")
        print(f"  {about}: {lines[0]}", flush=True)

    def kill_blocked(self, board):
        """Kills the agent while cores wait for room: the cores continue and end, and so does the program."""
        started = self.start_long(board, ONE, ("--drain", "poll"), settle=0)
        self.signal("STOP", started)
        seen = [board.lanes()]

        def stand_still():
            time.sleep(0.5)
            if started.ended():
                fail(f"record through {self.name} ended too early: {started.wait()}")
            seen.append(board.lanes())
            return seen[-1] == seen[-2] and board.running() > 0

        board.wait_until(stand_still, "cores wait for room")
        self.signal("KILL", started)
        started.wait()
        board.wait_until(lambda: board.running() == 0, "no core waits for an agent that was killed")
        self.machine.run("while pidof matmul >/dev/null; do usleep 50000; done")
        print("  killed while cores wait: they went on to their end", flush=True)

    def refuses_a_second(self, board):
        first = self.start_long(board)
        second = Way(self.machine, "second", self.at, *self.options).start(SHORT).wait()
        lines = second.err.splitlines()
        expect(second.code != 0 and len(lines) == 1, f"a second agent is refused with one line: {second}")
        print(f"  second agent: {lines[0]}", flush=True)
        expect(not first.ended(), "the first goes on")
        self.signal("INT", first)
        first.wait()
        expect(info(self.path)["zones"] > 0, "the first has kept its trace")
