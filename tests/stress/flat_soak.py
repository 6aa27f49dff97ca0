#!/usr/bin/env python3
"""Soak: `tendril capture -m 200M` of a program that marks all the time, without --keep. Prints each minute how much has
arrived and what the capture needs: resident memory, anonymous and of mapped files, and its temporary file. Then the trace
is written, and the numbers of zones and messages are compared with what the program has marked; a trace below 1 GB is read,
too. Fails if resident memory
ever exceeds the limit, if it grows after the first third, or if anything is missing.

Usage: TD_BINARY_DIR=build tests/stress/flat_soak.py [--minutes M] [--limit MB] [--pause MICROSECONDS] [--texts N]
       [--folder FOLDER] [--journal] [--read-below GB]
--pause, --texts: what each of the program's two threads waits after a batch of 256 zones, a point, a lock and an allocation,
and how many messages of 200 characters without a pattern it sends with it. As given here, an hour makes a trace of about
10 GB; the folder needs room for about three times as much: --minutes 60 --pause 4000 --texts 50.
"""
import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

from kit import LOAD, TENDRIL, growth, resident_mib
from checks import check, failures
from ports import free_port
from soak import unnamed_mib, zones_begun

BATCH = 256
MIB = 1 << 20


def memory_of(pid):
    return {kind: resident_mib(pid, kind) for kind in ("VmRSS", "RssAnon", "RssFile", "RssShmem")}


def describe(memory):
    return "%6.1f MB resident (%.1f anonymous, %.1f of files)" % (memory["VmRSS"], memory["RssAnon"], memory["RssFile"])


def watch(capture, counts, given):
    """Follows the capture. Returns the most that was resident in each quarter of a minute."""
    seen, began = [], time.monotonic()
    while time.monotonic() - began < given.minutes * 60 and capture.poll() is None:
        most = None
        for _ in range(15):
            time.sleep(1)
            if capture.poll() is not None:
                return seen
            memory = memory_of(capture.pid)
            most = memory if not most or memory["VmRSS"] > most["VmRSS"] else most
        check(most["VmRSS"] <= given.limit, "%s" % describe(most))
        seen.append(most["VmRSS"])
        if len(seen) % 4 == 0:
            print("%3d min  %11d zones; %s, %7.1f MB in the temporary file" %
                  (len(seen) // 4, zones_begun(counts), describe(most), unnamed_mib(capture.pid)), flush=True)
    return seen


def finish(capture, given):
    """The end: sorting, writing. Returns the most that was resident."""
    peak, began = {"VmRSS": 0, "RssAnon": 0, "RssFile": 0}, time.monotonic()
    while capture.poll() is None and time.monotonic() - began < 3600:
        try:
            memory = memory_of(capture.pid)
            peak = memory if memory["VmRSS"] > peak["VmRSS"] else peak
        except OSError:
            pass
        time.sleep(.2)
    print("the end took %.0f s; %s" % (time.monotonic() - began, describe(peak)), flush=True)
    check(peak["VmRSS"] <= given.limit, "at the end: %s" % describe(peak))


def check_trace(trace, counts, given):
    """The trace has what the capture has received. To read it, memory is needed in proportion to its texts."""
    done = subprocess.run([TENDRIL, "info", "--json", trace], stdout=subprocess.PIPE, universal_newlines=True, check=False)
    about = json.loads(done.stdout) if done.returncode == 0 else {}
    check((about.get("zones"), about.get("messages")) == counts and about.get("clamped") == 0,
          "the trace has %s zones, %s messages, not %s" % (about.get("zones"), about.get("messages"), counts))


def check_counts(out, zones, given):
    """What the capture says that it has received, against what the program has marked. Returns zones and messages."""
    found = [re.search("^%s +([0-9]+)" % what, out, re.M) for what in ("zones", "messages")]
    if not all(found):
        check(False, "the summary: %s" % out)
        return 0, 0
    received, messages = (int(one.group(1)) for one in found)
    batches = messages // (1 + given.texts)
    # What was on its way when the capture ended is not there. Each batch has a zone around it.
    check(received > .95 * zones, "%d zones of %d" % (received, zones))
    check(abs(received - batches * (BATCH + 1)) <= 4 * BATCH, "%d zones, but %d messages" % (received, messages))
    check("odd " not in out, "the summary: %s" % out)
    return received, messages


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=8)
    parser.add_argument("--limit", type=int, default=200)
    parser.add_argument("--pause", type=int, default=4000)
    parser.add_argument("--texts", type=int, default=40)
    parser.add_argument("--folder", default=".")
    parser.add_argument("--read-below", type=float, default=1)
    parser.add_argument("--journal", action="store_true", help="with a journal, as by default")
    given = parser.parse_args()
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="tendril-soak-", dir=given.folder) as folder:
        trace, counts = os.path.join(folder, "t.tracy"), os.path.join(folder, "counts")
        env = dict(os.environ, TRACY_PORT=str(port), TENDRIL_WAIT_CONNECT_MS="20000", TENDRIL_EXIT_WAIT_MS="100",
                   STRESS_COUNT=counts, STRESS_TEXTS=str(given.texts))
        program = subprocess.Popen([LOAD, "2", "1000000000000", str(given.pause)], env=env, stdout=subprocess.DEVNULL)
        capture = subprocess.Popen([TENDRIL, "capture", "-o", trace, "-p", str(port), "-m", "%dM" % given.limit] +
                                   ([] if given.journal else ["--no-journal"]),
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
        try:
            seen = watch(capture, counts, given)
            early, zones = capture.poll() is not None, zones_begun(counts)
            capture.send_signal(signal.SIGINT)
            finish(capture, given)
            out = capture.communicate()[0]
            check(not early, "the capture has ended early: %s (the program: %s)" % (out, program.poll()))
        finally:
            capture.kill()
            program.kill()
            program.wait()
        first, late, grows = growth(seen)
        check(capture.returncode == 0, "exit code %s: %s" % (capture.returncode, out))
        check(not grows, "memory grows: %.1f MB in the first third, %.1f MB later" % (first, late))
        received = check_counts(out, zones, given)
        gigabytes = os.path.getsize(trace) / 1e9
        print("the trace: %.2f GB, %d zones, %d messages" % (gigabytes, *received))
        if gigabytes < given.read_below:
            check_trace(trace, received, given)
        print("at most %.1f MB in the first third, %.1f MB later; %d wrong" % (first, late, failures()))
    return failures() != 0


if __name__ == "__main__":
    sys.exit(main())
