#!/usr/bin/env python3
"""Kills recordings at random moments with SIGKILL, and checks what `tendril recover` makes of their journals.

Usage: kill.py [--tries N] [--seed N] [--kind capture|record|virtual|merge|agent]

  capture   collects stress_load, whose threads number their zones
  record    runs hello on a simulated board again and again, and stress_load as the program
  virtual   runs matmul on a simulated board in virtual time, where each run gives the same zones
  merge     merges two large traces, over a trace that is there or into a new file
  agent     `tendril agent`, whose cores number their zones, while `tendril record --agent` collects from it

What is recovered has every zone from number 0 to the last one, in order, and ends at most 1 s before the kill. In
virtual time, each core has exactly the zones of a whole recording up to its last one. Some recordings are killed while
they write the trace, and some recoveries are killed, too. Of a merge that was killed, the output is what was there before,
or the whole result; the next merge removes what the killed one has left. When an agent was killed, the recorder says so and
ends with exit code 1; its trace is as exact as a recovered one; nothing that the agent had started is left, and an agent that
is started again at the same port works. Without --kind, the kinds take turns.
"""
import argparse
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from kit import BINARY, LOAD, MATMUL, PATIENCE, TENDRIL, check_zones, info, is_connected, run, wait_for
from checks import check, failures
from ports import free_port

HELLO = os.path.join(BINARY, "examples", "hello", "hello")
NUMBERED = [os.path.join(BINARY, "tests", "stress_" + name) for name in ("numbered", "kernels")]
CORES = 4
PAUSE_US = "5000"  # between batches, so that the machine keeps up with the program
LOST_S = 1.0
FIRST_BYTES = 16384  # of a journal: what the program sends first


class Clock:
    """Sleeps, and measures for how long the machine has left this process without a processor."""

    def __init__(self):
        self.stalls = []

    def sleep(self, seconds):
        until = time.monotonic() + seconds
        while (now := time.monotonic()) < until:
            time.sleep(min(.02, until - now))
            self.stalls.append((now, time.monotonic() - now - .02))

    def stalled_s(self, since_s):
        return sum(late for at, late in self.stalls if late > .05 and at > time.monotonic() - since_s)


def kill(process):
    process.kill()
    process.wait()


def kill_group(process):
    """The processes of a group whose leader has ended."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def has_begun(trace):
    """Something has arrived."""
    try:
        return os.path.getsize(trace + ".journal") > FIRST_BYTES
    except FileNotFoundError:
        return False


def recover(trace, chance):
    """Recovers; one time in five, the first recovery is killed: that loses nothing."""
    if chance.random() < .2:
        first = subprocess.Popen([TENDRIL, "recover", "-q", trace], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(chance.random() * .1)
        kill(first)
        if os.path.exists(trace):  # it was complete; the journal may still be there
            if os.path.exists(trace + ".journal"):
                os.remove(trace + ".journal")
            return 0, "", ["was complete before the kill"]
    return run(TENDRIL, "recover", "-q", trace)


def check_order(what, trace):
    """All zones are there from number 0 on, in order."""
    code, out, threads = check_zones(trace)
    check(code == 0 and "faults 0" in out, "%s: the order: %s" % (what, out[-300:]))
    for zones in threads:
        if "first" not in zones:  # the thread had just begun: its first zone's number had not arrived
            check(zones["zones"] <= 1, "%s: %s" % (what, zones))
            continue
        check(zones["first"] == 0 and zones["zones"] == zones["last"] + 1, "%s: %s" % (what, zones))


def check_recovered(what, trace, chance, lived_s, clock):
    """lived_s: from the program's start to the kill. Returns the seconds that are missing."""
    code, _, lines = recover(trace, chance)
    check(code == 0 and len(lines) == 1 and "damaged" not in lines[0], "%s: recover: %d %s" % (what, code, lines))
    if not os.path.exists(trace):
        check(False, what + ": no trace")
        return 0
    check(not os.path.exists(trace + ".journal"), what + ": the journal is still there")
    known = info(trace)
    check(known is not None and known["zones"] > 0, what + ": the trace cannot be read")
    check_order(what, trace)
    missing_s = lived_s - known["last_time_ns"] / 1e9 if known else 0
    check(missing_s < LOST_S + clock.stalled_s(4), "%s: %.2f s are missing" % (what, missing_s))
    return missing_s


