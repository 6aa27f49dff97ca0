#!/usr/bin/env python3
"""`tendril import` of Perfetto's traces: zones, messages, plots, flows, samples and context switches are those that are
written, in any order of packets; a damaged packet costs one packet; what is left out is said by kind."""
import gzip
import sys
import zlib

import perfetto_writer as pf
from common import check, exit_status
from imported import Imported, expect
from protobuf_writer import field, fixed64, message, packed

T1, T2 = pf.descriptor(1, pf.thread(100, 101, "main")), pf.descriptor(2, pf.thread(100, 102))
P = pf.descriptor(9, pf.process(100, "server"))
MAIN, SECOND = "(server PID 100 TID 101) main", "server PID 100 TID 102"
ZONE = pf.zone(1, 10, 20, "a")


def imported(data, name="t.pftrace"):
    return Imported(data, name)


def zones_are_those_of_their_tracks():
    done = imported(pf.trace(P, T1, T2) + pf.zone(1, 1000, 5000, "outer") + pf.zone(1, 2000, 2500, "inner") + pf.zone(2, 1500, 1600, "other"))
    expect("threads", (done.code, done.said, done.tracks),
           (0, "", {MAIN: [(0, "outer", 0, 4000), (1, "inner", 1000, 500)], SECOND: [(0, "other", 500, 100)]}))
    # Descriptors may come last, and zones in any order.
    turned = pf.zone(2, 1500, 1600, "other") + pf.zone(1, 2000, 2500, "inner") + pf.zone(1, 1000, 5000, "outer") + pf.trace(T2, T1, P)
    expect("in another order", imported(turned).tracks, done.tracks)
    done = imported(pf.trace(P, T1, pf.descriptor(3, (5, 9), (2, "requests")), pf.descriptor(4, (5, 9), (2, "requests")), pf.descriptor(5, (2, "alone")),
                             pf.descriptor(6, (5, 5), (2, "child")), pf.descriptor(7, (5, 1), (2, "of a thread"))) +
                    pf.zone(3, 0, 100, "r1") + pf.zone(4, 50, 150, "r2") + pf.zone(5, 0, 7, "x") + pf.zone(6, 0, 8, "y") + pf.zone(7, 0, 9, "z") + pf.zone(9, 0, 6, "p"))
    expect("tracks of their own", (done.said, done.tracks),
           ("", {"server PID 100 requests": [(0, "r1", 0, 100)], "server PID 100 requests, line 2": [(0, "r2", 50, 100)], "alone": [(0, "x", 0, 7)],
                 "alone / child": [(0, "y", 0, 8)], "server PID 100 TID 101 of a thread": [(0, "z", 0, 9)], "server PID 100": [(0, "p", 0, 6)]}))
    done = imported(pf.trace(T1, pf.event(pf.END, 5, 1), pf.event(pf.BEGIN, 10, 1, name="open")) + pf.zone(1, 20, 30, "in"))
    expect("begins and ends alone", (done.said, done.tracks),
           ("1 item is left out: 1 end without a begin\n", {"(PID 100 TID 101) main": [(0, "open", 0, -1), (1, "in", 10, 10)]}))
    huge = pf.descriptor(2 ** 64 - 1, pf.thread(2 ** 31 - 1, 2 ** 40, "big"))
    expect("large ids", imported(pf.trace(huge) + pf.zone(2 ** 64 - 1, 1, 2, "n")).tracks, {"(PID 2147483647 TID 1099511627776) big": [(0, "n", 0, 1)]})


