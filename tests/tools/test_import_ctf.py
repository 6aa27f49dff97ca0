#!/usr/bin/env python3
"""`tendril import` of CTF traces: pairs of events are zones, the kernel's switches are context switches, all other events are
messages; a folder may have several traces."""
import os
import subprocess
import sys
import tempfile

from common import TENDRIL, check, exit_status
from ctf_writer import Writer
from imported import Imported, expect

SCRATCH = tempfile.mkdtemp()
number = [0]


def imported(path):
    return Imported(None, path=path)


def folder():
    number[0] += 1
    return os.path.join(SCRATCH, "trace%d" % number[0])


def user():
    """A writer of events as those of LTTng's user space tracer."""
    writer = Writer(context=(("i32", "vpid"), ("i32", "vtid"), ("string", "procname")))
    writer.kind("app:work_begin", ("u32", "size"))
    writer.kind("app:work_end", ("string", "result"))
    writer.kind("app:said", ("i32", "value"), ("f64", "share"), ("string", "what"))
    writer.kind("process_exit")
    return writer


WHO = (100, 101, "server")
SERVER = "(PID 100 TID 101) server"


def pairs_are_zones_and_other_events_messages():
    writer = user()
    writer.event(0, 1000, "app:work_begin", 7, context=WHO)
    writer.event(0, 1500, "app:said", -5, 0.25, "text", context=WHO)
    writer.event(1, 1600, "app:said", 6, 2.5, "of another", context=(100, 102, ""))
    writer.event(0, 2000, "app:work_end", "ok", context=WHO)
    writer.event(0, 2100, "process_exit", context=WHO)
    done = imported(writer.write(folder()))
    expect("zones", (done.code, done.said, done.tracks, done.texts),
           (0, "", {SERVER: [(0, "app:work", 0, 1000)]}, {"app:work": "size: 7\nvpid: 100\nvtid: 101\nprocname: server\nresult: ok\n"}))
    expect("messages", done.messages, [(500, SERVER, "app:said\nvalue: -5\nshare: 0.25\nwhat: text\nvpid: 100\nvtid: 101\nprocname: server"),
                                       (600, "PID 100 TID 102", "app:said\nvalue: 6\nshare: 2.5\nwhat: of another\nvpid: 100\nvtid: 102\nprocname: "),
                                       (1100, SERVER, "process_exit\nvpid: 100\nvtid: 101\nprocname: server")])
    expect("facts", done.facts, ["hostname: box", "domain: kernel", "number: 5"])


def all_kinds_of_fields_are_text():
    writer = Writer()
    writer.kind("fields", ("i32", "state"), ("u32", "list0"), ("u32", "list1"), ("u32", "inner"), ("u32", "mask"), declaration=(
        "enum : i32 { IDLE, BUSY = 5 } state; u32 list[2]; struct { u32 a; } inner; integer { size = 32; align = 8; base = hex; } mask; "))
    writer.event(3, 10, "fields", 5, 8, 9, 7, 255)
    done = imported(writer.write(folder()))
    expect("fields", done.messages, [(0, "CPU 3", "fields\nstate: BUSY (5)\nlist[0]: 8\nlist[1]: 9\ninner.a: 7\nmask: 0xff")])


def the_kernel_tells_threads_and_switches():
    writer = Writer()
    writer.kind("sched_switch", ("string", "prev_comm"), ("i32", "prev_tid"), ("i32", "prev_prio"), ("i32", "prev_state"),
                ("string", "next_comm"), ("i32", "next_tid"), ("i32", "next_prio"))
    writer.kind("sched_waking", ("string", "comm"), ("i32", "tid"), ("i32", "prio"), ("i32", "target_cpu"))
    writer.kind("syscall_entry_read", ("u32", "fd"))
    writer.kind("syscall_exit_read", ("i32", "ret"))
    writer.kind("irq_handler_entry", ("i32", "irq"))
    writer.kind("irq_handler_exit", ("i32", "irq"))
    writer.kind("lttng_statedump_process_state", ("i32", "tid"), ("i32", "pid"), ("string", "name"))
    writer.event(0, 1, "lttng_statedump_process_state", 100, 100, "server")
    writer.event(0, 2, "lttng_statedump_process_state", 101, 100, "worker")
    writer.event(0, 1000, "sched_switch", "swapper/0", 0, 20, 0, "worker", 101, 20)
    writer.event(0, 1100, "syscall_entry_read", 3)
    writer.event(0, 1150, "irq_handler_entry", 9)
    writer.event(0, 1160, "irq_handler_exit", 9)
    writer.event(0, 1200, "syscall_exit_read", 64)
    writer.event(0, 1500, "sched_switch", "worker", 101, 20, 2, "swapper/0", 0, 20)
    writer.event(1, 1600, "sched_waking", "worker", 101, 20, 0)
    writer.event(0, 1700, "sched_switch", "swapper/0", 0, 20, 0, "worker", 101, 20)
    done = imported(writer.write(folder()))
    worker = "(server PID 100 TID 101) worker"
    expect("zones", (done.said, done.tracks, done.texts["syscall_read"]),
           ("", {worker: [(0, "syscall_read", 100, 100)], "CPU 0": [(0, "irq_handler", 150, 10)]}, "fd: 3\nret: 64\n"))
    expect("runs", [[row[:4] for row in rows] for rows in done.dump["SWITCH"]], [[[0, 0, 500, 0], [600, 700, -1, 0]]])
    expect("processors", done.dump["CPU_SWITCH"], [[[0, 500, 100 << 32 | 101], [700, -1, 100 << 32 | 101]]])