def kill_capture(folder, chance):
    """Returns the seconds that were lost."""
    trace, port, clock = os.path.join(folder, "c.tracy"), free_port(), Clock()
    env = dict(os.environ, TRACY_PORT=str(port), TENDRIL_EXIT_WAIT_MS="0")
    began = time.monotonic()
    program = subprocess.Popen([LOAD, "2", "1000000000", PAUSE_US], env=env, stdout=subprocess.DEVNULL)
    running = subprocess.Popen([TENDRIL, "capture", "-q", "-o", trace, "-p", str(port)], stdout=subprocess.DEVNULL)
    try:
        check(wait_for(lambda: is_connected(port)), "capture does not connect")
        clock.sleep(.1 + chance.random() * 1.2)
        if chance.random() < .25:  # while it ends the session or writes the trace
            running.send_signal(signal.SIGINT)
            lived_s = time.monotonic() - began
            time.sleep(chance.random() * .3)
        else:
            lived_s = time.monotonic() - began
        kill(running)
    finally:
        kill(program)
    if os.path.exists(trace):  # it was just complete
        check_order("complete", trace)
        if os.path.exists(trace + ".journal"):
            os.remove(trace + ".journal")
        return 0
    return check_recovered("capture", trace, chance, lived_s, clock)


def kill_record(folder, chance):
    """The program of the recording is hello, again and again, and stress_load. Returns the seconds that were lost."""
    trace, clock = os.path.join(folder, "r.tracy"), Clock()
    script = 'while :; do env -u TRACY_PORT -u TENDRIL_WAIT_CONNECT_MS "$0"; done & trap "kill $!" EXIT; exec "$1" 1 1000000000 ' + PAUSE_US
    running = subprocess.Popen([TENDRIL, "record", "-q", "-o", trace, "--", "sh", "-c", script, HELLO, LOAD],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
                               env=dict(os.environ, TENDRIL_EXIT_WAIT_MS="0"))
    try:
        check(wait_for(lambda: os.path.exists(trace + ".journal")), "record does not begin")
        began = time.monotonic()
        check(wait_for(lambda: has_begun(trace)), "nothing arrives")
        clock.sleep(.7 + chance.random())
        lived_s = time.monotonic() - began
        running.kill()
        running.wait()
    finally:
        kill_group(running)  # the program and what it has started
    missing_s = check_recovered("record", trace, chance, lived_s, clock)
    known = info(trace)
    check(known is not None and known["cores"] > 0, "record: no core is in the trace")
    return missing_s


def zones_of(trace):
    """The zones of each thread: {thread: {(name, begin, nanoseconds)}}."""
    zones = {}
    _, out, _ = run(TENDRIL, "csvexport", "-u", trace)
    for line in out.splitlines()[1:]:
        name, _, _, begin, spent, thread = line.rsplit(",", 5)
        zones.setdefault(thread, set()).add((name, int(begin), int(spent)))
    return zones


def record_virtual(trace):
    return subprocess.Popen([TENDRIL, "record", "-q", "--clock", "insn", "-o", trace, "--", MATMUL, "64", "60"],
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)


def check_prefix(whole, part):
    """Each thread of `part` has the zones of `whole` up to its last one. Zones that were open have another end."""
    for thread, zones in part.items():
        known = whole.get(thread, set())
        begins = {zone[:2] for zone in known}
        check(all(zone[:2] in begins for zone in zones), "thread %s: zones that never were" % thread)
        closed = zones & known
        last = max((begin + spent for _, begin, spent in closed), default=-1)
        missing = [zone for zone in known - zones if zone[1] + zone[2] <= last]
        check(not missing, "thread %s: %d zones are missing, such as %s" % (thread, len(missing), missing[:3]))


