#!/usr/bin/env python3
"""Every call that may fail, failed once and from then on: memory, files, sockets, threads. Whatever fails, a command ends,
without a crash; it leaves no file that is half or is not its own; it says in one line what is wrong, or has done all.

Usage: test_nth.py [--all] [--seed S] [--runs N] [--kinds KIND,...] [SCENARIO ...]
Without --all, N calls (default 3) of each scenario are chosen by the seed. Prints how many calls of each kind each scenario
makes, the first of each kind of fault that was found, and how many calls have failed."""
import argparse
import collections
import errno
import os
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.join(os.environ["TD_SOURCE_DIR"], "tests"))
from checks import check, failures  # noqa: E402
from ports import free_port  # noqa: E402
from scenarios import SCENARIOS  # noqa: E402

SOURCE, BINARY = os.environ["TD_SOURCE_DIR"], os.environ["TD_BINARY_DIR"]
TENDRIL = os.path.join(BINARY, "bin", "tendril")
LIBRARY = os.path.join(BINARY, "tests", "failing_calls.so")
PATIENCE = 60  # seconds
SHORT = 0
# In the order of the library.
KINDS = ("memory", "open", "read", "write", "sync", "rename", "socket", "thread", "descriptor", "wait", "other")
# Kind: errors, each with how often it comes: once, for ever (0), every other time (-1).
WAYS = {
    "memory": ((errno.ENOMEM, 1), (errno.ENOMEM, 0)),
    "open": ((errno.EMFILE, 1), (errno.EMFILE, 0), (errno.EACCES, 1)),
    "read": ((errno.EIO, 1), (errno.EIO, 0), (SHORT, 1), (SHORT, 0), (errno.EINTR, -1)),
    "write": ((errno.ENOSPC, 1), (errno.ENOSPC, 0), (errno.EIO, 1), (SHORT, 1), (SHORT, 0), (errno.EINTR, -1)),
    "sync": ((errno.EIO, 1), (errno.EIO, 0)),
    "rename": ((errno.EIO, 1), (errno.ENOSPC, 0)),
    "socket": ((errno.EMFILE, 1), (errno.EMFILE, 0)),
    "thread": ((errno.EAGAIN, 1), (errno.EAGAIN, 0)),
    "descriptor": ((errno.EMFILE, 1), (errno.EMFILE, 0)),
    "wait": ((errno.EINTR, 1), (errno.EINTR, -1)),
    "other": ((errno.EIO, 1), (errno.EIO, 0)),
}
DATE = re.compile(r"\d{4}(_\d\d){5}")  # in names of reports
HARMLESS = (SHORT, errno.EINTR)  # nothing is lost by these


lock = threading.Lock()
told = collections.Counter()  # (what is wrong, where the call was): how often


class Folder:
    """The folders of one run, and what a scenario's words stand for."""

    def __init__(self, inputs):
        self.root = tempfile.mkdtemp(prefix="nth-")
        self.out, self.tmp, self.tmp2 = (os.path.join(self.root, name) for name in ("out", "tmp", "tmp2"))
        for path in self.out, self.tmp, self.tmp2:
            os.mkdir(path)
        self.places = {"data": os.path.join(SOURCE, "tests/data"), "build": BINARY, "in": inputs, "out": self.out,
                       "tmp2": self.tmp2, "port": str(free_port())}
        self.state, self.where = os.path.join(self.root, "state"), os.path.join(self.root, "where")

    def command(self, words):
        words = [word.format(**self.places) for word in words]
        return words if words[0].startswith("/") else [TENDRIL, *words]

    def environment(self, **more):
        names = {name: value for name, value in os.environ.items() if not name.startswith("TENDRIL_")}
        return dict(names, TMPDIR=self.tmp2, HOME=self.tmp2, XDG_RUNTIME_DIR=self.tmp2, TENDRIL_CONFIG="none",
                    TRACY_PORT=self.places["port"], TENDRIL_WAIT_CONNECT_MS="2000", TENDRIL_EXIT_WAIT_MS="2000", **more)

    def tree(self, top):
        """Relative path: contents, of all files below."""
        found = {}
        for folder, _, names in os.walk(top):
            for name in names:
                path = os.path.join(folder, name)
                with open(path, "rb") as f:
                    found[DATE.sub("DATE", os.path.relpath(path, top))] = f.read()
        return found


