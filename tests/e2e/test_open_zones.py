"""Zones that are open when a core stops, hangs or calls exit(), or when the recording ends, are in the trace with their
true begins, for each way to reach the board."""
import itertools
import os
import signal

from boards import Board, Probe, Process, Recording, wait_for
from kit import BUILD, TENDRIL, THOROUGH, dump, expect, folder, record

LAUNCH = os.path.join(BUILD, "tests/e2e/launch")
KERNELS = os.path.join(BUILD, "tests/kernels")
OPEN, TINY, STAMPED, DEEP = (os.path.join(KERNELS, f"e2e_{name}.elf") for name in ("open", "open_tiny", "open_stamped", "deep"))
RETURNS, FAULTS, HANGS, EXITS, ABORTS, EXITS_AT_ONCE, LEAVES_SPAN = range(7)
NESTED = ["BRISC-KERNEL", "outer", "middle", "inner"]
EXIT = "open when the kernel ended"
FAULT = "open at the fault"
STOPPED = "open when the core was stopped"
HANG = "open when the recording ended"


def zones(trace):
    """(depth, name, begin, end or None, text) of all zones on cores, ordered by begin."""
    # Not csvexport: texts may contain line breaks and any bytes, which trace_dump escapes.
    found = [(z[0], z[2][0], z[3], z[3] + z[4] if z[4] >= 0 else None, z[6] or "") for t in dump(trace)["tracks"] for z in t["zones"]]
    return sorted(found, key=lambda z: (z[2], z[0]))


def check(what, trace, how, launches=1):
    """For each launch: the open zones are nested and are ended only by `how`; the closed zones before and in them are in the
    trace."""
    found = zones(trace)
    for name in ("closed", "closed span"):
        some = [z for z in found if z[1] == name]
        expect(len(some) == launches * (4 if name == "closed" else 1), f"{what}: {len(some)} zones {name}")
        expect(all(z[3] is not None and z[4] == "" for z in some), f"{what}: {name} has ended: {some}")
    for depth, name in enumerate(NESTED):
        some = [z for z in found if z[1] == name]
        expect(len(some) == launches, f"{what}: {len(some)} zones {name} in {found}")
        first = some[0]
        expect(first[0] == depth, f"{what}: {name} is at depth {first[0]}")
        expect((first[3] is None) == (how == HANG), f"{what}: the end of {name} is {first[3]}")
        expect(first[4].endswith(how) or depth == 0, f"{what}: {name} says {first[4]!r}")
    # A begin is true if it is after the zones closed before it and before those closed in it.
    order = [z[1] for z in found][:8]
    expect(order == ["BRISC-KERNEL", "closed", "outer", "closed", "middle", "closed span", "closed", "inner"],
           f"{what}: in order of their begins {order}")
    inner = next(z for z in found if z[1] == "inner")
    expect(inner[4].startswith("ends by "), f"{what}: its own text, too: {inner}")
    return found


def each_end(directory):
    trace = os.path.join(directory, "t.tracy")
    ends = ((FAULTS, FAULT), (EXITS, EXIT), (ABORTS, EXIT), (EXITS_AT_ONCE, EXIT), (HANGS, HANG))
    kernels, policies = (OPEN, TINY, STAMPED), ("block", "drop", "overwrite")
    for elf, policy in itertools.product(kernels, policies) if THOROUGH else zip(kernels, policies):
        for arg, how in ends:
            done = record(trace, [LAUNCH, "wait=700" if arg == HANGS else "wait=60000", f"{elf}:{arg}"],
                          "--policy", policy, check=False)
            what = f"{os.path.basename(elf)}, {policy}, end {arg}"
            expect((done.returncode != 0) == (arg == FAULTS), f"{what}: {done.stderr}")
            check(what, trace, how)
    record(trace, [LAUNCH, f"{OPEN}:{RETURNS}"])
    expect(all(z[3] is not None and "open" not in z[4] for z in zones(trace)), "a kernel that closes its zones leaves none")


def a_forgotten_span(directory):
    trace = os.path.join(directory, "t.tracy")
    record(trace, [LAUNCH, f"{OPEN}:{LEAVES_SPAN}"])
    found = {z[1]: z for z in zones(trace)}
    expect(0 <= found["outer"][3] - found["span"][3] <= 2 and found["span"][4] == EXIT, f"it ends with outer: {found}")
    expect(found["span"][0] == found["outer"][0] + 1, "in outer")


