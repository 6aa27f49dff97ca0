#!/usr/bin/env python3
"""What a recording keeps in memory is bounded by `-m`, and flat below the bound: `capture -m` of a program with zones,
texts, messages, plots, locks and allocations, and of four times as much, has a peak of resident memory below the
limit, about the same both times, and the trace has all of it. Where the disk takes no more, the recording ends with
one line and is saved."""
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time

from kit import LOAD, TENDRIL, check_zones, info
from checks import THOROUGH, check, failures
from ports import free_port

LIMIT_MIB = 160
FACTOR, SLACK_MIB = 1.25, 16  # of the peak with more events
ZONES = (1600 if os.environ.get("TD_SANITIZED") else 12000 if THOROUGH else 4000) * 256
BATCH = 256
FILE_MIB = 24


def peak_mib(process):
    """The most that was ever resident, files that are mapped included. 0: the process has ended."""
    try:
        with open("/proc/%d/status" % process.pid, encoding="utf-8") as f:
            return next((int(line.split()[1]) / 1024 for line in f if line.startswith("VmHWM")), 0)
    except OSError:
        return 0


def record(folder, zones):
    """Returns the peak of resident memory."""
    port, trace, peak = free_port(), os.path.join(folder, "%d.tracy" % zones), 0
    env = dict(os.environ, TRACY_PORT=str(port), TENDRIL_WAIT_CONNECT_MS="20000", TENDRIL_EXIT_WAIT_MS="20000")
    with subprocess.Popen([TENDRIL, "capture", "-o", trace, "-p", str(port), "-m", "%dM" % LIMIT_MIB],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True) as capture:
        with subprocess.Popen([LOAD, "2", str(zones)], env=env, stdout=subprocess.DEVNULL) as program:
            while capture.poll() is None:
                peak = max(peak, peak_mib(capture))
                time.sleep(.01)
            out = capture.communicate()[0]
            program.kill()
    check(capture.returncode == 0 and "stopped" not in out, "%d zones: %s %s" % (zones, capture.returncode, out))
    code, checked, threads = check_zones(trace, timeout=600)
    check(code == 0 and [t["zones"] for t in threads] == [zones] * 2, "%d zones: %s" % (zones, checked[-300:]))
    about = info(trace) or {}
    check(about.get("messages") == 2 * zones // BATCH, "%d zones: messages %s" % (zones, about.get("messages")))
    return peak


def confine_files():
    """No file may be larger: what stands for a full disk here, with the error EFBIG instead of ENOSPC."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_MIB << 20, FILE_MIB << 20))


def ends_where_the_disk_is_full(folder):
    port, trace = free_port(), os.path.join(folder, "full.tracy")
    env = dict(os.environ, TRACY_PORT=str(port), TENDRIL_WAIT_CONNECT_MS="20000", TENDRIL_EXIT_WAIT_MS="100")
    with subprocess.Popen([LOAD, "2", "1000000000", "100"], env=env, stdout=subprocess.DEVNULL) as program:
        done = subprocess.run([TENDRIL, "capture", "--no-journal", "-o", trace, "-p", str(port)], preexec_fn=confine_files,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True, timeout=300, check=False)
        program.kill()
    lines = done.stderr.strip().splitlines()
    check(done.returncode == 0 and len(lines) == 1 and "stopped, because the disk of '%s'" % folder in lines[0],
          "full disk: %s %s" % (done.returncode, lines))
    code, checked, threads = check_zones(trace)
    check(code == 0 and len(threads) == 2 and all(t["zones"] > 100000 for t in threads), "full disk: %s" % checked[-300:])


def main():
    with tempfile.TemporaryDirectory(prefix="tendril-flat-", dir=os.getcwd()) as folder:
        ends_where_the_disk_is_full(folder)
        few, many = record(folder, ZONES), record(folder, 4 * ZONES)
    print("at most %.1f MB resident, with four times as many events %.1f MB" % (few, many))
    check(few <= LIMIT_MIB or os.environ.get("TD_SANITIZED"), "%.1f MB are more than the limit" % few)
    check(many <= FACTOR * few + SLACK_MIB, "%.1f MB, with four times as many events %.1f MB" % (few, many))
    check(many <= LIMIT_MIB or os.environ.get("TD_SANITIZED"), "%.1f MB are more than the limit" % many)
    return failures() != 0


if __name__ == "__main__":
    sys.exit(main())
