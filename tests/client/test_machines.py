#!/usr/bin/env python3
"""The client and its headers compile for another machine without a warning, and programs with it, run by qemu, are
recorded: zones, their times, messages, call stacks, crashes. Needs a cross compiler and qemu's user mode; arguments: the
machine (aarch64, riscv64; musl: this one with another C library) and the client's sources.
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
MUSL = MACHINE == "musl"
PREFIX = MACHINE + ("-" if MUSL else "-linux-gnu-")
QEMU = None if MUSL else shutil.which(f"qemu-{MACHINE}-static") or shutil.which(f"qemu-{MACHINE}")
RUN = [QEMU] if QEMU else []
FLAGS = ["-O2", "-g", "-D_GNU_SOURCE", "-DTRACY_ENABLE", "-DTD_CLIENT_PART", "-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter", "-I" + SOURCE,
         "-I" + os.path.join(SOURCE, "host", "client", "include"), "-idirafter", "/usr/include"]  # lz4.h is for all machines
if MACHINE == "riscv64":  # whose compilers write no unwind tables by themselves
    FLAGS.append("-fasynchronous-unwind-tables")
LIBRARIES = ["-lpthread", "-lm", "-ldl", *(["-latomic"] if MACHINE == "riscv64" else []),  # for counters of two bytes
             *(["-lgcc_eh", "-Wl,--eh-frame-hdr"] if MUSL else [])]


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
    if MUSL:
        sources = [*sources, os.path.join(HERE, "musl_objects.c")]
        kernel_headers(folder)
    for source in sources:
        objects.append(os.path.join(folder, f"{len(objects)}.o"))  # names of files are not unique
        subprocess.run([PREFIX + "gcc", "-std=c11", "-fPIC", *FLAGS, "-c", source, "-o", objects[-1]], check=True)
    for name, *options in (["marked"], ["times"], ["stacks"], ["crashes", "-O1", "-fno-optimize-sibling-calls", "-Wno-infinite-recursion"]):
        subprocess.run([PREFIX + "gcc", "-std=c11", *FLAGS, *options, os.path.join(HERE, name + ".c"), *objects,
                        *([lz4] if lz4 else []), *LIBRARIES, "-o", os.path.join(folder, name)], check=True)


def kernel_headers(folder):
    """musl-gcc finds none, and must not find those of the other C library before its own."""
    machine = os.uname().machine + "-linux-gnu"
    for name, place in ("linux", "linux"), ("asm-generic", "asm-generic"), ("asm", machine + "/asm"):
        os.symlink(os.path.join("/usr/include", place), os.path.join(folder, name))
    FLAGS.append("-I" + folder)


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
    trace = capture(recorder, *RUN, os.path.join(folder, "crashes"), how, status=-number)
    what = trace.dump["crash"]
    check(what and what[2].startswith(text), recorder, how, what)
    check(not function or function in names(trace, what[3]), recorder, how, names(trace, what[3]))
    return names(trace, what[3])


def check_recorder(recorder, folder):
    trace = capture(recorder, *RUN, os.path.join(folder, "marked"), "all")
    check([t["count"] for t in trace.dump["tracks"]] == [80], recorder, trace.dump["tracks"])
    check(len(trace.dump["MESSAGE"]) == 81, recorder, len(trace.dump["MESSAGE"]))
    trace = capture(recorder, *RUN, os.path.join(folder, "stacks"), "all")
    for stack in (*trace.zones(), trace.message("stack of message"), trace.message("stack of literal")):
        found = [name for name in names(trace, stack) if name in ("leaf", "root", "main")]
        check(found == ["leaf", "root", "main"], recorder, names(trace, stack))
    found = crash(recorder, folder, "null", signal.SIGSEGV, "Invalid memory reference.\nAddress not mapped", "main")
    check(found[0] == "reads_nothing", recorder, found)


def check_times(recorder, folder):
    """A zone lasts as long as the system's clock says, within the error of comparing two clocks."""
    with tempfile.TemporaryFile("w+") as output:
        trace = capture(recorder, *RUN, os.path.join(folder, "times"), stdout=output)
        output.seek(0)
        inner, outer = (int(word) for word in output.read().split())
    check(trace.dump["timer_mul"] != 1, recorder, "the clock is not a counter of the processor")
    ns = next(track["zones"] for track in trace.dump["tracks"] if track["count"])[0][4]
    check(inner * 0.98 <= ns <= outer * 1.02, recorder, "a zone of", ns, "between", inner, "and", outer)


def check_crashes(recorder, folder):
    check(crash(recorder, folder, "call", signal.SIGSEGV, "Invalid memory reference.\n", "main")[0] == "calls_nothing",
          "the caller of what is no code")
    trap = (signal.SIGILL, "Illegal instruction.") if MUSL else (signal.SIGTRAP, "Trap.\n")
    check(crash(recorder, folder, "trap", *trap, "main")[0] == "goes_wrong", "a trap")
    # Debian's C library for RISC-V has no unwind tables, and its musl neither: a stack ends in it.
    crash(recorder, folder, "abort", signal.SIGABRT, "Aborted.\n", "gives_up" if MACHINE == "aarch64" else None)
    for how in "overflow", "thread":
        found = crash(recorder, folder, how, signal.SIGSEGV, "Invalid memory reference.\n", "recurses")
        check(len(found) > 50 and set(found[:50]) == {"recurses"}, how, found)


def check_other_threads_stop(recorder, folder):
    """What the crashed program asks of the system: all its threads but one get the signal."""
    if not QEMU:
        return
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
    if not shutil.which(PREFIX + "gcc") or not (QEMU or MUSL):
        print(f"skipped: {PREFIX}gcc{'' if MUSL else f' and qemu-{MACHINE}'} not here")
        return
    if QEMU:
        os.environ["QEMU_LD_PREFIX"] = os.path.dirname(os.path.dirname(os.path.realpath(compiler_finds("libc.so.6"))))
    with tempfile.TemporaryDirectory() as folder:
        build(folder, sys.argv[2:])
        check_headers(folder)
        crashes = True
        for recorder in recorders():
            if crashes:
                check_crashes(recorder, folder)
                check_other_threads_stop(recorder, folder)
            crashes = False
            check_times(recorder, folder)
            check_recorder(recorder, folder)
            print("recorded:", recorder[0])


main()
