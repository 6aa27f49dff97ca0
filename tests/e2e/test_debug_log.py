"""The debug log of a recording: by default it is empty; with areas it has lines of only these, from the recorder, the
simulator, the probe and the program."""
import collections
import os
import re
import sys

from boards import Board, Probe, Recording, wait_for
from kit import TENDRIL, example, expect, folder, record, run

LINE = re.compile(r"\d\d:\d\d:\d\d\.\d{6} ([^ ]+)\[\d+\] (\w+): (.*)")


def lines(stderr):
    """The lines of the log: texts by area, and the names of the programs."""
    found, programs = collections.defaultdict(list), set()
    for line in stderr.splitlines():
        match = LINE.fullmatch(line)
        expect(match, f"a line of the log: {line!r}")
        programs.add(match.group(1))
        found[match.group(2)].append(match.group(3))
    return found, programs


def expect_line(found, area, *words):
    expect(any(all(word in text for word in words) for text in found[area]), f"{area}: {words} in {found[area]}")


def through_memory(directory):
    trace = os.path.join(directory, "a.tracy")
    options = ["-q", "--grid", "2x1"]
    quiet = record(trace, [example("hello")], *options)
    expect(not [line for line in quiet.stderr.splitlines() if LINE.fullmatch(line)], f"nothing: {quiet.stderr}")
    logged = record(trace, [example("hello")], *options, "--debug", "drain,launch,client,sync,owner,relay,sim,memory")
    found, programs = lines(logged.stderr)
    expect(programs == {"tendril", "tensix_sim", "hello"}, f"{programs}")
    expect(set(found) == {"drain", "launch", "client", "sync", "owner", "relay", "sim", "memory"}, f"{set(found)}")
    expect_line(found, "drain", "10 lanes", "block", "mapped")
    expect_line(found, "drain", "BRISC: joins as")
    expect_line(found, "drain", "did not join: no kernel was launched on it")
    expect_line(found, "launch", "BRISC: loaded", ".elf")
    expect_line(found, "client", "connected; trying protocol")
    expect_line(found, "client", "welcome of 'hello'")
    expect_line(found, "sync", "ticks of round trip")
    expect_line(found, "owner", "taking tile")
    expect_line(found, "relay", "no relay: lanes are mapped into this process")
    one = record(trace, [example("hello")], *options, env={"TENDRIL_DEBUG": "relay"})
    expect(set(lines(one.stderr)[0]) == {"relay"}, one.stderr)


def through_probe(directory):
    trace, socket = os.path.join(directory, "b.tracy"), os.path.join(directory, "probe.sock")
    with Board(directory) as board:
        os.environ["TENDRIL_DEBUG"] = "line,probe,relay"
        with Probe(board, "unix:" + socket) as probe, Recording(probe.where, trace, [example("hello")]) as recording:
            code, stderr = recording.end()
            expect(code == 0, stderr)
            found, _ = lines(stderr)
            expect_line(found, "line", "unix:" + socket + ": connected")
            expect_line(found, "probe", "request", "HELLO")
            expect_line(found, "probe", "session with probe")
            expect_line(found, "probe", "answer", "GATHER", "status 0")
            expect_line(found, "probe", "gathering ends")
            expect_line(found, "relay", "no relay: the probe gathers")
            expect(not found["drain"], "areas that were not asked for stay silent")
        del os.environ["TENDRIL_DEBUG"]


def through_windows(directory):
    with Board(directory, "--windows", "4") as board:
        looked = run([TENDRIL, "record", "-q", "--at", "simnoc:" + board.path, "-o", os.path.join(directory, "c.tracy"),
                      "--debug", "noc,relay", "--drain", "relay", "--", example("hello")])
        found, _ = lines(looked.stderr)
        expect_line(found, "noc", "new window")
        expect_line(found, "noc", "-> chip 0, tile (")
        expect_line(found, "noc", "is closed")
        expect_line(found, "relay", "relays are asked for")
        expect_line(found, "relay", "ring of")
        wait_for(board.is_free, "the board is free")


def unknown_area(directory):
    env = {"TENDRIL_DEBUG": "nonsense"}
    with Board(directory) as board:
        done = run([example("hello")], check=False, env=dict(env, TENDRIL_BOARD=board.path))
        expect(done.returncode != 0 and "no area 'nonsense'" in done.stderr, done.stderr)


def main():
    with folder() as directory:
        through_memory(directory)
        through_probe(directory)
        through_windows(directory)
        unknown_area(directory)


if __name__ == "__main__":
    sys.exit(main())
