#!/usr/bin/env python3
"""Sessions that break at random moments, round after round: every zone that a program has begun arrives, or is reported as lost.
Rounds about hostile files and peers count entries, ELFs or requests instead of zones.

Usage: faults.py [--minutes M] [--seed S] [--keep FOLDER] [ROUND ...]
Without --minutes each round runs once. Prints a line for each round, and a table at the end: zones that programs sent, that
arrived, that a tool or a program reported as lost, and the difference, which must be 0. A round that fails keeps its folder
in FOLDER. Some rounds need root (small file systems); others say so and are skipped.
"""
import argparse
import collections
import json
import os
import random
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "../tools"), os.path.join(HERE, "..")]
import bombs
import run
from run import BATCH, BINARY, Load, parse, tool
from unchanged import unchanged

TENDRIL = os.path.join(BINARY, "bin", "tendril")
LOCAL_OPTIONS, FEATURES = (os.path.join(HERE, "..", name) for name in ("data/local-options.txt",
                                                                      "data/trace/0.11.1/features.tracy"))
SECONDS = 300  # no session takes so long: it hangs
PROGRAM_MIB = 32  # of a recorder's own pages and libraries, which -m does not count


class Wrong(Exception):
    """An expectation of a round that failed."""


class Skipped(Exception):
    """Why a round cannot run here."""


class Tally:
    """Zones: `sent` by programs, `arrived` in a trace, `counted` as lost by a program or a tool."""

    def __init__(self, sent=0, arrived=0, counted=0, note=""):
        self.sent, self.arrived, self.counted, self.note = sent, arrived, counted, note


def need(condition, text):
    if not condition:
        raise Wrong(text)


def bytes_of(path):
    return os.path.getsize(path) if path and os.path.exists(path) else 0


def finish(running, grows=None):
    """Exit status and standard error of a process that must end by itself. `grows`: a file that it writes; it may take longer
    than SECONDS as long as that has become larger."""
    before = bytes_of(grows)
    while True:
        try:
            out, err = running.communicate(timeout=SECONDS)
            break
        except subprocess.TimeoutExpired as late:
            if bytes_of(grows) > before:
                before = bytes_of(grows)
                continue
            running.kill()
            out, err = running.communicate()
            raise Wrong("'%s' does not end: %s" % (" ".join(map(str, running.args)), err)) from late
    need(running.returncode >= 0, "'%s' was ended by signal %d" % (" ".join(map(str, running.args)), -running.returncode))
    return running.returncode, out, err


def start(command, **options):
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            universal_newlines=True, **options)


def tendril(*arguments, **options):
    return start([TENDRIL, *arguments], **options)


def info(trace):
    status, out, err = finish(tendril("info", "--json", trace))
    need(status == 0, "info of %s: %s" % (trace, err))
    try:
        return unchanged(json.loads(out))
    except AssertionError as changed:
        raise Wrong("%s: %s" % (trace, changed)) from changed


def session_of(trace):
    """The result of stress_check on a trace of stress_load: zones without gaps, in their order, all with names."""
    status, out, err = finish(start([tool("stress_check"), trace]))
    sessions = parse(out)
    need(status == 0 and len(sessions) == 1, "stress_check of %s: %s%s" % (trace, out[-400:], err))
    return sessions[0]


def zones_of(session):
    return sum(thread.get("zones", 0) for thread in session["threads"].values())


def small_disk(folder, size):
    """Mounts a small file system; leave() unmounts it."""
    if os.geteuid():
        raise Skipped("mounting needs root")
    os.mkdir(folder)
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=%d" % size, "tmpfs", folder], stderr=subprocess.PIPE,
                          universal_newlines=True, check=False)
    if done.returncode:
        raise Skipped(done.stderr.strip())


def leave(folder):
    if os.path.ismount(folder):
        subprocess.run(["umount", "-l", folder], check=False)


def all_arrived(load, session):
    """A trace of a whole session: every thread from its first zone to its last."""
    before = run.bad
    run.check_all(load, session, lossless_names=False)
    need(run.bad == before, "zones are missing: %s" % session)
    return zones_of(session)


# ---- the output

