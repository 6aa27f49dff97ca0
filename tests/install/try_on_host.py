#!/usr/bin/env python3
"""The commands of another processor do what those of this one do.

Usage: try_on_host.py NATIVE_BUILD OTHER_BUILD [EMULATOR...]
Their output about twelve traces is compared, and the files that they write. They record a program of this machine,
and a simulated board whose simulator and program are this machine's, by `record` and by `agent`.
"""
import json
import os
import subprocess
import sys
import tempfile
import time

SOURCE = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
sys.path.insert(0, os.path.join(SOURCE, "tests"))
from checks import check, failures  # noqa: E402
from ports import free_port  # noqa: E402

BUILD = os.path.realpath(sys.argv[1])
HERE = [os.path.join(BUILD, "bin", "tendril")]
THERE = [*sys.argv[3:], os.path.join(os.path.realpath(sys.argv[2]), "bin", "tendril")]
TRACES = os.path.join(SOURCE, "tests", "data", "trace")
HELLO = os.path.join(BUILD, "examples", "hello", "hello")
ENOUGH_S = 100  # an emulator on a busy machine


def run(command, **more):
    return subprocess.run(command, capture_output=True, timeout=ENOUGH_S, check=False, **more)


def twelve_traces():
    names = ("features", "gpu", "killed", "synthetic")
    found = [os.path.join(folder, f"{name}.tracy") for folder in sorted(os.listdir(TRACES)) for name in names]
    return [path for path in found if os.path.exists(os.path.join(TRACES, path))][:12]


def outputs_are_equal(where):
    traces = twelve_traces()
    check(len(traces) == 12, f"traces: {traces}")
    questions = (["info"], ["info", "--json"], ["csvexport"], ["csvexport", "-u"], ["compare", "--json"], ["annotate", "--all"])
    for trace in traces:
        path = os.path.join(TRACES, trace)
        for question in questions:
            here, there = run([*HERE, *question, path]), run([*THERE, *question, path])
            check((here.returncode, here.stdout, here.stderr) == (there.returncode, there.stdout, there.stderr),
                  f"{' '.join(question)} of {trace}: {here.stderr} {there.stderr}")
        written = []
        for tendril, name in ((HERE, "here"), (THERE, "there")):
            out = os.path.join(where, name)
            done = run([*tendril, "update", "--format", "0.11.1", path, out])
            check(done.returncode == 0, f"update of {trace}: {done.stderr}")
            # Packed anew: another release of a library may pack the same contents otherwise.
            run([*HERE, "update", out, f"{out}.packed"])
            with open(f"{out}.packed", "rb") as file:
                written.append(file.read())
        check(written[0] == written[1], f"update of {trace} writes other contents")


def facts(trace):
    done = run([*HERE, "info", "--json", trace])
    check(done.returncode == 0, f"{trace}: {done.stderr}")
    return json.loads(done.stdout) if done.returncode == 0 else {}


def a_program_is_captured(where):
    port, trace = str(free_port()), os.path.join(where, "captured.tracy")
    variables = {**os.environ, "TRACY_NO_EXIT": "1", "TRACY_PORT": port, "TRACY_NO_SAMPLING": "1"}
    with subprocess.Popen([os.path.join(BUILD, "tests", "client_marked"), "all"], env=variables, stdout=subprocess.DEVNULL) as program:
        done = run([*THERE, "capture", "-o", trace, "-p", port])
        check(done.returncode == 0, f"capture: {done.stderr}")
        check(program.wait(timeout=ENOUGH_S) == 0, "the program that was captured fails")
    check(facts(trace).get("zones", 0) > 0, "a captured program has zones")


def with_board(where, name, record):
    """Runs `record`, which gets the place of a simulated board and a trace to write; hello has ten zones."""
    board, trace = os.path.join(where, name + ".bar"), os.path.join(where, name + ".tracy")
    with subprocess.Popen([*HERE, "sim", "--grid", "1x1", "--bar", board], stdout=subprocess.DEVNULL) as simulator:
        until = time.monotonic() + ENOUGH_S
        while not os.path.exists(board) and time.monotonic() < until:
            time.sleep(0.05)
        record(board, trace)
        simulator.terminate()
    names = {zone["name"]: zone["count"] for zone in facts(trace).get("names", [])}
    check(names.get("hello") == 10, f"zones by {name}: {names}")


def by_record(board, trace):
    done = run([*THERE, "record", "--at", board, "-o", trace, "--", HELLO])
    check(done.returncode == 0, f"record: {done.stderr}")


def by_agent(board, trace):
    with subprocess.Popen([*THERE, "agent", "--at", board, "--listen", "0", "--once", "--", HELLO], stdout=subprocess.PIPE,
                          text=True) as agent:
        port = agent.stdout.readline().split()[-1]
        done = run([*HERE, "record", "--agent", f"localhost:{port}", "-o", trace])
        check(done.returncode == 0, f"record --agent: {done.stderr}")
        check(agent.wait(timeout=ENOUGH_S) == 0, "the agent fails")


def main():
    os.environ.update(TENDRIL_CONFIG="none")
    with tempfile.TemporaryDirectory() as where:
        outputs_are_equal(where)
        a_program_is_captured(where)
        with_board(where, "record", by_record)
        with_board(where, "agent", by_agent)
    sys.exit(1 if failures() else 0)


main()
