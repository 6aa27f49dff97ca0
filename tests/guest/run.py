#!/usr/bin/env python3
"""Runs guest tests: run.py TEST..., or all. A test is test_NAME.py here, which runs outside of the guest (machine.py), or
NAME.sh, which runs inside. All run in one machine; after a test that failed, the next one gets a new machine. Exit code 77:
skipped."""
import importlib
import os
import sys
import time

import machine


def names():
    found = set()
    for file in os.listdir(machine.HERE):
        if file.startswith("test_") and file.endswith(".py"):
            found.add(file[5:-3])
        elif file.endswith(".sh") and file != "make-image.sh":
            found.add(file[:-3])
    return sorted(found)


def run_inside(m, name):
    answer = m.run(f"sh $TD_SOURCE_DIR/tests/guest/{name}.sh", timeout=240, check=False)
    print(answer.out, end="")
    if answer.code == machine.SKIPPED:
        machine.skip(answer.err.strip())
    machine.expect(answer.code == 0, str(answer))


def run_one(m, name):
    if os.path.exists(os.path.join(machine.HERE, f"test_{name}.py")):
        importlib.import_module(f"test_{name}").main(m)
    else:
        run_inside(m, name)


def run_some(waiting, results):
    """Runs the tests of a list in one machine, and takes each out of the list, until one fails."""
    with machine.Machine() as m:
        while waiting:
            name, start = waiting.pop(0), time.monotonic()
            results[name] = "FAILED"
            try:
                run_one(m, name)
                results[name] = "ok"
            except machine.Skipped as why:
                print(f"skipped: {why}")
                results[name] = "skipped"
            finally:
                print(f"guest test {name}: {results[name]} ({time.monotonic() - start:.0f} s)", flush=True)


def main():
    known = names()
    waiting = sys.argv[1:] or known
    for name in waiting:
        if name not in known:
            sys.exit(f"run.py: no guest test '{name}' (there are: {', '.join(known)})")
    waiting, results = list(waiting), {}
    while waiting:
        before = len(waiting)
        try:
            run_some(waiting, results)
        except machine.Skipped as why:
            print(f"skipped: {why}")
            sys.exit(machine.SKIPPED)
        except machine.Trouble as trouble:
            print(f"FAILED: {trouble}", flush=True)
            if len(waiting) == before:
                sys.exit(1)  # no machine
    if "FAILED" in results.values():
        sys.exit(1)
    sys.exit(0 if "ok" in results.values() else machine.SKIPPED)


if __name__ == "__main__":
    main()