def the_next_launch(directory):
    """Zones that a launch left open are reported even if the next launch follows at once, of the same or another kernel."""
    trace = os.path.join(directory, "t.tracy")
    pairs = ((OPEN, OPEN), (OPEN, TINY), (OPEN, STAMPED), (STAMPED, STAMPED), (STAMPED, OPEN))
    # A core that hangs runs until it is stopped: two pairs, if not thoroughly.
    for arg, how, some in ((FAULTS, FAULT, pairs), (HANGS, STOPPED, pairs if THOROUGH else (pairs[0], pairs[-1]))):
        for elf, again in some:
            first = [LAUNCH, "wait=500", f"{elf}:{arg}", "wait=60000", f"{again}:{RETURNS}"]
            found = check(f"{elf}, end {arg}, then {again}", record_to(trace, first), how, launches=2)
            kernels = [z for z in found if z[1] == "BRISC-KERNEL"]
            expect(kernels[0][3] <= kernels[1][2], f"the launch before has ended: {kernels}")
            expect(all(z[3] is not None for z in found), "and so have its zones")


def record_to(trace, program):
    record(trace, program)
    return trace


def more_than_there_is_room_for(directory):
    trace = os.path.join(directory, "t.tracy")
    done = record(trace, [LAUNCH, "wait=700", f"{DEEP}:1"], "--policy", "drop")
    found = [z for z in zones(trace) if z[1] == "deep"]
    expect(len(found) == 60 and all(z[3] is None for z in found), f"60 zones are open, not {len(found)}: {done.stderr}")
    expect([z[0] for z in found] == list(range(1, 61)), "each in the one before")


def an_interrupt(directory):
    trace = os.path.join(directory, "t.tracy")
    ready = os.path.join(directory, "ready")
    with Process([TENDRIL, "record", "-q", "-o", trace, "--", "/bin/sh", "-c",
                  f"{LAUNCH} wait=500 {OPEN}:{HANGS}; touch {ready}; exec sleep 1000"]) as recording:
        wait_for(lambda: os.path.exists(ready), "the kernel hangs")
        recording.signal(signal.SIGINT)
        code, stderr = recording.end()
    expect(code != 0 and "stopped by the user" in stderr, f"says so: {stderr}")
    check("Ctrl-C", trace, HANG)


def every_way(directory):
    """Through shared memory, and through probes on a socket and on a serial line."""
    socket = "unix:" + os.path.join(directory, "probe")
    for serve in (None, socket, "pty"):
        for arg, how in ((HANGS, HANG), (FAULTS, FAULT), (EXITS, EXIT)):
            trace = os.path.join(directory, "t.tracy")
            program = [LAUNCH, "wait=700" if arg == HANGS else "wait=60000", f"{OPEN}:{arg}"]
            with Board(directory) as board:
                if serve is None:
                    with Recording(board.path, trace, program) as recording:
                        recording.end()
                else:
                    with Probe(board, serve) as probe, Recording(probe.where, trace, program) as recording:
                        recording.end()
            check(f"{serve or 'shm'}, end {arg}", trace, how)


def a_board_that_vanishes(directory):
    """The trace has the zones that were open when the board was last seen."""
    trace = os.path.join(directory, "t.tracy")
    ready = os.path.join(directory, "ready")
    if os.path.exists(ready):
        os.unlink(ready)
    with Board(directory) as board:
        with Recording(board.path, trace, ["/bin/sh", "-c",
                                           f"{LAUNCH} wait=3000 {OPEN}:{HANGS}; touch {ready}; exec sleep 1000"]) as recording:
            wait_for(lambda: os.path.exists(ready), "the kernel hangs for a while")
            board.signal(signal.SIGKILL)
            code, stderr = recording.end()
    expect(code != 0, f"says that the board has gone: {stderr}")
    found = {z[1]: z for z in zones(trace)}
    for name in NESTED[1:]:
        expect(found[name][3] is None and "open when the board was last seen" in found[name][4], f"{name}: {found[name]}")


def main():
    with folder() as directory:
        for part in (each_end, a_forgotten_span, the_next_launch, more_than_there_is_room_for, an_interrupt, every_way,
                     a_board_that_vanishes):
            part(directory)
            print(part.__name__)


main()