def broken_output(chance, folder):
    """The file system of the output fills up, or the output's folder vanishes, while a capture runs."""
    way = chance.choice(("full", "gone", "read-only"))
    disk, spare = os.path.join(folder, "disk"), os.path.join(folder, "spare")
    os.mkdir(spare)
    if way == "gone":
        os.mkdir(disk)
    else:
        small_disk(disk, 256 << 10)
    try:
        load = Load(chance.randint(1, 8), chance.randint(50, 400) * BATCH, TENDRIL_WAIT_CONNECT_MS="20000")
        running = tendril("capture", "-o", os.path.join(disk, "x.tracy"), "-p", str(load.port),
                          env=dict(os.environ, TMPDIR=spare))
        while not os.listdir(disk) and running.poll() is None:  # before, it fails at once, with nothing to save
            time.sleep(.01)
        time.sleep(chance.random() * 2)
        if way == "full":
            subprocess.run("cat /dev/zero > '%s/filler'" % disk, shell=True, stderr=subprocess.DEVNULL, check=False)
        elif way == "gone":
            os.rename(disk, disk + ".away")
        else:
            subprocess.run(["mount", "-o", "remount,ro", disk], check=False)
        status, _, err = finish(running)
        load.finish()
        place = os.path.join(disk + ".away" if way == "gone" else disk, "x.tracy")
        if not (status == 0 and os.path.exists(place)):  # the capture may have ended before the fault
            need(status != 0, "exit 0 without a trace: " + err)
            found = [word.strip("'\",;:()") for word in err.split() if word.strip("'\",;:()").startswith(spare)]
            need(len(found) == 1 and os.path.exists(found[0]), "no other place for the session: " + err)
            place = found[0]
        arrived = all_arrived(load, session_of(place))
    finally:
        leave(disk)
    return Tally(load.threads * load.zones, arrived, 0, "%s, exit %d" % (way, status))


# ---- names

def flood(chance, folder):
    """A program that marks at full speed, for longer than its recorder listens: every zone that arrived has its name."""
    threads = chance.randint(1, 4)
    load = Load(threads, 40000000, TENDRIL_WAIT_CONNECT_MS="20000")
    trace = os.path.join(folder, "x.tracy")
    status, _, err = finish(tendril("capture", "-o", trace, "-p", str(load.port), "-s", str(chance.randint(1, 6))))
    load.process.kill()
    load.process.wait()
    need(status == 0, "exit %d: %s" % (status, err))
    session = session_of(trace)
    unknown = [n for n in info(trace)["names"] if n["name"].startswith("???")]
    need(not unknown, "zones without names: %s" % unknown)
    arrived = zones_of(session)
    for number, thread in session["threads"].items():
        need(thread.get("first", 0) == 0, "thread %d begins with zone %s" % (number, thread))
    return Tally(arrived, arrived, 0, "%d threads, %.1f million zones" % (threads, arrived / 1e6))


# ---- odd shapes

def odd(mode, count, folder):
    trace = os.path.join(folder, "x.tracy")
    port = run.free_port()
    program = start([tool("stress_odd"), mode, str(count)],
                    env=dict(os.environ, TRACY_PORT=str(port), TRACY_NO_EXIT="1"))
    status, _, err = finish(tendril("capture", "-o", trace, "-p", str(port)))
    need(status == 0, "exit %d: %s" % (status, err))
    need(finish(program)[0] == 0, "the program failed")
    return trace, err


def deep(chance, folder):
    """Nested zones that a program begins and never ends."""
    count = int(10 ** chance.uniform(3, 6))
    trace, _ = odd("deep", count, folder)
    facts = info(trace)
    return Tally(count, facts["zones"], 0, "%d deep" % count)


def fibers(chance, folder):
    """About as many fibers as a trace file can hold, and more."""
    count = chance.randint(64000, 70000)
    trace, err = odd("fibers", count, folder)
    lost = re.search(r"(\d+) zones", err)
    return Tally(count, info(trace)["zones"], int(lost.group(1)) if lost else 0, "%d fibers" % count)


# ---- sessions in files

def saved(chance, folder):
    """A program that saves its own session is killed, or its disk fills up."""
    way = chance.choice(("killed", "full"))
    disk = os.path.join(folder, "disk")
    if way == "full":
        small_disk(disk, chance.randint(100 << 10, 20 << 20))
    else:
        os.mkdir(disk)
    try:
        stream, trace, counts = (os.path.join(folder, name) for name in ("disk/x.stream", "x.tracy", "counts"))
        load = Load(chance.randint(1, 4), 400000000, chance.choice((0, 100)), TENDRIL_SAVE=stream, STRESS_COUNT=counts)
        while not os.path.exists(counts):
            time.sleep(.01)
        time.sleep(chance.random() * 3)
        load.process.kill()
        load.process.wait()
        with open(counts, "rb") as f:
            sent = sum(struct.unpack("64Q", f.read()))
        status, _, err = finish(tendril("import", "-o", trace, stream))
        if status == 1 and "the file is empty" in err:  # killed before anything was written
            return Tally(sent, 0, sent, way)
        need(status == 0, "import: exit %d: %s" % (status, err))
        session = session_of(trace)
    finally:
        leave(disk)
    arrived = zones_of(session)
    need(arrived <= sent, "%d zones arrived of %d" % (arrived, sent))
    need(all(t.get("first", 0) == 0 for t in session["threads"].values()), "a thread's first zones are missing")
    unknown = [n for n in info(trace)["names"] if n["name"].startswith("???")]
    need(not unknown, "zones without names: %s" % unknown)
    need("break" in err or "end" in err or "cut" in err, "the end is missing without a word: " + err)
    return Tally(sent, arrived, sent - arrived, way)


