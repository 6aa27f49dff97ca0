#!/usr/bin/env python3
"""Soak: `tendril capture -m 200M --keep 10` of a program that marks all the time. Prints each minute how many zones the
program has made and what the capture needs: memory and its temporary file. Fails if the data ever exceeds the limit, if
memory grows after the first third, or if the file has not what the last seconds had, in order.

Usage: TD_BINARY_DIR=build tests/stress/soak.py [--minutes M] [--limit MB] [--keep SECONDS] [--pause MICROSECONDS]
--pause: what each of the program's two threads waits after a batch of 256 zones. Each batch has two texts of its own, which
are forgotten with its message and its zone. For an hour: --minutes 60.
"""
import argparse
import os
import signal
import struct
import subprocess
import sys
import tempfile
import time

from kit import LOAD, TENDRIL, check_zones, growth, resident_mib
from checks import check, failures
from ports import free_port

ZONE_BYTES = 26  # of its begin and its end, as the client sends them before they are packed
MIB = 1 << 20


def unnamed_mib(pid):
    """Files that have no name: the store of rows."""
    folder, total = "/proc/%d/fd" % pid, 0
    for fd in os.listdir(folder):
        try:
            if os.readlink(os.path.join(folder, fd)).endswith(" (deleted)"):
                total += os.stat(os.path.join(folder, fd)).st_blocks * 512
        except OSError:
            pass
    return total / MIB


def zones_begun(counts):
    with open(counts, "rb") as f:
        return sum(struct.unpack("64Q", f.read()))


def arguments(**more):
    """What each soak may be given, and more options with their defaults."""
    parser = argparse.ArgumentParser()
    for name, default in dict(minutes=8.0, limit=200, pause=4000, **more).items():
        kind = {"action": "store_true"} if default is False else {"type": type(default), "default": default}
        parser.add_argument("--" + name.replace("_", "-"), **kind)
    return parser.parse_args()


def start(folder, given, *words, **variables):
    """Returns a program that marks all the time, the capture of it, and the file with the zones that it has begun."""
    port, counts = free_port(), os.path.join(folder, "counts")
    env = dict(os.environ, TRACY_PORT=str(port), TENDRIL_WAIT_CONNECT_MS="20000", TENDRIL_EXIT_WAIT_MS="100",
               STRESS_COUNT=counts, **variables)
    program = subprocess.Popen([LOAD, "2", "1000000000000", str(given.pause)], env=env, stdout=subprocess.DEVNULL)
    capture = subprocess.Popen([TENDRIL, "capture", "-o", os.path.join(folder, "t.tracy"), "-p", str(port),
                                "-m", "%dM" % given.limit, *words],
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
    return program, capture, counts


def follow(capture, minutes, measure, tell):
    """Measures each second, and calls tell(minute) each minute. Returns the most of each quarter of a minute."""
    seen, began = [], time.monotonic()
    while time.monotonic() - began < minutes * 60 and capture.poll() is None:
        most = 0
        for _ in range(15):
            time.sleep(1)
            if capture.poll() is not None:
                return seen
            most = max(most, measure())
        seen.append(most)
        if len(seen) % 4 == 0:
            tell(len(seen) // 4)
    return seen


def end(program, capture, out, early, seen):
    """Judges how the capture has ended, and how its memory has grown."""
    first, late, grows = growth(seen)
    check(not early, "the capture has ended early: %s (the program: %s)" % (out, program.poll()))
    check(capture.returncode == 0, "exit code %s: %s" % (capture.returncode, out))
    check(not grows, "memory grows: %.1f MB in the first third, %.1f MB later" % (first, late))
    print("at most %.1f MB in the first third, %.1f MB later" % (first, late))


def stop(program, capture):
    capture.kill()
    program.kill()
    program.wait()


def watch(capture, counts, given):
    """Follows the capture. Returns the greatest memory of each quarter of a minute."""
    def measure():
        memory, stored = resident_mib(capture.pid, "RssAnon"), unnamed_mib(capture.pid)
        check(memory + stored <= given.limit, "%.1f MB of memory and %.1f MB in a file" % (memory, stored))
        return memory

    def tell(minute):
        zones = zones_begun(counts)
        print("%3d min  %11d zones, %5.2f GB of events; memory %6.1f MB, temporary file %6.1f MB" %
              (minute, zones, zones * ZONE_BYTES / 1e9, resident_mib(capture.pid, "RssAnon"), unnamed_mib(capture.pid)),
              flush=True)

    return follow(capture, given.minutes, measure, tell)


def check_file(trace, out):
    """The zones of each thread follow each other without a gap, up to about the last ones."""
    code, checked, threads = check_zones(trace, timeout=300)
    check(code == 0 and len(threads) >= 2, "the trace: %s %s" % (checked[-300:], out))
    for zones in threads:
        check(zones["zones"] == zones["last"] - zones["first"] + 1, "zones are missing: %s" % zones)
        print("a thread: zones %d to %d" % (zones["first"], zones["last"]))


def main():
    given = arguments(keep=10.0)
    with tempfile.TemporaryDirectory(prefix="tendril-soak-") as folder:
        program, capture, counts = start(folder, given, "-q", "--keep", str(given.keep))
        try:
            seen = watch(capture, counts, given)
            early = capture.poll() is not None
            capture.send_signal(signal.SIGINT)
            out = capture.communicate(timeout=300)[0]
        finally:
            stop(program, capture)
        end(program, capture, out, early, seen)
        check_file(os.path.join(folder, "t.tracy"), out)
    return failures() != 0


if __name__ == "__main__":
    sys.exit(main())
