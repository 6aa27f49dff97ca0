#!/usr/bin/env python3
"""Allocations, frees and plot points with times that the program gives are at these times, and nothing else is
moved by them. With $TD_STOCK_DIR (RELEASE/bin/capture in it) also with stock recorders.
"""
import os

from traces import TESTS, capture, check, recorders

PROGRAM = os.path.join(TESTS, "client_past")


def zones(trace, name):
    """(from, to, thread) of those."""
    rows = [(row, track["thread"]) for track in trace.dump["tracks"] for row in track["zones"]]
    return sorted((row[3], row[3] + row[4], thread) for row, thread in rows if name in row[2][:2])


def inside(time_ns, zone):
    return zone[0] - 1 <= time_ns <= zone[1] + 1


def check_past(recorder):
    trace = capture(recorder, PROGRAM)
    moments, now = zones(trace, "moment"), zones(trace, "now")[0]
    main, other = now[2], zones(trace, "other thread")[0][2]
    check(len(moments) == 4 and main != other, recorder, moments, main, other)
    check(zones(trace, "inner")[0][1] <= now[1], recorder, "zones", now)

    pools = {row[0]: (row[3], trace.dump["MEMORY"][i]) for i, row in enumerate(trace.dump["POOL"])}
    left, rows = pools["past"]
    check(left == 7 and [row[:2] for row in rows] == [[0x1000, 100], [0x2000, 1 << 33], [0x3000, 7]], recorder, rows)
    for row, start, end, threads in zip(rows, (*moments[:2], now), (*moments[2:], None), ([other, main], [main, other], [main])):
        check(inside(row[4], start), recorder, row, "is not from", start)
        check(inside(row[5], end) if end else row[5] == -1, recorder, row, "is not to", end)
        check(row[6:6 + len(threads)] == threads, recorder, row, "is not of", threads)

    left, rows = pools["present"]
    check(left == 0 and [row[1] for row in rows] == [1, 2], recorder, "present", rows)
    check(moments[3][1] <= rows[0][4] <= rows[0][5] <= rows[1][4] <= now[0] <= rows[1][5] <= now[1], recorder, rows, now)

    plots = {plot[-1]: trace.dump["POINT"][i] for i, plot in enumerate(trace.dump["plots"])}
    points = plots["in the past"]
    check([value for _, value in points] == [0.5, 1, -2, 3, 4], recorder, points)
    for (time_ns, _), zone in zip(points, (*moments, now)):
        check(inside(time_ns, zone), recorder, time_ns, "is not in", zone)
    check(inside(plots["in the present"][0][0], now), recorder, plots["in the present"])


for one in recorders():
    check_past(one)