def kill_virtual(folder, chance, whole=[]):
    trace = os.path.join(folder, "v.tracy")
    if not whole:
        record_virtual(trace).wait(PATIENCE)
        whole.append(zones_of(trace))
        os.remove(trace)
    running = record_virtual(trace)
    check(wait_for(lambda: has_begun(trace) or os.path.exists(trace)), "record does not begin")
    time.sleep(.4 + chance.random())
    running.kill()
    running.wait()
    kill_group(running)
    if not os.path.exists(trace):
        code, _, lines = recover(trace, chance)
        check(code == 0, "virtual: recover: %d %s" % (code, lines))
    part = zones_of(trace)
    check(sum(map(len, part.values())) > 0, "virtual: no zones")
    check_prefix(whole[0], part)
    return 0


def collect_load(trace, zones):
    port = free_port()
    program = subprocess.Popen([LOAD, "2", str(zones)], stdout=subprocess.DEVNULL,
                               env=dict(os.environ, TRACY_PORT=str(port), TENDRIL_WAIT_CONNECT_MS="60000"))
    code, _, lines = run(TENDRIL, "capture", "-q", "--no-journal", "-o", trace, "-p", str(port))
    program.wait(PATIENCE)
    check(code == 0, "capture: %s" % lines)


def contents(path):
    if not os.path.exists(path):
        return None
    with open(path, "rb") as f:
        return f.read()


def kill_merge(folder, chance, parts=[]):
    """The first call makes the parts, which all use. Their folder goes when the program ends."""
    if not parts:
        parts.append(tempfile.TemporaryDirectory(prefix="kill-merge-"))
        parts += [os.path.join(parts[0].name, name) for name in ("a.tracy", "b.tracy", "whole.tracy")]
        collect_load(parts[1], 2000000)
        collect_load(parts[2], 1000000)
        began = time.monotonic()
        code, _, lines = run(TENDRIL, "merge", "-q", "-o", parts[3], *parts[1:3])
        check(code == 0, "merge: %s" % lines)
        parts.append(time.monotonic() - began)
    out, temporary = os.path.join(folder, "m.tracy"), os.path.join(folder, "t")
    os.mkdir(temporary)
    if chance.random() < .5:
        shutil.copy(parts[2], out)
    before, whole = contents(out), contents(parts[3])
    command = [TENDRIL, "merge", "-q", "-o", out, *chance.choice(([], ["--memory", "8M"])), *parts[1:3]]
    running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               env=dict(os.environ, TMPDIR=temporary))
    # Often near the end, where the file gets its name.
    time.sleep(parts[4] * (chance.random() * 1.2 if chance.random() < .5 else chance.uniform(.8, 1.1)))
    kill(running)
    found = contents(out)
    check(found in (before, whole), "merge: half a file of %d bytes" % len(found or b""))
    check(not os.listdir(temporary), "merge: left behind in TMPDIR: %s" % os.listdir(temporary))
    code, _, lines = run(*command)
    check(code == 0 and contents(out) == whole, "merge again: %d %s" % (code, lines))
    kept = [] if found is None else ["m.tracy.old"]
    check(sorted(os.listdir(folder)) == ["m.tracy", *kept, "t"], "merge: left behind %s" % os.listdir(folder))
    check(not kept or contents(out + ".old") == found, "merge: the older file is not what was there")
    return 0


def start_agent(out, port):
    with open(out, "w", encoding="utf-8") as file:
        return subprocess.Popen([TENDRIL, "agent", "-b", "tensix_sim", "--grid", "2x2", "--listen", str(port), "--", *NUMBERED],
                                stdout=file, stderr=subprocess.STDOUT, start_new_session=True)


def says(path, word):
    with open(path, encoding="utf-8") as file:
        return word in file.read()