def annotations_and_places_are_kept():
    names = pf.packet(pf.CLEARED, pf.interned((2, 7, "interned"), (3, 1, "key"), (29, 1, "text by number"), more=[(4, message((1, 5), (2, "dir/a.cc"), (4, 12)))]))
    values = [pf.annotation("b", 2, 1), pf.annotation("u", 3, 2 ** 64 - 1), pf.annotation("i", 4, -5), pf.annotation("d", 5, 2.5), pf.annotation("s", 6, "x"),
              pf.annotation("p", 7, 0xbeef), pf.annotation(1, 17, 1), pf.annotation("j", 9, '{"a":1}'),
              pf.annotation("dict", 11, message((10, "k"), (4, 3))), pf.annotation("list", 12, message((4, 8))),
              pf.annotation("old", 8, message((2, "one"), (3, message((5, 1))), (2, "two"), (3, message((4, message((8, "e")))))))]
    done = imported(pf.trace(T1, names) + pf.zone(1, 10, 20, 7, *values, (34, 5)) + pf.zone(1, 30, 40, "named", (33, message((2, "b.cc"), (3, "f()"), (4, 9)))))
    expect("text", done.texts["interned"], "b: true\nu: 18446744073709551615\ni: -5\nd: 2.5\ns: x\np: 0xbeef\nkey: text by number\nj: {\"a\":1}\ndict.k: 3\n"
           "list[0]: 8\nold.one: 1\nold.two[0]: e\n")
    expect("places", (done.said, done.places), ("", [("dir/a.cc", 12), ("b.cc", 9)]))
    done = imported(pf.trace(T1, names, pf.event(pf.BEGIN, 5, 1, name=7), pf.packet(pf.CLEARED), pf.event(pf.BEGIN, 6, 1, name=7, state=(pf.NEEDS_STATE,)),
                             pf.packet((42, 1)), pf.event(pf.BEGIN, 7, 1, name=7, state=(pf.NEEDS_STATE,)), pf.event(pf.END, 8, 1), pf.event(pf.END, 9, 1)))
    expect("what is interned ends with its state", (done.tracks["(PID 100 TID 101) main"][0], done.said),
           ((0, "interned", 0, 4), "2 items are left out: 1 notice that a buffer was full, 1 undecodable packet\n"))
    done = imported(pf.trace(pf.packet(pf.CLEARED, pf.interned((2, 1, "one"))), pf.packet(pf.CLEARED, pf.interned((2, 1, "two")), sequence=2), T1) +
                    pf.zone(1, 1, 2, 1) + pf.zone(1, 3, 4, 1, sequence=2))
    expect("sequences have names of their own", [z[1] for z in done.tracks["(PID 100 TID 101) main"]], ["one", "two"])


def instants_are_messages():
    done = imported(pf.trace(T1, pf.event(pf.INSTANT, 5, 1, pf.annotation("n", 4, 1), name="said"), pf.event(pf.INSTANT, 9, 77, name="lost")))
    expect("messages", done.messages, [(0, "(PID 100 TID 101) main", "said\nn: 1"), (4, "track 77", "lost")])


def counters_are_plots():
    counter = [pf.descriptor(20, (2, "rss"), (5, 9), (8, message((3, 3)))), pf.descriptor(21, (2, "load"), (8, message((6, "%"), (4, 10)))),
               pf.descriptor(22, (2, "steps"), (8, message((5, 1)))), pf.descriptor(23, (5, 1), (8, message((1, 1))))]
    points = [pf.event(pf.COUNTER, 10, 20, (30, 4096)), pf.event(pf.COUNTER, 20, 20, (44, 0.5)), pf.event(pf.COUNTER, 10, 21, (30, 7)),
              pf.event(pf.COUNTER, 10, 22, (30, 5)), pf.event(pf.COUNTER, 20, 22, (30, -2)), pf.event(pf.COUNTER, 30, 21),
              pf.event(pf.BEGIN, 40, 1, (31, 23), (12, 123), name="z"), pf.event(pf.COUNTER, 50, 20, (44, float("nan")))]
    done = imported(pf.trace(P, T1, *counter, *points))
    expect("points", (done.plots, done.said),
           ({"rss": [(0, 4096), (10, 0.5)], "load (%)": [(0, 70)], "steps": [(0, 5), (10, 3)], "TID 101 thread_time": [(30, 123)]},
            "2 items are left out: 2 values of counters that are no numbers\n"))
    expect("a plot of memory", [plot[1] for plot in done.dump["plots"] if plot[5] == "rss"], [1])


