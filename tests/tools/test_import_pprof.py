#!/usr/bin/env python3
"""`tendril import` of pprof's profiles: each kind of values is a track of zones as wide as the values, and counted samples
have their call stacks with addresses, lines and inlined functions."""
import gzip
import os
import subprocess
import sys

from common import TENDRIL, check, exit_status
from imported import SCRATCH, TRACE, Imported, expect
from pprof_writer import profile
from protobuf_writer import message

FUNCTIONS = {1: ("main", "m.go"), 2: ("work", "w.go"), 3: ("inlined", "i.go")}
LOCATIONS = {10: (0x1000, "/bin/prog", ((1, 5),)), 2 ** 64 - 1: (0x2000, "/bin/prog", ((3, 7), (2, 30))), 12: (0x2010, "/bin/prog", ((2, 31),)), 13: (0x3000, "", ())}
LEAF = 2 ** 64 - 1
TYPES = (("samples", "count"), ("cpu", "nanoseconds"))
SAMPLES = [((LEAF, 10), (2, 200)), ((12, 10), (1, 100)), ((13,), (1, 50))]
PERIOD = [(9, 1790000000000000000), (10, 5000), lambda text: (11, message((1, text("cpu")), (2, text("nanoseconds")))), (12, 100), lambda text: (13, text("a comment"))]


def values_are_zones_and_counts_are_samples():
    for packing, first in ((gzip.compress, False), (bytes, True)):
        done = Imported(packing(profile(TYPES, SAMPLES, LOCATIONS, FUNCTIONS, PERIOD, first)), "p.pb.gz")
        expect("zones", (done.code, done.said, done.tracks),
               (0, "", {"samples (count)": [(0, "main", 0, 3), (1, "work", 0, 3), (2, "inlined", 0, 2), (0, "0x3000", 3, 1)],
                        "cpu (nanoseconds)": [(0, "main", 0, 300), (1, "work", 0, 300), (2, "inlined", 0, 200), (0, "0x3000", 300, 50)]}))
        expect("samples", done.dump["SAMPLE"][0], [[0, [0x2000, 0x1000]], [100, [0x2000, 0x1000]], [200, [0x2010, 0x1000]], [300, [0x3000]]])
        expect("lines", done.dump["STACK_LINE"], [["inlined", "i.go", 7, 0], ["work", "w.go", 30, 0], ["main", "m.go", 5, 0], ["work", "w.go", 31, 0], ["0x3000", None, 0, 0]])
        expect("images", [frame[1] for frame in done.dump["STACK_FRAME"]], ["/bin/prog", "/bin/prog", "/bin/prog", None])
        check("facts", {"time: 1790000000000000000 ns since 1970", "duration: 5000 ns", "period: 100 nanoseconds of cpu", "a comment",
                        "1 ns of the track cpu is 1 nanoseconds"} <= set(done.facts), done.facts)


def what_is_wrong_costs_one_item():
    done = Imported(profile(TYPES, SAMPLES + [((99,), (1, 1)), ((10,), (-1, 5), (3, b"\x08\x01")), ((), (1, 1))], LOCATIONS, FUNCTIONS, [(2, b"\x0a\x05\x01"), (4, b"\x08"), (4, b"\x08\x0a\x22\x00"), (5, b"\x08\x01")]), "p.pb")
    expect("left out", (done.code, done.said, done.tracks["cpu (nanoseconds)"][0]),
           (0, "8 items are left out: 6 damaged events, 1 value of a counter that is no number, 1 label\n", (0, "main", 0, 305)))
    whole = profile(TYPES, SAMPLES, LOCATIONS, FUNCTIONS, strings_first=True)
    done = Imported(whole[:-3], "p.pb")
    check("cut", done.code == 0 and "breaks off" in done.said and "samples (count)" in done.tracks, done.said)
    done = Imported(profile((("objects", "count"), ("space", "bytes")), [((10,), (10 ** 7, 10 ** 15))], LOCATIONS, FUNCTIONS), "p.pb")
    expect("large values", (done.said, done.tracks), ("", {"objects (count)": [(0, "main", 0, 10 ** 7)], "space (bytes)": [(0, "main", 0, 10 ** 13)]}))
    check("the scale", "1 ns of the track space is 100 bytes" in done.facts, done.facts)
    with open(os.path.join(SCRATCH, "many.pb"), "wb") as file:
        file.write(profile(TYPES, [((10,), (10 ** 7, 1))], LOCATIONS, FUNCTIONS))
    said = subprocess.run([TENDRIL, "import", "-q", "-f", "-o", TRACE, os.path.join(SCRATCH, "many.pb")], stderr=subprocess.PIPE, universal_newlines=True, check=True).stderr
    check("too many samples", said.endswith("9000000 items are left out: 9000000 samples and profiles\n"), said)


def main():
    for test in (values_are_zones_and_counts_are_samples, what_is_wrong_costs_one_item):
        test()
    sys.exit(exit_status())


main()