class Result:
    """What a run has done."""

    def __init__(self, scenario, fault, inputs, tells_place=False):
        self.folder = folder = Folder(inputs)
        name, error, first, count = fault
        environment = folder.environment(LD_PRELOAD=LIBRARY, TD_FAULT="%s:%d:%d:%d" % (name, error, first, count),
                                         TD_FAULT_STATE=folder.state, TD_FAULT_WHERE=folder.where,
                                         TD_FAULT_PROGRAM=scenario.program)
        environment.update({key: value.format(**folder.places) for key, value in scenario.variables}, TMPDIR=folder.tmp)
        if scenario.source:
            environment["TD_FAULT_FROM"] = scenario.source
        for name in scenario.copies:
            shutil.copy(os.path.join(inputs, name), folder.tmp2)
        others = []
        try:
            if scenario.before:
                others.append(self.start(scenario.before))
            running = subprocess.Popen(folder.command(scenario.words), env=environment, stdin=subprocess.DEVNULL, cwd=folder.tmp2,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
            others += [self.start(words) for words in scenario.beside]
            if scenario.waits:
                self.interrupt_after(running, others)
            try:
                self.stdout, self.stderr = running.communicate(timeout=PATIENCE)
                self.status = running.returncode
            except subprocess.TimeoutExpired:
                os.killpg(running.pid, signal.SIGABRT)
                self.stdout, self.stderr = running.communicate()
                self.status = "hangs"
        finally:
            for other in others:
                other.kill()
                other.wait()
        self.out, self.tmp = folder.tree(folder.out), folder.tree(folder.tmp)
        with open(folder.state, "rb") as f:
            self.calls, self.failed, *kinds = struct.unpack("%dI" % (2 + len(KINDS)), f.read())
        found = re.search(scenario.text, self.stdout.decode(errors="replace"), re.DOTALL)
        self.text = found.group() if found else None
        self.kinds = dict(zip(KINDS, kinds))
        self.lines = [line for line in self.stderr.decode(errors="replace").splitlines() if line.strip()]
        self.place = where_it_was(folder.where) if tells_place and self.failed else ""

    def start(self, words):
        return subprocess.Popen(self.folder.command(words), env=self.folder.environment(), stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=self.folder.tmp2)

    @staticmethod
    def interrupt_after(running, peers):
        """When the peers have gone, the one that serves them ends by itself, or is told to."""
        def wait():
            try:
                for peer in peers:
                    peer.wait(PATIENCE)
                running.wait(3)
            except subprocess.TimeoutExpired:
                running.send_signal(signal.SIGINT)
        threading.Thread(target=wait, daemon=True).start()

    def remove(self):
        shutil.rmtree(self.folder.root, ignore_errors=True)


def where_it_was(path):
    """The functions around the first call that failed."""
    places = []
    with open(path, encoding="ascii", errors="replace") as f:
        for line in f:
            found = re.match(r"(.*)\(([^+]*)\+0x([0-9a-f]+)\)", line)
            if "failing_calls" in line and places:
                break
            if not found or "failing_calls" in line or not found.group(1).startswith(BINARY):
                continue
            told = subprocess.run(["addr2line", "-f", "-s", "-e", found.group(1), hex(int(found.group(3), 16) - 1)],
                                  capture_output=True, text=True, check=False).stdout.split()
            places.append(" ".join(told[:2]))
            if len(places) == 6:
                break
    return " < ".join(places)


def is_whole(name, contents):
    """Can what is written under a final name be read to its end?"""
    if contents.startswith(b"\x89PNG"):
        return contents.endswith(b"IEND\xaeB`\x82")
    if contents.startswith(b"%PDF"):
        return contents.rstrip().endswith(b"%%EOF")
    if contents.lstrip().startswith(b"<"):
        return contents.rstrip().endswith((b"</svg>", b"</html>", b"</testsuites>"))
    if name.endswith(".journal"):
        return True
    with tempfile.NamedTemporaryFile(suffix=".tracy") as f:
        f.write(contents)
        f.flush()
        words = ["import", "-q", "-f", "-o", "/dev/null", f.name] if name == "s" else ["info", f.name]
        return subprocess.run([TENDRIL, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=PATIENCE,
                              check=False).returncode in ((0, 1) if name == "s" else (0,))


def files_are_wrong(scenario, reference, result):
    """What is wrong with the files that a run has left, or None."""
    for name, contents in result.out.items():
        is_journal = scenario.journal and name.endswith(".journal") and any(name in line for line in result.lines)
        if name not in reference.out and not is_journal:
            return "leaves %s" % name
        if scenario.fixed and contents != reference.out[name] and not result.lines:
            return "%s differs" % name
        if not (scenario.fixed and contents == reference.out.get(name)) and not is_whole(name, contents):
            return "%s is half" % name
    for name in result.tmp:
        if not any(name in line for line in result.lines):
            return "leaves %s in the folder of temporary files" % name
    return None


def wrong(scenario, reference, fault, result):
    """What is wrong with a run, or None."""
    if result.status == "hangs":
        return "hangs"
    if scenario.silent:
        if result.status != reference.status:
            return "status %s" % result.status
        return files_are_wrong(scenario, reference, result) if scenario.variables else None
    if result.status < 0 or result.status >= 128:
        return "ends by signal %d" % -result.status
    files = files_are_wrong(scenario, reference, result)
    if files:
        return files
    if result.status != reference.status:
        if result.status not in (1, *scenario.statuses):
            return "status %d" % result.status
        if not result.lines:
            return "no line with a cause"
        if len(result.lines) > len(reference.lines) + (4 if scenario.journal else 1):
            return "%d lines" % len(result.lines)
        return "fails" if fault[1] in HARMLESS else None
    if len(result.lines) > len(reference.lines):
        return None
    if scenario.fixed and result.text != reference.text and not (scenario.names_it and scenario.names_it in result.text):
        return "prints something else, and says nothing"
    return "files are missing" if set(result.out) != set(reference.out) else None


def attempt(scenario, reference, fault, inputs):
    """Runs a scenario with a fault. Returns whether the fault came, and what is wrong."""
    result = Result(scenario, fault, inputs)
    bad = None
    if result.failed:
        bad = wrong(scenario, reference, fault, result)
    if bad:
        again = Result(scenario, fault, inputs, True)  # for the place, which in a recording may be another one
        again.remove()
        kind, error, first, count = fault
        with lock:
            told[bad, again.place] += 1
            is_known = told[bad, again.place] > 1
        if not is_known:
            print("found: %s, %s call %d fails %s with %s: %s\n    at %s\n    status %s, %s" %
                  (scenario.name, kind, first, {1: "once", 0: "and all after it", -1: "and every other one"}[count],
                   errno.errorcode.get(error, "half"), bad, again.place, result.status, result.lines[:4]), flush=True)
    result.remove()
    return result.failed, bad


def setup(folder):
    """The inputs that commands make themselves."""
    def run(*words):
        subprocess.run([TENDRIL, *words], check=True, stderr=subprocess.DEVNULL, timeout=PATIENCE)
    data = os.path.join(SOURCE, "tests/data")
    run("import", "-q", "-o", os.path.join(folder, "device.tracy"), os.path.join(data, "tt/profile_log_device.wh_13col.csv"))
    run("import", "-q", "-o", os.path.join(folder, "sampled.tracy"), os.path.join(data, "session/0.14.0/features.stream"))
    # A recording whose trace cannot be written leaves its journal.
    left = Result(next(s for s in SCENARIOS if s.name == "capture"), ("rename", errno.EIO, 1, 0), folder)
    shutil.copy(os.path.join(left.folder.out, "t.tracy.journal"), os.path.join(folder, "left.journal"))
    left.remove()


def spread(chance, faults, count):
    """So many faults, of as many kinds of calls as there are: most calls are for memory."""
    by_kind = collections.defaultdict(list)
    for fault in faults:
        by_kind[fault[2][0]].append(fault)
    kinds = sorted(by_kind)
    chance.shuffle(kinds)
    return [chance.choice(by_kind[kinds[i % len(kinds)]]) for i in range(count if kinds else 0)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("scenarios", nargs="*")
    args = parser.parse_args()
    chance = random.Random(args.seed)
    chosen = [s for s in SCENARIOS if not args.scenarios or s.name in args.scenarios]
    with tempfile.TemporaryDirectory(prefix="nth-in-") as inputs:
        setup(inputs)
        jobs, possible = [], 0
        with ThreadPoolExecutor(2) as pool:
            references = list(pool.map(lambda scenario: Result(scenario, ("none", 0, 0, 1), inputs), chosen))
        for scenario, reference in zip(chosen, references):
            reference.remove()
            check(scenario.silent or reference.status == scenario.ends, "%s: status %s, %s" % (scenario.name, reference.status, reference.lines))
            print("%-20s %s" % (scenario.name, ", ".join("%d %s" % (n, kind) for kind, n in reference.kinds.items() if n)), flush=True)
            every = [(scenario, reference, (kind, error, first, count), inputs)
                     for kind, n in reference.kinds.items() if kind not in scenario.never and kind in args.kinds.split(",")
                     for error, count in WAYS[kind] for first in range(1, n + 1)]
            possible += len(every)
            jobs += every if args.all else spread(chance, every, args.runs)
        print("%d faults are possible" % possible, flush=True)
        with ThreadPoolExecutor(2) as pool:
            results = list(pool.map(lambda job: attempt(*job), jobs))
    found = sum(bad is not None for _, bad in results)
    print("seed %d: %d of %d faults came, %d were handled wrongly in %d ways" %
          (args.seed, sum(came > 0 for came, _ in results), len(jobs), found, len(told)))
    return found + failures() != 0


if __name__ == "__main__":
    sys.exit(main())