def flows_join_zones_in_order_of_time():
    a, b, c = (pf.zone(1, 30, 40, "last", (48, fixed64(7))), pf.zone(2, 10, 20, "middle", (47, fixed64(7))), pf.zone(1, 0, 5, "first", (36, 7)))
    texts = {"first": "flow out flow #7\n", "middle": "flow in flow #7\nflow out flow #7.1\n", "last": "flow in flow #7.1\n"}
    for order in (a + b + c, c + b + a, b + a + c):
        expect("flows", imported(pf.trace(T1, T2) + order).texts, texts)
    again = c + a + pf.zone(1, 50, 60, "again", (47, fixed64(7))) + pf.zone(2, 70, 80, "end", (47, fixed64(7)))
    expect("the id again", imported(pf.trace(T1, T2) + again).texts,
           {"first": "flow out flow #7\n", "last": "flow in flow #7\n", "again": "flow out flow #7\n", "end": "flow in flow #7\n"})


def flows_of_an_end_belong_to_the_zone_that_ends():
    """Also where the next zone begins at that time; and a zone has several."""
    ends = field(1, pf.event(pf.BEGIN, 10, 1, name="one")) + field(1, pf.event(pf.END, 20, 1, (47, fixed64(7)), (47, fixed64(8))))
    rest = pf.zone(1, 20, 30, "next") + pf.zone(2, 40, 50, "other", (47, fixed64(7)), (47, fixed64(8)))
    expect("flows of an end", imported(pf.trace(T1, T2) + ends + rest).texts,
           {"one": "flow out flow #7\nflow out flow #8\n", "next": None, "other": "flow in flow #7\nflow in flow #8\n"})


def clocks_are_related_by_snapshots():
    shots = pf.packet(pf.clocks((6, 1000000), (3, 500000), (1, 1790000000000000000)))
    later = pf.packet(pf.clocks((6, 2000000), (3, 1500100)))
    zone = [pf.packet((8, t), (58, clock), (11, message((9, kind), (11, 1), (23, "z")))) for clock, t, kind in
            ((3, 500010, 1), (3, 500020, 2), (6, 1000040, 1), (6, 1000050, 2), (1, 1790000000000000060, 1), (1, 1790000000000000070, 2), (3, 1500110, 1), (3, 1500120, 2))]
    done = imported(pf.trace(T1, shots, later, *zone))
    expect("clocks", (done.said, [z[2:4] for z in done.tracks["(PID 100 TID 101) main"]]), ("", [(0, 10), (30, 10), (50, 10), (1000000, 10)]))
    own = pf.packet(pf.CLEARED, pf.clocks((64, 100, (3, 1), (4, 1000)), (6, 1000000)), (59, message((58, 64), (11, message((11, 1))))))
    done = imported(pf.trace(T1, own, *[pf.packet((8, delta), (11, message((9, kind), (23, "d")))) for delta, kind in ((5, 1), (10, 2), (1, 1), (2, 2))]))
    expect("differences in microseconds", [z[2:4] for z in done.tracks["(PID 100 TID 101) main"]], [(0, 10000), (11000, 2000)])
    done = imported(pf.trace(T1, shots, pf.packet((8, 5), (58, 70), (11, message((9, 3), (11, 1), (23, "lost")))), pf.event(pf.INSTANT, 5, 1, name="kept")))
    expect("an unknown clock", (done.said, [m[2] for m in done.messages]), ("1 item is left out: 1 event without a time that a trace can have\n", ["kept"]))
    done = imported(pf.trace(T1, pf.packet(pf.clocks((3, 100), (6, 900), primary=3)), pf.event(pf.INSTANT, 100, 1, name="a"),
                             pf.packet((8, 950), (58, 6), (11, message((9, 3), (11, 1), (23, "b"))))))
    expect("another clock of the trace", done.messages, [(0, "(PID 100 TID 101) main", "a"), (50, "(PID 100 TID 101) main", "b")])


