#!/usr/bin/env python3
"""The client and its headers compile for another machine without a warning, and programs with it, run by qemu, are
recorded: zones, messages, call stacks, crashes. Needs a cross compiler and qemu's user mode; arguments: the machine
(aarch64, riscv64) and the client's sources.
With $TD_STOCK_DIR (RELEASE/bin/capture in it) also by stock recorders.
"""
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

from traces import HERE, SOURCE, capture, check, free_port, recorders

MACHINE = sys.argv[1]
PREFIX = MACHINE + "-linux-gnu-"
QEMU = shutil.which(f"qemu-{MACHINE}-static") or shutil.which(f"qemu-{MACHINE}")
FLAGS = ["-O2", "-g", "-D_GNU_SOURCE", "-DTRACY_ENABLE", "-DTD_CLIENT_PART", "-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter", "-I" + SOURCE,
         "-I" + os.path.join(SOURCE, "host", "client", "include"), "-idirafter", "/usr/include"]  # lz4.h is for all machines
if MACHINE == "riscv64":  # whose compilers write no unwind tables by themselves
    FLAGS.append("-fasynchronous-unwind-tables")
LIBRARIES = ["-lpthread", "-lm", "-ldl", *(["-latomic"] if MACHINE == "riscv64" else [])]  # for counters of two bytes


def compiler_finds(name):
    return subprocess.run([PREFIX + "gcc", "-print-file-name=" + name], stdout=subprocess.PIPE, check=True,
                          universal_newlines=True).stdout.strip()


def build(folder, sources):
    """The programs; they are there when this returns."""
    objects = []
    lz4 = compiler_finds("liblz4.a")
    if not os.path.isabs(lz4):
        sources = [*sources, os.path.join(HERE, "plain_lz4.c")]
        lz4 = None
    for source in sources:
        objects.append(os.path.join(folder, f"{len(objects)}.o"))  # names of files are not unique
        subprocess.run([PREFIX + "gcc", "-std=c11", "-fPIC", *FLAGS, "-c", source, "-o", objects[-1]], check=True)
    for name, *options in (["marked"], ["stacks"], ["crashes", "-O1", "-fno-optimize-sibling-calls", "-Wno-infinite-recursion"]):
        subprocess.run([PREFIX + "gcc", "-std=c11", *FLAGS, *options, os.path.join(HERE, name + ".c"), *objects,
                        *([lz4] if lz4 else []), *LIBRARIES, "-o", os.path.join(folder, name)], check=True)


def check_headers(folder):
    """In C++, too; that they mean the same is the business of other tests."""
    if not shutil.which(PREFIX + "g++"):
        print("skipped: no %sg++" % PREFIX)
        return
    for standard in "c++11", "c++20":
        subprocess.run([PREFIX + "g++", "-std=" + standard, *FLAGS, "-c", os.path.join(HERE, "on.cpp"), "-o",
                        os.path.join(folder, "on.o")], check=True)


def names(trace, stack):
    return [line[0] for line in trace.lines(stack)]


def crash(recorder, folder, how, number, text, function):
    trace = capture(recorder, QEMU, os.path.join(folder, "crashes"), how, status=-number)
    what = trace.dump["crash"]
    check(what and what[2].startswith(text), recorder, how, what)
    check(function in names(trace, what[3]), recorder, how, names(trace, what[3]))
    return names(trace, what[3])


def check_recorder(recorder, folder):
    trace = capture(recorder, QEMU, os.path.join(folder, "marked"), "all")
    check([t["count"] for t in trace.dump["tracks"]] == [80], recorder, trace.dump["tracks"])
    check(len(trace.dump["MESSAGE"]) == 81, recorder, len(trace.dump["MESSAGE"]))
    trace = capture(recorder, QEMU, os.path.join(folder, "stacks"), "all")
    for stack in (*trace.zones(), trace.message("stack of message"), trace.message("stack of literal")):
        found = [name for name in names(trace, stack) if name in ("leaf", "root", "main")]
        check(found == ["leaf", "root", "main"], recorder, names(trace, stack))
    found = crash(recorder, folder, "null", signal.SIGSEGV, "Invalid memory reference.\nAddress not mapped", "main")
    check(found[0] == "reads_nothing", recorder, found)


def check_crashes(recorder, folder):
    check(crash(recorder, folder, "call", signal.SIGSEGV, "Invalid memory reference.\n", "main")[0] == "calls_nothing",
          "the caller of what is no code")
    check(crash(recorder, folder, "trap", signal.SIGTRAP, "Trap.\n", "main")[0] == "goes_wrong", "a trap")
    # Debian's C library for RISC-V has no unwind tables: a stack ends in it.
    crash(recorder, folder, "abort", signal.SIGABRT, "Aborted.\n", "abort" if MACHINE == "riscv64" else "gives_up")
    for how in "overflow", "thread":
        found = crash(recorder, folder, how, signal.SIGSEGV, "Invalid memory reference.\n", "recurses")
        check(len(found) > 50 and set(found[:50]) == {"recurses"}, how, found)


def check_other_threads_stop(recorder, folder):
    """What the crashed program asks of the system: all its threads but one get the signal."""
    port = free_port()
    env = dict(os.environ, TRACY_PORT=str(port), TENDRIL_WAIT_CONNECT_MS="20000")
    with open(os.path.join(folder, "calls"), "w+", encoding="utf-8", errors="replace") as calls:
        program = subprocess.Popen([QEMU, "-strace", os.path.join(folder, "crashes"), "many"], env=env, stderr=calls)
        try:
            subprocess.run([*recorder, "-f", "-a", "127.0.0.1", "-p", str(port), "-o", os.path.join(folder, "t.tracy")],
                           stdout=subprocess.DEVNULL, check=True, timeout=100)
            check(program.wait(60) == -signal.SIGSEGV, "many threads crash:", program.returncode)
        finally:
            program.kill()
        calls.seek(0)
        check(len(re.findall(r"tgkill\(.*SIGPWR", calls.read())) >= 2, "no thread was stopped")


def main():
    if not shutil.which(PREFIX + "gcc") or not QEMU:
        print(f"skipped: {PREFIX}gcc and qemu-{MACHINE} are not here")
        return
    root = os.path.dirname(os.path.dirname(os.path.realpath(compiler_finds("libc.so.6"))))
    os.environ["QEMU_LD_PREFIX"] = root
    with tempfile.TemporaryDirectory() as folder:
        build(folder, sys.argv[2:])
        check_headers(folder)
        crashes = True
        for recorder in recorders():
            if crashes:
                check_crashes(recorder, folder)
                check_other_threads_stop(recorder, folder)
            crashes = False
            check_recorder(recorder, folder)
            print("recorded:", recorder[0])


main()