def boards_tell_switches_in_halves():
    writer = Writer(has_cpu=False)
    for half in "in", "out":
        writer.kind("thread_switched_" + half, ("u32", "thread_id"), ("string", "name"))
    writer.kind("isr_enter")
    writer.kind("isr_exit")
    writer.event(0, 10, "isr_enter")
    writer.event(0, 15, "isr_exit")
    writer.event(0, 20, "thread_switched_in", 0x2000, "main")
    writer.event(0, 30, "isr_enter")
    writer.event(0, 35, "isr_exit")
    writer.event(0, 50, "thread_switched_out", 0x2000, "main")
    done = imported(writer.write(folder()))
    expect("zones", (done.said, done.tracks), ("", {"stream 0": [(0, "isr", 0, 5)], "main": [(0, "isr", 20, 5)]}))
    expect("runs", done.dump["CPU_SWITCH"], [[[10, 40, 0x2000]]])


def traces_may_be_several_and_without_a_clock():
    top = folder()
    for name, tid in ("kernel", 1), ("ust/uid/1000/64-bit", 2):
        writer = user()
        writer.event(0, 1000 + tid, "app:said", tid, 0.5, name, context=(5, tid, ""))
        writer.write(os.path.join(top, name))
    done = imported(top)
    expect("several", [(m[0], m[1]) for m in done.messages], [(0, "PID 5 TID 1"), (1, "PID 5 TID 2")])
    writer = Writer(has_clock=False)
    writer.kind("one")
    writer.kind("two")
    writer.event(0, 0, "two")
    writer.event(0, 0, "one")
    done = imported(writer.write(folder()))
    expect("no clock", (done.messages, done.facts[-1]),
           ([(0, "CPU 0", "two"), (1000, "CPU 0", "one")], "events without a clock are 1 us apart, in the order of their streams"))


def what_cannot_be_read_is_one_line():
    writer = user()
    writer.event(0, 1000, "app:said", 1, 0.5, "kept", context=WHO)
    writer.event(0, 1001, "app:said", 2, 0.5, "whole", context=WHO)
    cut = imported(writer.write(folder(), cut=4))
    check("cut", cut.code in (0, 1) and cut.done.stderr.count("\n") == 1, cut.done.stderr)
    wrong = user()
    wrong.metadata += "event { this is no metadata"
    done = imported(wrong.write(folder()))
    check("wrong metadata", done.code == 1 and "cannot be read" in done.done.stderr and done.done.stderr.count("\n") == 1, done.done.stderr)
    # The library ends the process that reads such metadata.
    worse = Writer()
    worse.metadata = worse.metadata.replace("u32 cpu_id; };", "u32 n; u32 list[n]; }; event.context := struct { u32 m; u32 other[m]; };").replace("n; u32 list[n]", "__n; u32 list[ __n ]")
    worse.metadata = worse.metadata.replace("m; u32 other[m]", "__m; u32 other[ __m ]")
    worse.streams[0] = b""
    done = imported(worse.write(folder()))
    check("worse metadata", done.code in (0, 1) and done.done.stderr.count("\n") <= 1, done.done.stderr)
    empty = os.path.join(SCRATCH, "empty")
    os.makedirs(empty)
    done = imported(empty)
    check("an empty folder", done.code == 1 and done.done.stderr.count("\n") == 1, done.done.stderr)
    seed, path = 1, user().write(folder())
    writer.write(path)
    for name in "metadata", "stream_0":
        with open(os.path.join(path, name), "rb") as file:
            whole = file.read()
        for _ in range(8):
            changed = bytearray(whole)
            for _ in range(3):
                seed = (seed * 1664525 + 1013904223) % 2 ** 32
                changed[(seed >> 8) % len(changed)] = seed >> 24
            with open(os.path.join(path, name), "wb") as file:
                file.write(changed)
            done = subprocess.run([TENDRIL, "import", "-q", "-f", "-o", os.path.join(SCRATCH, "o.tracy"), path], stderr=subprocess.PIPE, check=False, timeout=60)
            check("changed " + name, done.returncode in (0, 1) and done.stderr.count(b"\n") <= 2, done.returncode, done.stderr)
        with open(os.path.join(path, name), "wb") as file:
            file.write(whole)


def main():
    probe = user()
    done = imported(probe.write(folder()))
    if "without libbabeltrace2" in done.done.stderr:
        print("skipped: built without libbabeltrace2")
        sys.exit(0)
    for test in (pairs_are_zones_and_other_events_messages, all_kinds_of_fields_are_text, the_kernel_tells_threads_and_switches,
                 boards_tell_switches_in_halves, traces_may_be_several_and_without_a_clock, what_cannot_be_read_is_one_line):
        test()
    sys.exit(exit_status())


main()