def events_of_older_writers_are_read():
    def legacy(phase, us, *more, name=None, event=()):
        return pf.packet((11, message((1, us), *event, *([(23, name)] if name else []), (6, message((2, ord(phase)), *more)))))
    writer = pf.packet((44, message((1, 100), (2, 101), (5, "main"), (6, 1000))))
    category = (22, "cat")
    done = imported(pf.trace(
        writer, legacy("B", 10, name="b"), legacy("X", 5, (3, 7), name="x"), legacy("E", 20), legacy("i", 1, name="i"), legacy("b", 0, (6, 1), name="op", event=(category,)),
        legacy("n", 1, (6, 1), name="step", event=(category,)), legacy("e", 3, (6, 1), name="op", event=(category,)),
        legacy("C", 0, name="c", event=(pf.annotation("k", 4, 3),)), legacy("X", 0, (3, 1), (18, 7), (19, 8), name="elsewhere"),
        legacy("X", 5, (3, 9), (8, 55), (13, 2), name="source"), legacy("X", 20, (3, 9), (8, 55), (13, 1), name="target"), legacy("X", 0, (3, -1), name="bad"),
        legacy("v", 0), legacy("?", 0)))
    expect("phases", (done.said, done.tracks),
           ("3 items are left out: 1 event of an unknown kind, 1 zone with an impossible length, 1 memory dump\n",
            {"(PID 100 TID 101) main": [(0, "b", 0, 25000), (1, "x", 5000, 7000), (0, "source", 35000, 9000), (0, "target", 55000, 9000)],
             "PID 100 async cat": [(0, "op", 26000, 4000)], "PID 7 TID 8": [(0, "elsewhere", 30000, 1000)]}))
    expect("messages", done.messages, [(26000, "(PID 100 TID 101) main", "i"), (27000, "PID 100 async cat", "step")])
    expect("values and flows", (done.plots, done.texts["source"], done.texts["target"]), ({"c k": [(30000, 3)]}, "flow out flow #55\n", "flow in flow #55\n"))


def switches(done):
    """Runs by thread: start, end, processor, woken at."""
    return {thread[0]: [(r[1], r[2], r[3], r[0]) for r in rows] for thread, rows in zip(done.dump["SWITCH_THREAD"], done.dump["SWITCH"])}


