#!/usr/bin/env python3
"""Each question of docs/queries has, on a small trace, exactly the answer of tests/golden/questions, which a person has read.
`--update` writes the answers."""
import glob
import os
import subprocess
import sys
import tempfile

from common import BINARY, SOURCE, TENDRIL, check, exit_status

TRACES = os.path.join(SOURCE, "tests/data/trace")
FEATURES, SYNTHETIC = (os.path.join(TRACES, "0.11.1", name) for name in ("features.tracy", "synthetic.tracy"))
NEWEST = os.path.join(TRACES, "0.14.0/synthetic.tracy")

# question: the trace (demo and noc are made by write_demo), parameters
QUESTIONS = {
    "allocations-at-peak": (SYNTHETIC,),
    "busy-cores": ("demo",),
    "children": (FEATURES, "name=worker"),
    "frame-zones": (FEATURES,),
    "histogram": (FEATURES, "name=worker"),
    "hot-functions": (SYNTHETIC,),
    "hot-stacks": (SYNTHETIC,),
    "idle-tracks": (FEATURES,),
    "lock-in-worst-frame": (FEATURES,),
    "lock-waits": (FEATURES,),
    "losses": ("demo",),
    "never-freed": (SYNTHETIC,),
    "noc-bytes": ("noc",),
    "not-running": (SYNTHETIC,),
    "operation-gaps": ("demo",),
    "operation-stragglers": ("demo",),
    "operation-waits": ("demo", "op=1", "giver=Main"),
    "p99-by-core": ("demo",),
    "percentiles": (FEATURES,),
    "plot-peaks": (FEATURES,),
    "samples-in-zones": (SYNTHETIC,),
    "slowest": (FEATURES,),
    "slowest-percent": (FEATURES,),
    "totals": (FEATURES,),
    "unfinished": (SYNTHETIC,),
    "waits": ("demo",),
    "warnings": (NEWEST,),
    "worst-frames": (FEATURES,),
}


def answer(question, trace, parameters, scratch):
    if "/" not in trace:
        path = os.path.join(scratch, trace + ".tracy")
        if not os.path.exists(path):
            subprocess.run([os.path.join(BINARY, "tests/write_demo"), trace, path], check=True, timeout=100)
        trace = path
    words = [word for parameter in parameters for word in ("-p", parameter)]
    r = subprocess.run([TENDRIL, "query", "--format=csv", "-q", question, *words, trace], capture_output=True, text=True,
                       timeout=100, check=False, stdin=subprocess.DEVNULL)
    check(f"{question} is answered", r.returncode == 0 and not r.stderr, r.stderr)
    return r.stdout


def main():
    folder = os.path.join(SOURCE, "tests/golden/questions")
    files = {os.path.basename(path)[:-4]: path for path in glob.glob(os.path.join(SOURCE, "docs/queries/*.sql"))}
    check("each question is tested", sorted(files) == sorted(QUESTIONS), set(files) ^ set(QUESTIONS))
    listed = subprocess.run([TENDRIL, "query", "--questions"], capture_output=True, text=True, timeout=100, check=True).stdout
    check("each question is listed with what it says",
          sorted(line.split(" ", 1)[0] for line in listed.splitlines()) == sorted(files), listed)
    with open(os.path.join(SOURCE, "docs/query.md"), encoding="utf-8") as f:
        page = f.read()
    for question, path in files.items():
        with open(path, encoding="utf-8") as f:
            about = f.readline()[3:].strip()
        check(f"{question} is listed on the page", f"| [`{question}`](queries/{question}.sql) | {about} |" in page)
    with tempfile.TemporaryDirectory() as scratch:
        for question, (trace, *parameters) in QUESTIONS.items():
            golden, said = os.path.join(folder, question + ".csv"), answer(question, trace, parameters, scratch)
            check(f"{question} has rows", said.count("\n") > 1, said)
            if "--update" in sys.argv:
                os.makedirs(folder, exist_ok=True)
                with open(golden, "w", encoding="utf-8") as f:
                    f.write(said)
            with open(golden, encoding="utf-8") as f:
                expected = f.read()
            check(f"{question}: its answer", said == expected, said, "is not", expected)
    return exit_status()


if __name__ == "__main__":
    raise SystemExit(main())