def members(session):
    """The processes of a session."""
    found = []
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/stat" % entry, encoding="utf-8", errors="replace") as file:
                state, _, _, its_session = file.read().rsplit(")", 1)[1].split()[:4]
        except OSError:
            continue
        if int(its_session) == session and state not in "ZX":
            found.append(int(entry))
    return found


def collect_agent(folder, trace, port):
    """Starts an agent and a recorder. Returns both when the cores run, and the time when the recorder began."""
    out = os.path.join(folder, "agent.out")
    agent = start_agent(out, port)
    check(wait_for(lambda: says(out, "agent at port")), "the agent does not listen")
    recorder = subprocess.Popen([TENDRIL, "record", "-q", "-o", trace, "--agent", "127.0.0.1:%d" % port],
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
    check(wait_for(lambda: os.path.exists(trace + ".journal")), "the recorder does not begin")
    began = time.monotonic()
    check(wait_for(lambda: says(out, "running")), "the cores do not run")
    return agent, recorder, began


def check_cores(what, trace):
    check_order(what, trace)
    threads = check_zones(trace)[2]
    check(0 < len(threads) <= CORES, "%s: %d cores" % (what, len(threads)))  # not all have begun on a busy machine


def kill_agent(folder, chance):
    """Returns the seconds that were lost."""
    trace, port, clock = os.path.join(folder, "a.tracy"), free_port(), Clock()
    agent, recorder, began = collect_agent(folder, trace, port)
    clock.sleep(.5 + chance.random() * 1.5)
    lived_s = time.monotonic() - began
    kill(agent)
    out = recorder.communicate(timeout=PATIENCE)[0]
    check(recorder.returncode == 1, "agent: the recorder's exit code is %s: %s" % (recorder.returncode, out))
    check(len(out.splitlines()) == 1 and re.search("agent at .* is gone", out), "agent: the recorder says %s" % out)
    check(wait_for(lambda: not members(agent.pid)), "agent: processes are left: %s" % members(agent.pid))
    kill_group(agent)
    check(not os.path.exists(trace + ".journal"), "agent: the journal is still there")
    check_cores("agent", trace)
    known = info(trace)
    missing_s = lived_s - known["last_time_ns"] / 1e9 if known else 0
    check(missing_s < LOST_S + clock.stalled_s(4), "agent: %.2f s are missing" % missing_s)
    if chance.random() < .3:
        agent, recorder, _ = collect_agent(folder, trace, port)
        time.sleep(.3)
        recorder.send_signal(signal.SIGINT)
        out = recorder.communicate(timeout=PATIENCE)[0]
        check(recorder.returncode == 0, "agent again: the recorder's exit code is %s: %s" % (recorder.returncode, out))
        agent.send_signal(signal.SIGINT)
        check(agent.wait(PATIENCE) == 0, "agent again: its exit code is %s" % agent.returncode)
        kill_group(agent)
        check_cores("agent again", trace)
    return missing_s


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tries", type=int, default=20)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--kind", choices=["capture", "record", "virtual", "merge", "agent"])
    given = parser.parse_args()
    chance, lost = random.Random(given.seed), []
    ways = {"capture": kill_capture, "record": kill_record, "virtual": kill_virtual, "merge": kill_merge, "agent": kill_agent}
    turns = [given.kind] if given.kind else ["capture", "record", "merge", "agent", "virtual"]
    if not all(os.access(program, os.X_OK) for program in (HELLO, MATMUL, NUMBERED[0])):
        turns = ["capture", "merge"]
    print("seed %d: %s" % (given.seed, ", ".join(turns)), flush=True)
    for i in range(given.tries):
        folder = tempfile.mkdtemp(prefix="kill-")
        try:
            lost.append(ways[turns[i % len(turns)]](folder, chance))
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        if failures():
            break
    lost.sort()
    print("%d kills; seconds that were lost, with the program's start: median %.2f, most %.2f; %d wrong" %
          (len(lost), lost[len(lost) // 2], lost[-1], failures()))
    return failures() != 0


if __name__ == "__main__":
    sys.exit(main())
