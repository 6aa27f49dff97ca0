#!/usr/bin/env python3
"""Runs guest tests: run.py TEST..., or all. A test is test_NAME.py here, which runs outside of the guest (machine.py), or
NAME.sh, which runs inside. Exit code 77: skipped."""
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


def run_inside(name):
    with machine.Machine() as m:
        answer = m.run(f"sh $TD_SOURCE_DIR/tests/guest/{name}.sh", timeout=240, check=False)
        print(answer.out, end="")
        if answer.code == machine.SKIPPED:
            sys.exit(machine.SKIPPED)
        machine.expect(answer.code == 0, str(answer))


def run_one(name):
    """0, 1, or machine.SKIPPED"""
    start = time.monotonic()
    result = 1
    try:
        if os.path.exists(os.path.join(machine.HERE, f"test_{name}.py")):
            importlib.import_module(f"test_{name}").main()
        else:
            run_inside(name)
        result = 0
    except machine.Trouble as trouble:
        print(f"FAILED: {trouble}")
    except SystemExit as ended:
        result = ended.code or 0
    words = {0: "ok", machine.SKIPPED: "skipped"}
    print(f"guest test {name}: {words.get(result, 'FAILED')} ({time.monotonic() - start:.0f} s)", flush=True)
    return result


def main():
    known = names()
    asked = sys.argv[1:] or known
    for name in asked:
        if name not in known:
            sys.exit(f"run.py: no guest test '{name}' (there are: {', '.join(known)})")
    results = [run_one(name) for name in asked]
    if 1 in results:
        sys.exit(1)
    sys.exit(machine.SKIPPED if all(r == machine.SKIPPED for r in results) else 0)


if __name__ == "__main__":
    main()
