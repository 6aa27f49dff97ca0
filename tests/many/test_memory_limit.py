"""`tendril record -m`: a board, or a program with markers of its own, writes more than the limit has room for. All of it
is recorded, and the memory of the process stays below the limit."""
import json
import os
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from checks import check, failures
from unchanged import unchanged

BUILD = os.environ["TD_BINARY_DIR"]
TENDRIL = os.path.join(BUILD, "bin", "tendril")
LIMIT_MIB = 128
CODE_MIB = 16  # pages that are not counted: code of the program and its libraries, and the board's memory
LANES, ZONES, MESSAGES = 20, 250000, 1500000
SANITIZED = os.environ.get("TD_SANITIZED")


def watch(pid, peak_mib):
    """The peak of the process itself; wait4() would include its children."""
    try:
        while True:
            with open(f"/proc/{pid}/status", encoding="utf-8") as f:
                peak_mib.append(max([int(line.split()[1]) / 1024 for line in f if line.startswith("VmHWM")]))
            time.sleep(.01)
    except (OSError, ValueError):  # it has ended
        pass


def record(trace, program):
    """Exit code, output, errors, MiB at the peak."""
    peak_mib = []
    running = subprocess.Popen([TENDRIL, "record", "--grid", "2x2", "-m", f"{LIMIT_MIB}M", "-o", trace, "--", *program],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    watcher = threading.Thread(target=watch, args=(running.pid, peak_mib))
    watcher.start()
    try:
        out, err = running.communicate(timeout=400)
    except subprocess.TimeoutExpired:
        running.kill()
        out, err = running.communicate()
    watcher.join()
    return running.returncode, out, err, peak_mib[-1]


def info(trace):
    return unchanged(json.loads(subprocess.run([TENDRIL, "info", "--json", trace], stdout=subprocess.PIPE, check=True).stdout))


def check_whole(what, code, err, peak_mib):
    check(code == 0 and "stopped" not in err, f"{what}: exit code {code}: {err}")
    print(f"{what}: at most {peak_mib:.0f} MiB", flush=True)
    check(SANITIZED or peak_mib <= LIMIT_MIB + CODE_MIB, f"{what}: {peak_mib:.0f} MiB at its peak")


def records_all_that_the_board_wrote(folder):
    trace = os.path.join(folder, "board.tracy")
    code, out, err, peak_mib = record(trace, [os.path.join(BUILD, "many", "fill_all"), os.path.join(BUILD, "kernels"),
                                              str(ZONES)])
    check_whole("board", code, err, peak_mib)
    check(f"{LANES} lanes filled" in out, f"the program did not run to its end: {out}")
    facts = info(trace)
    check(facts["zones"] >= LANES * ZONES, f"{facts['zones']} zones")
    check(facts["lost_zones"] == 0, f"{facts['lost_zones']} lost")


def records_all_that_the_program_said(folder):
    trace = os.path.join(folder, "program.tracy")
    code, out, err, peak_mib = record(trace, [os.path.join(BUILD, "tests", "live_flood"), "messages", str(MESSAGES)])
    check_whole("program", code, err, peak_mib)
    check(info(trace)["messages"] == MESSAGES, "messages are missing")


def main():
    with tempfile.TemporaryDirectory(prefix="tendril-test-") as folder:
        records_all_that_the_board_wrote(folder)
        records_all_that_the_program_said(folder)
    return failures() != 0


sys.exit(main())