def the_kernel_tells_switches_and_programs_zones():
    done = imported(pf.trace(
        pf.tree([(100, "/bin/server")], [(101, 100, "worker")]), pf.ftrace(0, pf.switch(1000, 0, "swapper/0", 0, 101, "worker"), pf.switch(1500, 101, "worker", 1, 7, "kworker"),
                                                                         pf.switch(1800, 7, "kworker", 0, 0, "swapper/0")),
        pf.ftrace(1, pf.waking(1600, 100, 101, "worker", 1), pf.switch(1700, 0, "swapper/1", 0, 101, "worker"), pf.switch(1900, 101, "worker", 2, 0, "swapper/1")),
        pf.ftrace(1, pf.printed(1710, 101, "B|100|draw|frame 5\n"), pf.printed(1750, 101, "C|100|fps|60\n"), pf.printed(1760, 101, "S|100|load|9\n"), pf.printed(1770, 101, "plain text\n"),
                  pf.printed(1790, 101, "E|100\n"), pf.printed(1795, 101, "F|100|load|9\n"), message((1, 1796), (2, 5), (300, message((1, 1)))), message((1, 1797), (2, 5), (11, message((1, 1200000), (2, 3)))))))
    expect("runs", switches(done), {100 << 32 | 101: [(0, 500, 0, 0), (700, 900, 1, 600)], 7: [(500, 800, 0, 500)]})
    expect("processors", done.dump["CPU_SWITCH"], [[[0, 500, 100 << 32 | 101], [500, 800, 7]], [[700, 900, 100 << 32 | 101]]])
    expect("who else ran", done.dump["FOREIGN_THREAD"], [[7, "PID not known", "kworker"]])
    worker = "(/bin/server PID 100 TID 101) worker"
    expect("zones", (done.tracks, done.messages, done.plots, done.said),
           ({worker: [(0, "draw|frame 5", 710, 80)], "/bin/server PID 100 async load": [(0, "load", 760, 35)]}, [(770, worker, "plain text")],
            {"fps": [(750, 60)], "CPU 3 frequency (kHz)": [(797, 1200000)]}, "1 item is left out: 1 other kernel event\n"))
    columns = message((5, "a"), (5, "b"), (1, packed(1000, 500, 300)), (2, packed(0, 1, 0)), (3, packed(11, 12, 0)), (4, packed(120, 120, 120)), (6, packed(0, 1, 0)),
                      (7, packed(1200)), (8, packed(12)), (9, packed(0)), (11, packed(1)))
    done = imported(pf.trace(pf.ftrace(0, more=((4, columns), (3, 1)))))
    expect("in columns", (switches(done), done.dump["FOREIGN_THREAD"], done.said),
           ({11: [(0, 500, 0, 0)], 12: [(500, 800, 0, 200)]}, [[11, "PID not known", "a"], [12, "PID not known", "b"]],
            "1 item is left out: 1 notice that a buffer was full\n"))


def samples_are_call_stacks():
    code = pf.packet(pf.CLEARED, (12, message((5, message((1, 1), (2, "leaf"))), (5, message((1, 2), (2, "main"))), (17, message((1, 1), (2, "lib"))), (17, message((1, 2), (2, "a.so"))),
                                              (6, message((1, 1), (2, 1), (3, 1), (4, 0x1000))), (6, message((1, 2), (2, 2), (3, 1), (4, 0x2000))), (7, message((1, 1), (2, packed(2, 1)))),
                                              (19, message((1, 1), (7, packed(1, 2)))))))
    sample = [pf.packet((8, t), (66, message((1, 0), (2, 100), (3, 101), (4, 1)))) for t in (500, 200)]
    inline = pf.packet((8, 300), (135, message((1, message((2, 100), (3, 101))), (5, message((1, message((1, "outer"))), (1, message((1, "inner"), (2, "i.py"), (3, 4))))))))
    done = imported(pf.trace(T1, code, *sample, inline, pf.packet((8, 1), (66, message((2, 100), (3, 101), (18, 1))))))
    expect("samples", (done.said, [row[0] for row in done.dump["SAMPLE"][0]]), ("1 item is left out: 1 sample or profile\n", [0, 100, 300]))
    expect("frames", (done.dump["SAMPLE"][0][0][1], done.dump["STACK_LINE"]),
           ([0x1000, 0x2000], [["leaf", None, 0, 0], ["main", None, 0, 0], ["inner", "i.py", 4, 0], ["outer", None, 0, 0]]))
    expect("images", done.dump["STACK_FRAME"][0][1], "/lib/a.so")
    done = imported(pf.trace(T1, code) + pf.zone(1, 10, 20, "z", (56, 1)))
    zone = [track["zones"][0] for track in done.dump["tracks"] if track["zones"]][0]
    check("a zone's call stack", done.said == "" and [0x1000, 0x2000] in zone, zone, done.said)
    profile = pf.packet((44, message((1, 100), (2, 101), (6, 10))), pf.CLEARED, (12, message((5, message((1, 1), (2, "f"))), (6, message((1, 1), (2, 1))), (7, message((1, 3), (2, 1))))))
    done = imported(pf.trace(profile, pf.packet((54, message((1, 3), (1, 3), (2, 5), (2, 7))))))
    expect("a profile", [row[0] for row in done.dump["SAMPLE"][0]], [0, 7000])


