#!/usr/bin/env python3
"""Markers that are wrong: the program runs on, every recorder takes the session to its end, and what was left out is
said. With $TD_STOCK_DIR (RELEASE/bin/capture in it) also with stock recorders.
"""
import os
import re

from traces import BINARY, TESTS, capture, check, recorders

PROGRAM = os.path.join(TESTS, "client_odd")
DEPTHS = [0, 0, 1, 62, 63, 63, 63, 63, 0]  # what -1, 0, 1, 62, 63, 64, ... give at most
TEXTS = 11


def notes(trace, what):
    """The numbers in the notes about that."""
    told = [row[0] for row in trace.dump["APP_INFO"] if row[0] and row[0].startswith("tendril.client." + what)]
    return [int(re.search(r": (\d+) ", text).group(1)) for text in told]


def stacks(trace, text):
    return [len(m[4] or []) for m in trace.dump["MESSAGE"] if m[2] == text]


def check_odd(recorder):
    trace = capture(recorder, PROGRAM)
    messages = [m[2] or "" for m in trace.dump["MESSAGE"]]
    check(messages[-1] == "the last", recorder, "ended early:", messages[-1][:80])
    check(len(messages) == 2 * len(DEPTHS) + 5 * TEXTS + 4, recorder, len(messages), "messages")
    check(max(map(len, messages)) == 65535, recorder, "longest message", max(map(len, messages)))
    for at, frames in enumerate(stacks(trace, "depth")):
        check(frames <= DEPTHS[at // 2] and (frames > 0) == (DEPTHS[at // 2] > 0), recorder, "depth", at, frames)
    unmatched = notes(trace, "unmatched")
    check(unmatched[0] == 3 and unmatched[1] > 10, recorder, unmatched)
    check(len(trace.dump["IMAGE"]) == 1, recorder, trace.dump["IMAGE"])
    check(len(trace.dump["GPU_CONTEXT"]) == 4, recorder, trace.dump["GPU_CONTEXT"])
    names = [track["name"] for track in trace.dump["tracks"]]
    check("Main thread" in names and "late" in names, recorder, names)


def check_alone(recorder):
    """Threads are named if anything in the trace is of them: points of plots are of none."""
    dump = capture(recorder, PROGRAM, "alone").dump
    names = sorted([track["name"] for track in dump["tracks"]] + [name for _, name in dump["THREAD_NAME"]])
    check(names == ["only says", "only takes"], recorder, names)
    check("only plotted" in [plot[5] for plot in dump["plots"]], recorder, dump["plots"])


def check_memory():
    """Faults that Tracy's recorders end the session at are counted by ours."""
    trace = capture([os.path.join(BINARY, "bin", "tendril"), "capture"], PROGRAM, "memory")
    check(trace.dump["MESSAGE"][-1][2] == "the last", trace.dump["MESSAGE"][-1])


def check_colours():
    """Programs with headers before 0.11 pass any colour: their places are one each, and a colour is the zone's."""
    trace = capture([os.path.join(BINARY, "bin", "tendril"), "capture"], PROGRAM, "colours")
    zones = next(track["zones"] for track in trace.dump["tracks"] if track["count"])
    check(len(zones) == 1000 and {zone[2][1] for zone in zones} == {"uncoloured"}, len(zones))
    first = zones[0][2][4]
    check({zone[2][4] for zone in zones} == {first}, "places are told apart by colour")
    check([zone[8] or first for zone in zones] == [12345 * (i // 2) & 0xffffff for i in range(1000)], zones[:5])


def main():
    for recorder in recorders():
        check_odd(recorder)
        check_alone(recorder)
    os.environ["TENDRIL_PEER"] = ""
    check_memory()
    check_colours()


main()
