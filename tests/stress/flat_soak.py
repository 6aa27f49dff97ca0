#!/usr/bin/env python3
"""Soak: `tendril capture -m 200M` of a program that marks all the time, without --keep. Prints each minute how much has
arrived and what the capture needs: resident memory, anonymous and of mapped files, and its temporary file. Then the trace
is written, and the numbers of zones and messages are compared with what the program has marked; a trace below 1 GB is read,
too. Fails if resident memory ever exceeds the limit, if it grows after the first third, or if anything is missing.

Usage: TD_BINARY_DIR=build tests/stress/flat_soak.py [--minutes M] [--limit MB] [--pause MICROSECONDS] [--texts N]
       [--folder FOLDER] [--journal] [--read-below GB]
--pause, --texts: what each of the program's two threads waits after a batch of 256 zones, a point, a lock and an allocation,
and how many messages of 200 characters without a pattern it sends with it. --minutes 60 --pause 4000 --texts 50, on two busy
processors: 344 million zones and 68 million messages, 17.6 GB in the temporary file, a trace of 3.1 GB. Tracy's format holds
16.7 million texts; the summary says how many are left out. The folder needs room for the temporary file and the trace.
"""
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

from kit import TENDRIL, resident_mib
from checks import check, failures
from soak import arguments, end, follow, start, stop, unnamed_mib, zones_begun

BATCH = 256


def memory_of(pid):
    return {kind: resident_mib(pid, kind) for kind in ("VmRSS", "RssAnon", "RssFile", "RssShmem")}


def describe(memory):
    return "%6.1f MB resident (%.1f anonymous, %.1f of files)" % (memory["VmRSS"], memory["RssAnon"], memory["RssFile"])


def watch(capture, counts, given):
    """Follows the capture. Returns the most that was resident in each quarter of a minute."""
    def measure():
        memory = memory_of(capture.pid)
        check(memory["VmRSS"] <= given.limit, describe(memory))
        return memory["VmRSS"]

    def tell(minute):
        print("%3d min  %11d zones; %s, %7.1f MB in the temporary file" %
              (minute, zones_begun(counts), describe(memory_of(capture.pid)), unnamed_mib(capture.pid)), flush=True)

    return follow(capture, given.minutes, measure, tell)


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
    given = arguments(texts=40, folder=".", read_below=1.0, journal=False)
    with tempfile.TemporaryDirectory(prefix="tendril-soak-", dir=given.folder) as folder:
        program, capture, counts = start(folder, given, *([] if given.journal else ["--no-journal"]),
                                         STRESS_TEXTS=str(given.texts))
        try:
            seen = watch(capture, counts, given)
            early, zones = capture.poll() is not None, zones_begun(counts)
            capture.send_signal(signal.SIGINT)
            finish(capture, given)
            out = capture.communicate()[0]
        finally:
            stop(program, capture)
        end(program, capture, out, early, seen)
        print(out.strip())
        received, trace = check_counts(out, zones, given), os.path.join(folder, "t.tracy")
        gigabytes = os.path.getsize(trace) / 1e9
        print("the trace: %.2f GB, %d zones, %d messages" % (gigabytes, *received))
        if gigabytes < given.read_below:
            check_trace(trace, received, given)
        print("%d wrong" % failures())
    return failures() != 0


if __name__ == "__main__":
    sys.exit(main())