def packed_traces_are_read():
    whole = pf.trace(P, T1) + ZONE
    wanted = imported(whole).tracks
    expect("one zone", wanted, {MAIN: [(0, "a", 0, 10)]})
    expect("empty packets first", imported(pf.trace(b"", b"") + whole).tracks, wanted)
    expect("gzip", imported(gzip.compress(whole), "t.gz").tracks, wanted)
    inside = pf.trace(pf.packet((50, zlib.compress(whole))))
    expect("packets in a packet", imported(inside).tracks, wanted)
    twice = imported(pf.trace(pf.packet((50, zlib.compress(inside)))) + whole)
    expect("packed twice", (twice.tracks, twice.said), (wanted, "1 item is left out: 1 damaged event\n"))
    bomb = imported(whole + pf.trace(pf.packet((50, zlib.compress(bytes(50000000))))))
    expect("zeros that are packed", (bomb.code, bomb.tracks), (0, wanted))


def one_damaged_packet_costs_one_packet():
    wanted = {MAIN: [(0, "a", 0, 10), (0, "b", 20, 10)]}
    for what, wrong, said in (
            ("a message that leaves its packet", message((10, 1), (8, 15)) + b"\x5a\x7f\x48\x01", "1 damaged event"),
            ("a group", b"\x0b\x0c", "1 damaged event"), ("a key without a number", b"\x02\x01x", "1 damaged event"),
            ("a varint without an end", b"\xff" * 12, "1 damaged event"),
            ("an annotation that is cut", pf.packet((8, 15), (11, message((9, 3), (11, 1), (23, "m"), (4, b"\x52\x09ab")))), "1 damaged event"),
            ("annotations in each other", pf.packet((8, 15), (11, message((9, 3), (11, 1), (4, nested(40))))), "1 damaged event"),
            ("a packet of another kind", pf.packet((7, b"\x08\x01")), "1 system statistics packet"),
            ("no time", pf.packet((11, message((9, 3), (11, 1), (23, "m")))), "1 event without a time that a trace can have"),
            ("a time of centuries", pf.event(pf.INSTANT, 2 ** 63, 1, name="m"), "1 event without a time that a trace can have")):
        done = imported(pf.trace(P, T1) + ZONE + pf.trace(wrong) + pf.zone(1, 30, 40, "b"))
        expect(what, (done.code, done.tracks, done.said), (0, wanted, "1 item is left out: " + said + "\n"))
    whole = pf.trace(P, T1) + ZONE + pf.zone(1, 30, 40, "b")
    cut = imported(whole[:-3])
    check("cut", cut.code == 0 and "breaks off" in cut.said and cut.tracks[MAIN][0] == (0, "a", 0, 10), cut.said, cut.tracks)
    broken = imported(pf.trace(P, T1) + ZONE + b"\x03" + pf.zone(1, 30, 40, "b"))
    check("a group outside", broken.code == 0 and "breaks off" in broken.said and broken.tracks == {MAIN: [(0, "a", 0, 10)]}, broken.said)


def nested(levels):
    return message((10, "n"), (11, nested(levels - 1))) if levels else message((10, "n"), (4, 1))


def main():
    for test in (zones_are_those_of_their_tracks, annotations_and_places_are_kept, instants_are_messages, counters_are_plots, flows_join_zones_in_order_of_time,
                 flows_of_an_end_belong_to_the_zone_that_ends,
                 clocks_are_related_by_snapshots, events_of_older_writers_are_read, the_kernel_tells_switches_and_programs_zones, samples_are_call_stacks,
                 packed_traces_are_read, one_damaged_packet_costs_one_packet):
        test()
    sys.exit(exit_status())


main()
