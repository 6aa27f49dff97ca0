"""Kills the simulator, the program or the agent at random moments: no process hangs, and unless the agent was killed
a readable trace is written.  Usage: test_sudden_death.py [KILLS]"""
import os
import random
import signal
import subprocess
import sys
import time

from kit import TENDRIL, example, expect, folder, info


def descendants(pid):
    """Descendants of the process: {name: [pid]}."""
    found = {}
    parents = [pid]
    while parents:
        parent = parents.pop()
        for entry in os.listdir("/proc"):
            if not entry.isdigit():
                continue
            try:
                with open(f"/proc/{entry}/stat", encoding="utf-8", errors="replace") as f:
                    stat = f.read()
            except OSError:
                continue
            name = stat[stat.index("(") + 1:stat.rindex(")")]
            if int(stat[stat.rindex(")") + 2:].split()[1]) == parent:
                found.setdefault(name, []).append(int(entry))
                parents.append(int(entry))
    return found


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as f:
            return f.read().rsplit(")", 1)[1].split()[0] not in ("Z", "X")
    except OSError:
        return False


def one(directory, victim, delay):
    trace = os.path.join(directory, "t.tracy")
    if os.path.exists(trace):
        os.unlink(trace)
    agent = subprocess.Popen([TENDRIL, "record", "-q", "-o", trace, "--", example("matmul"), "64", "20"],
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    time.sleep(delay)
    family = descendants(agent.pid)
    everyone = [pid for pids in family.values() for pid in pids]
    target = agent.pid if victim == "agent" else (family.get(victim) or [None])[0]
    if target:
        try:
            os.kill(target, signal.SIGKILL)
        except ProcessLookupError:
            target = None
    _, stderr = agent.communicate(timeout=200)
    deadline = time.time() + 100
    while any(alive(pid) for pid in everyone) and time.time() < deadline:
        time.sleep(0.02)
    stuck = [pid for pid in everyone if alive(pid)]
    expect(not stuck, f"{victim} killed after {delay:.3f} s: processes {stuck} still run")
    if victim != "agent":
        started = "cannot" not in stderr or os.path.exists(trace)
        if os.path.exists(trace):
            info(trace)
        else:
            expect(stderr.count("\n") >= 1 and agent.returncode != 0, f"no trace and no reason: {stderr!r}")
        expect(started, "started")
    return target is not None, os.path.exists(trace)


def main():
    kills = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    seed = int(os.environ.get("TD_SEED", "1"))
    random.seed(seed)
    hits = traces = 0
    with folder() as directory:
        for i in range(kills):
            victim = ("tensix_sim", "matmul", "agent")[i % 3]
            hit, trace = one(directory, victim, random.uniform(0.02, 1.2))
            hits += hit
            traces += trace
    print(f"{kills} runs, {hits} killed, {traces} traces, all readable, nothing stuck (seed {seed})")
    expect(hits > kills // 4, "most kills found their victim")


main()
