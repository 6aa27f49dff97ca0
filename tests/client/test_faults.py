#!/usr/bin/env python3
"""System calls and memory that fail once, from then on, or every other time, at every place of a saved and of a recorded
session: the program runs to its end, and what was saved can be read as far as it goes."""
import errno
import itertools
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

from traces import BINARY, TESTS, THOROUGH, check, free_port

LIBRARY = os.path.join(TESTS, "failing_calls.so")
TENDRIL = os.path.join(BINARY, "bin", "tendril")
PROGRAMS = [(os.path.join(TESTS, "client_marked"), "all"), (os.path.join(TESTS, "client_stacks_O2"), "all")]
# Errors that a function may give at any time.
FAULTS = {"mmap": errno.ENOMEM, "write": errno.ENOSPC, "read": errno.EIO, "pread": errno.EIO, "send": errno.ECONNRESET,
          "recv": errno.ECONNRESET, "process_vm_readv": errno.EPERM, "pipe2": errno.EMFILE, "poll": errno.ENOMEM,
          "accept4": errno.EMFILE, "socket": errno.EMFILE, "eventfd": errno.EMFILE, "pthread_create": errno.EAGAIN,
          "open": errno.EMFILE, "fstat": errno.EIO}
INTERRUPTED = ["write", "read", "send", "recv", "poll", "accept4"]
MOST = 400  # calls of one function


def run(fault, program, environment, folder):
    """Whether the fault came, and what the program says; its exit status has to be 0."""
    said = os.path.join(folder, "said")
    environment = dict(os.environ, LD_PRELOAD=LIBRARY, TD_FAULT=fault, TD_FAULT_SAID=said,
                       ASAN_OPTIONS="verify_asan_link_order=0:detect_leaks=0", **environment)
    done = subprocess.run(program, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          timeout=100, check=False)
    check(done.returncode == 0, fault, program, done.returncode, done.stderr)
    if os.path.exists(said):
        os.unlink(said)
        return True, done.stderr
    return False, done.stderr


def save(fault, program):
    """A session that is saved; what there is of it has all its names."""
    with tempfile.TemporaryDirectory() as folder:
        saved, trace = os.path.join(folder, "saved.stream"), os.path.join(folder, "t.tracy")
        came, said = run(fault, program, {"TENDRIL_SAVE": saved}, folder)
        check(os.path.exists(saved) or b"cannot save" in said, fault, program, said)
        if os.path.exists(saved):
            done = subprocess.run([TENDRIL, "import", "-q", "-f", "-o", trace, saved], stderr=subprocess.PIPE, timeout=100, check=False)
            check(done.returncode in (0, 1) and done.stderr.count(b"\n") <= 1, fault, program, done.returncode, done.stderr)
            if done.returncode == 0:
                table = subprocess.run([TENDRIL, "csvexport", trace], stdout=subprocess.PIPE, timeout=100, check=True).stdout
                check(b"???" not in table, fault, program, table)
        return came


def record(fault, program):
    """A session that is recorded, as far as that goes."""
    port = str(free_port())
    with tempfile.TemporaryDirectory() as folder:
        with subprocess.Popen([TENDRIL, "capture", "-q", "-f", "-a", "127.0.0.1", "-p", port, "-o", os.path.join(folder, "t")],
                              stderr=subprocess.DEVNULL) as recorder:
            came, _ = run(fault, program, {"TRACY_PORT": port, "TENDRIL_WAIT_CONNECT_MS": "300", "TENDRIL_EXIT_WAIT_MS": "300"}, folder)
            recorder.kill()
        return came


def every_place(how, name, error, program, count, part):
    """The first places, then ever wider apart, up to the last call that there is."""
    place = 1
    while place <= MOST and how("%s:%d:%d:%d" % (name, error, place, count), program):
        place += 1 + 2 * place // part


def main():
    """With `all` as argument at every place, which takes some minutes."""
    part = 2 * MOST + 1 if sys.argv[1:] == ["all"] else 2 if THOROUGH else 1
    # Each function fails once in one program and from then on in the other; thoroughly, in both programs both ways.
    both = list(itertools.product(PROGRAMS, (1, 0))) if part > 1 else [(PROGRAMS[1], 1), (PROGRAMS[0], 0)]
    jobs = [(save, name, error, program, count, part * (1 + count)) for name, error in FAULTS.items()
            for program, count in both]
    jobs += [(record, name, error, PROGRAMS[1], count, part) for name, error in FAULTS.items() for count in (1, 0)]
    jobs += [(how, name, errno.EINTR, program, -1, 1) for how in (save, record) for name in INTERRUPTED for program in PROGRAMS]
    with ThreadPoolExecutor(2) as pool:
        for job in [pool.submit(every_place, *job) for job in jobs]:
            job.result()


if __name__ == "__main__":
    main()
