#!/usr/bin/env python3
"""`tendril capture -m` and limits of address space: a program sends as fast as it can. What can leave memory is recorded
to its end, however much it is. Where the rest comes near a limit, the session stops, and what arrived is saved and can be
read. The capture's memory never exceeds the limit, not even while it finishes and saves."""
import os
import re
import resource
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from checks import THOROUGH, check, failures
from ports import free_port

BINARY = os.environ["TD_BINARY_DIR"]
TENDRIL = os.path.join(BINARY, "bin", "tendril")
MIB = 1 << 20
LIMIT_MIB = 64
CODE_MIB = 16  # pages of the program's and its libraries' code, which are not data
COUNT = 1000000  # several times what the limit has room for
FLAT_MIB = 100
FLAT = {"zones": ("zones", 8), "strings": ("messages", 1),
        **({"texts": ("zones", 1), "memory": ("memory", 1), "locks": ("lock", 3)} if THOROUGH else {})}
SPACES_MIB = (128, 192, 256, 320) if THOROUGH else (192,)
GROWING = ("leaks", "stacks")  # active allocations and different call stacks stay in memory
SANITIZED = os.environ.get("TD_SANITIZED")  # the sanitizer's memory is added


class Session:
    """One capture of live_flood: exit code, output, peak memory."""

    def __init__(self, folder, kind, options, space_mib=None, count=1000000000):
        port = free_port()
        self.trace = os.path.join(folder, kind + ".tracy")
        env = dict(os.environ, TRACY_PORT=str(port), TENDRIL_WAIT_CONNECT_MS="20000",
                   TENDRIL_EXIT_WAIT_MS="100" if count > COUNT else "100000")
        flood = subprocess.Popen([os.path.join(BINARY, "tests", "live_flood"), kind, str(count)], env=env,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

        def confine():
            if space_mib:
                resource.setrlimit(resource.RLIMIT_AS, (space_mib * MIB, space_mib * MIB))

        capture = subprocess.Popen([TENDRIL, "capture", "-f", "-o", self.trace, "-p", str(port), *options],
                                   preexec_fn=confine, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        watchdog = threading.Timer(200, capture.kill)
        watchdog.start()
        self.out, self.err = capture.stdout.read(), capture.stderr.read().strip()
        _, status, usage = os.wait4(capture.pid, 0)
        capture.returncode = self.code = os.waitstatus_to_exitcode(status)
        watchdog.cancel()
        self.peak_mib = usage.ru_maxrss / 1024
        flood.kill()
        flood.wait()

    def check_saved(self, what, words):
        lines = self.err.splitlines()
        check(self.code == 0, f"{what}: exit code {self.code}: {self.err}")
        check(sum(words in line for line in lines) == 1 and all("stopped" in line or "the file" in line for line in lines),
              f"{what}: {lines}")
        read = subprocess.run([TENDRIL, "info", self.trace], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        check(read.returncode == 0, f"{what}: the trace cannot be read: {read.stdout[-300:]}")
        counts = [int(word.strip(",")) for line in self.out.splitlines()[1:4] for word in line.split() if
                  word.strip(",").isdigit()]
        check(sum(counts) > 1000, f"{what}: hardly anything was saved: {self.out}")


def check_peak(session, kind, limit_mib):
    print(f"{kind}: at most {session.peak_mib:.0f} MiB", flush=True)
    if not SANITIZED:
        check(session.peak_mib <= limit_mib + CODE_MIB, f"{kind}: {session.peak_mib:.0f} MiB at its peak")


def records_what_leaves_memory_to_its_end(folder):
    count = COUNT if not SANITIZED else COUNT // 20
    for kind, (word, each) in FLAT.items():
        session = Session(folder, kind, ["-m", f"{FLAT_MIB}M"], count=count)
        check(session.code == 0 and "stopped" not in session.err, f"{kind}: exit code {session.code}: {session.err}")
        found = re.search(r"^" + word + r" +([0-9]+)" if word != "lock" else r"([0-9]+) lock events", session.out, re.M)
        check(found and int(found.group(1)) == each * count, f"{kind}: {session.out}")
        read = subprocess.run([TENDRIL, "info", session.trace], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        check(read.returncode == 0 and (kind == "locks" or str(each * count) in read.stdout),
              f"{kind}: the trace has {read.stdout[:1000]}")
        check_peak(session, kind, FLAT_MIB)


def stays_below_its_limit(folder):
    for kind in GROWING:
        session = Session(folder, kind, ["-m", f"{LIMIT_MIB}M"])
        session.check_saved(f"{kind} within {LIMIT_MIB} MiB", "its limit (-m)")
        check_peak(session, kind, LIMIT_MIB)


def saves_where_address_space_is_limited(folder):
    if SANITIZED:
        print("skipped: sanitizers need address space without limits")
        return
    # Most texts are in memory or in the mapped file when there is no room for more, and each needs a number to be saved.
    for space_mib in SPACES_MIB:
        for kind in ("zones", "strings", "stacks", "memory") if THOROUGH else ("strings",):
            session = Session(folder, kind, [], space_mib=space_mib)
            session.check_saved(f"{kind} within {space_mib} MiB of address space", "ulimit")


def refuses_what_is_no_limit(folder):
    for text in ("0", "1000", "x", "5MB", "-3", "", "0M", "99999999999999999999"):
        done = subprocess.run([TENDRIL, "capture", "-o", os.path.join(folder, "none.tracy"), "-m", text],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=100)
        check(done.returncode == 2 and len(done.stderr.strip().splitlines()) == 1 and " -m" in done.stderr,
              f"-m '{text}': {done.returncode} {done.stderr}")


def main():
    with tempfile.TemporaryDirectory(prefix="tendril-test-") as folder:
        refuses_what_is_no_limit(folder)
        records_what_leaves_memory_to_its_end(folder)
        stays_below_its_limit(folder)
        saves_where_address_space_is_limited(folder)
    return failures() != 0


sys.exit(main())
