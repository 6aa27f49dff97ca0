"""What the tests of recordings under stress share: the programs, waiting, resident memory, zones of a trace's threads."""
import json
import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from unchanged import unchanged

SOURCE = os.environ.get("TD_SOURCE_DIR", os.getcwd())
BINARY = os.environ.get("TD_BINARY_DIR", os.path.join(SOURCE, "build"))
TENDRIL = os.path.join(BINARY, "bin", "tendril")
LOAD = os.path.join(BINARY, "tests", "stress_load")
MATMUL = os.path.join(BINARY, "examples", "matmul", "matmul")
CHECK = os.path.join(BINARY, "tests", "stress_check")
PATIENCE = 100


def run(*words, timeout=PATIENCE):
    """Returns the exit code, the output, and the lines of stderr."""
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True, check=False,
                          timeout=timeout)
    return done.returncode, done.stdout, done.stderr.strip().splitlines()


def info(trace):
    code, out, _ = run(TENDRIL, "info", "--json", trace)
    return unchanged(json.loads(out)) if code == 0 else None


def wait_for(condition, step_s=.005):
    until = time.monotonic() + PATIENCE
    while not condition() and time.monotonic() < until:
        time.sleep(step_s)
    return condition()


def has_socket(port, state):
    with open("/proc/net/tcp", encoding="ascii") as f:
        return any(line.split()[1].endswith(":%04X" % port) and line.split()[3] == state for line in f)


def is_connected(port):
    return has_socket(port, "01")


def listens(port):
    return has_socket(port, "0A")


def check_zones(trace, timeout=PATIENCE):
    """Runs stress_check. Returns its exit code, its output, and for each thread zones, first and last of the numbers that the
    program gave to its zones."""
    code, out, _ = run(CHECK, trace, timeout=timeout)
    lines = [line.split() for line in out.splitlines() if line.startswith("thread ")]
    return code, out, [dict(zip(words[2::2], map(int, words[3::2]))) for words in lines]


def resident_mib(pid, kinds):
    """Memory of a process: RssAnon, RssShmem ... of /proc/PID/status."""
    with open("/proc/%d/status" % pid, encoding="utf-8") as f:
        return sum(int(line.split()[1]) for line in f if line.startswith(kinds)) / 1024


def growth(seen):
    """The most of the first third and of the rest, and whether memory grows."""
    third = len(seen) // 3 + 1
    early, late = max(seen[:third], default=0), max(seen[third:], default=0)
    return early, late, late > 1.25 * early + 20