# ---- forbidden system calls

def denied(chance, folder):
    """A program that may not make some system calls, among them the one for safe copies of memory."""
    calls = ["process_vm_readv", "sysinfo"] + chance.sample(("perf_event_open", "memfd_create", "madvise", "mincore",
                                                             "getrandom", "membarrier", "readlinkat"), 3)
    if os.environ.get("TD_SANITIZED"):
        raise Skipped("sanitizers need some of the calls")
    load = Load(chance.randint(1, 8), chance.randint(1, 400) * BATCH, TENDRIL_WAIT_CONNECT_MS="20000",
                LD_PRELOAD=tool("client_denied.so"), TD_DENIED=",".join(calls))
    trace = os.path.join(folder, "x.tracy")
    status, _, err = finish(tendril("capture", "-o", trace, "-p", str(load.port)))
    load.finish()
    need(status == 0 and not err, "without %s: exit %d: %s" % (", ".join(calls), status, err))
    return Tally(load.threads * load.zones, all_arrived(load, session_of(trace)), 0, " ".join(calls))


# ---- memory

def little_memory(chance, folder):
    """A program marks at full speed, and its recorder may take little memory: with -m it stays below that and continues; with
    little address space it ends early and says so. What arrived is saved."""
    load = Load(chance.randint(1, 4), 400000000, TENDRIL_WAIT_CONNECT_MS="20000")
    trace = os.path.join(folder, "x.tracy")
    command = [TENDRIL, "capture", "-o", trace, "-p", str(load.port)]
    way = chance.choice(("-m", "ulimit"))
    try:
        if way == "-m":
            limit = chance.randint(64, 200)
            status, err, _, resident = bombs.run_and_measure(command + ["-m", "%dM" % limit, "-s", str(chance.randint(1, 4))],
                                                             timeout=SECONDS)
            need(status == 0 and "memory" not in err, "-m %dM: exit %d: %s" % (limit, status, err))
            need(resident >> 20 <= limit + PROGRAM_MIB, "-m %dM: %d MiB resident" % (limit, resident >> 20))
            way = "-m %dM, %d MiB resident" % (limit, resident >> 20)
        else:
            command = ["sh", "-c", 'ulimit -v %d; exec "$@"' % chance.randint(256 << 10, 600 << 10), "sh"] + command
            # On a busy machine it takes minutes until as many zones are there as the memory has room for.
            status, _, err = finish(start(command), grows=trace + ".journal")
            need(status == 0 and "stopped" in err, "exit %d: %s" % (status, err))
    finally:
        load.process.kill()
        load.process.wait()
    session = session_of(trace)
    need(all(t.get("first", 0) == 0 for t in session["threads"].values()), "a thread's first zones are missing")
    arrived = zones_of(session)
    need(arrived > 1000, "hardly a zone arrived")
    return Tally(arrived, arrived, 0, way)


# ---- boards

def hung_kernels(chance, _):
    """A hanging kernel is left on a board. The next recording there is complete or counts its losses."""
    way = chance.choice(("shm", "probe"))
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "test_again.py")
    environment = dict(os.environ, TD_BINARY_DIR=BINARY, TD_SOURCE_DIR=os.path.abspath(os.path.join(script, "../../..")))
    if not os.path.exists(tool("stress_again")):
        raise Skipped("kernels are not built")
    status, out, err = finish(start([sys.executable, script, "--tries", "5", "--over", way, "--seed",
                                     str(chance.randrange(1 << 30))], env=environment))
    told = re.search(r"5 tries.*: (\d+) zones arrived, (\d+) lost", out)
    need(status == 0 and told, "%s%s" % (out, err))
    arrived, lost = int(told.group(1)), int(told.group(2))
    return Tally(arrived + lost, arrived, lost, way)


# ---- what others have put there

def planted(chance, folder):
    """A tendril.conf of the working folder, of any owner and mode, with options of all commands: those that may do more than
    choose how results look have no effect, and each entry is taken or listed as refused."""
    with open(LOCAL_OPTIONS, encoding="ascii") as f:
        known = [line.split() for line in f]
    sent = taken = refused = 0
    for _ in range(20):
        work = tempfile.mkdtemp(dir=folder)
        command = chance.choice(sorted({line[0] for line in known} - {"help", "completion", "commands", "sim", "view"}))
        rows = [line for line in known if line[0] == command]
        rows = chance.sample(rows, chance.randint(1, len(rows)))
        values = {"flag": "yes", "number": "7", "text": "7", "texts": "7", "choice": "none", "areas": "all"}
        rows = [line for line in rows if line[2] != "choice" or line[4] == "no"]
        path = os.path.join(work, "tendril.conf")
        with open(path, "w", encoding="ascii") as f:
            f.write("[%s]\n" % chance.choice((command, "all")) +
                    "".join("%s = %s\n" % (line[1], values[line[2]]) for line in rows))
        modes = chance.choice((0o755, 0o700, 0o775, 0o1777, 0o757)), chance.choice((0o644, 0o600, 0o664, 0o646))
        os.chmod(path, modes[1])
        is_ours = True
        if os.geteuid() == 0 and chance.random() < .3:
            os.chown(chance.choice((path, work)), 65534, 65534)
            is_ours = False
        os.chmod(work, modes[0])
        is_read = is_ours and not (modes[0] | modes[1]) & 0o022
        status, out, err = finish(tendril(command, "--print-config", cwd=work, env=dict(os.environ, TENDRIL_CONFIG="",
                                                                                         XDG_CONFIG_HOME=folder)))
        need(status == 0 and err.count("\n") == (not is_read), "%s: exit %d: %s" % (command, status, err))
        for line in rows:
            was_taken = re.search("^%s = .*; tendril.conf:" % line[1], out, re.M) is not None
            was_refused = re.search("^; refused: %s = " % line[1], out, re.M) is not None
            need(was_taken == (is_read and line[4] == "yes"), "%s, modes %o %o: %s" % (line, *modes, out))
            need(not is_read or was_taken or was_refused, "%s is neither taken nor refused: %s" % (line, out))
            sent, taken, refused = sent + 1, taken + was_taken, refused + (not was_taken)
    return Tally(sent, taken, refused, "entries of 20 files")


def bomb(chance, folder):
    """A journal, or an agent, that packs much into little: what its ELFs and source files take is bounded by -m, and what is
    left out is said. Counted in ELFs."""
    limit, wanted = chance.choice((64, 100, 300)) << 20, chance.randint(1, 3000)
    way = chance.choice(("recover", "agent"))
    journal, total = bombs.Journal(), 0
    for number in range(wanted):
        zeros = int(chance.choice((0, 100, 10 ** chance.uniform(2, 8))))
        if total + zeros > 2000 << 20:
            zeros = 0
        total += zeros
        journal.elf(chance.randrange(6), number + 1, zeros)
    for number in range(chance.randint(0, 50) if way == "recover" else 0):
        journal.record(bombs.FILE, 0, b"\1f%d.c" % number)
        journal.many(bombs.FILE_TEXT, 0, int(10 ** chance.uniform(0, 7.5)))
    trace = os.path.join(folder, "x.tracy")
    if way == "recover":
        path = os.path.join(folder, "x.journal")
        with open(path, "wb") as f:
            f.write(journal.bytes())
        words = ["recover", path]
    else:
        agent = bombs.Agent(journal)
        words = ["record", "-q", "--no-journal", "-b", "none", "--agent", agent.at]
    status, err, elfs, resident = bombs.run_and_measure(
        [TENDRIL, *words, "-m", "%dM" % (limit >> 20), "-o", trace] + (["--", "true"] if way == "agent" else []))
    need(status in (0, 1), "exit %d: %s" % (status, err))
    need(elfs <= limit // 8 + (1 << 20), "%d bytes of ELFs with -m %d: %s" % (elfs, limit, err))
    need(resident <= 2 * limit, "%d bytes resident with -m %d" % (resident, limit))
    left = re.search(r"(\d+) ELFs of kernels", err)
    return Tally(wanted, wanted - int(left.group(1)) if left else wanted, int(left.group(1)) if left else 0,
                 "%s, %d MB in %d KB, -m %d: %.1f MB of ELFs, %d MB resident"
                 % (way, total >> 20, len(journal.data) >> 10, limit >> 20, elfs / (1 << 20), resident >> 20))


def any_bytes(chance, folder):
    """Requests with any bytes to a viewer without a window: each gets one reply, which is JSON in UTF-8."""
    if "view" not in finish(tendril("commands"))[1].split():
        raise Skipped("there is no viewer")
    path, count = os.path.join(folder, "socket"), 200
    env = dict(os.environ, XDG_DATA_HOME=folder, XDG_CONFIG_HOME=folder, XDG_STATE_HOME=folder)
    viewer = start([TENDRIL, "view", "--offscreen", "--listen", path, FEATURES], env=env)
    until = time.monotonic() + SECONDS
    while not os.path.exists(path) and viewer.poll() is None and time.monotonic() < until:
        time.sleep(.05)
    if viewer.poll() is not None:
        raise Skipped(viewer.stderr.read().strip())
    try:
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(SECONDS)
        connection.connect(path)
        replies = connection.makefile("rb")
        for number in range(count):
            text = bytes(chance.choice((chance.randrange(256), 0x61, 0xC3, 0xA4, 0xED, 0x80, 0xF0, 0x9F, 0x22, 0x5C))
                         for _ in range(chance.randrange(12))).replace(b"\n", b"")
            line = chance.choice((b'{"command":"find","arguments":["%s"],"id":%d}' % (text, number),
                                  b'{"command":"fit","id":"%s"}' % text, b'{"command":"%s","id":"%s"}' % (text, text),
                                  b'{"command":"state","id":"%s"}' % text, text or b"x"))
            connection.sendall(line + b"\n")
            reply = replies.readline()
            try:
                need(isinstance(json.loads(reply.decode("utf-8"))["ok"], bool), "no reply to %r: %r" % (line, reply))
            except ValueError as error:
                raise Wrong("the reply to %r is no JSON: %r" % (line, reply)) from error
        connection.sendall(b'{"command":"quit"}\n')
        viewer.wait(SECONDS)
        for root, _, names in os.walk(folder):
            for name in names:
                if name.endswith(".json"):
                    with open(os.path.join(root, name), encoding="utf-8") as f:
                        json.load(f)
    finally:
        viewer.kill()
        viewer.communicate()
    return Tally(count, count, 0, "requests")


ROUNDS = (broken_output, flood, deep, fibers, saved, denied, little_memory, hung_kernels, planted, bomb, any_bytes)


def attempt(one, chance, keep):
    """Runs one round in a new folder. Returns its tally, or None if it was skipped or failed."""
    folder = tempfile.mkdtemp(prefix="tendril-faults-")
    began, state = time.monotonic(), chance.getstate()
    try:
        tally = one(chance, folder)
        need(tally.sent == tally.arrived + tally.counted,
             "%d sent, %d arrived, %d counted" % (tally.sent, tally.arrived, tally.counted))
        print("%-14s %6.1f s  %10d sent = %10d arrived + %10d counted  %s"
              % (one.__name__, time.monotonic() - began, tally.sent, tally.arrived, tally.counted, tally.note), flush=True)
        return tally
    except Skipped as why:
        print("%-14s skipped: %s" % (one.__name__, why), flush=True)
    except Wrong as why:
        run.wrong("%s: %s" % (one.__name__, why))
        if keep:
            shutil.copytree(folder, os.path.join(keep, "%s-%d" % (one.__name__, run.bad)), ignore_dangling_symlinks=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=0)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--keep")
    parser.add_argument("rounds", nargs="*", choices=[[], *(r.__name__ for r in ROUNDS)])
    args = parser.parse_args()
    rounds = [r for r in ROUNDS if not args.rounds or r.__name__ in args.rounds]
    chance, totals = random.Random(args.seed), collections.defaultdict(lambda: [0, 0, 0, 0])
    print("seed %d" % args.seed, flush=True)
    until = time.monotonic() + 60 * args.minutes
    first = True
    while first or time.monotonic() < until:
        first = False
        for one in chance.sample(rounds, len(rounds)):
            tally = attempt(one, chance, args.keep)
            if tally:
                for i, n in enumerate((1, tally.sent, tally.arrived, tally.counted)):
                    totals[one.__name__][i] += n
    for name, (times, sent, arrived, counted) in sorted(totals.items()):
        print("total %-14s %5d times  %12d sent, %12d arrived, %12d counted, %d lost in silence"
              % (name, times, sent, arrived, counted, sent - arrived - counted))
    print("%d wrong" % run.bad)
    return run.bad != 0


if __name__ == "__main__":
    sys.exit(main())
