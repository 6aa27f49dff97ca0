#!/usr/bin/env python3
"""tendril export: each format is read back and compared with what query prints of the same trace."""
import csv
import io
import json
import os
import re
import sqlite3
import subprocess
import tempfile

from common import BINARY, SOURCE, TENDRIL, TRACE, check, exit_status

TRACES = os.path.join(SOURCE, "tests/data/trace")
SYNTHETIC = os.path.join(TRACES, "0.14.0/synthetic.tracy")
FORK = os.path.join(TRACES, "ttfork/synthetic.tracy")
csv.field_size_limit(1 << 24)


def run(*words):
    return subprocess.run([TENDRIL, *words], capture_output=True, text=True, timeout=100, check=False, stdin=subprocess.DEVNULL)


def export(to, out, trace, *words):
    r = run("export", "--to", to, "-o", out, *words, trace)
    check(f"{trace} is exported to {to}", r.returncode == 0 and not r.stdout and not r.stderr, r.returncode, r.stdout,
          r.stderr)
    return r.returncode == 0


def answers(trace, *questions):
    """The rows of each question."""
    r = run("query", "--format", "json", trace, "; ".join(questions))
    check(f"{questions} of {trace}", r.returncode == 0, r.stderr)
    found, at = [], 0
    while len(found) < len(questions) and r.returncode == 0:
        rows, end = json.JSONDecoder().raw_decode(r.stdout[at:])
        found.append(rows)
        at += end + len(r.stdout[at + end:]) - len(r.stdout[at + end:].lstrip())
    return found


def tables():
    """Names of tables, in which docs/query-tables.md has the columns and their types."""
    text = open(os.path.join(SOURCE, "docs/query-tables.md"), encoding="utf-8").read()
    found = {}
    for part in re.split(r"^## ", text, flags=re.M)[1:]:
        columns = re.findall(r"^\| `(\w+)` \| (\w+) \|", part, flags=re.M)
        if columns and " | type | " in part:
            found[part.split("\n", 1)[0]] = columns
    return found


def tables_of(trace, folder):
    out, base = os.path.join(folder, "tables"), os.path.join(folder, "trace.db")
    if not export("csv", out, trace) or not export("sqlite", base, trace):
        return
    described = tables()
    check("there is a file for each table", sorted(os.listdir(out)) == sorted(name + ".csv" for name in described))
    db = sqlite3.connect(base)
    check("the database is sound", db.execute("PRAGMA integrity_check").fetchall() == [("ok",)])
    check("there is a table for each", sorted(row[0] for row in db.execute("SELECT name FROM sqlite_schema")) ==
          sorted(described))
    questions = [f"SELECT * FROM {name}" for name in described]
    asked = dict(zip(described, answers(trace, *questions)))
    files = {}
    for name, columns in described.items():
        check(f"types of {name}", [row[1:3] for row in db.execute(f"PRAGMA table_info({name})")] == columns)
        kept = [dict(zip((c for c, _ in columns), row)) for row in db.execute(f"SELECT * FROM {name}")]
        check(f"{name} in the database", kept == asked[name], trace)
        with open(os.path.join(out, name + ".csv"), encoding="utf-8", newline="") as f:
            files[name] = f.read()
        read = list(csv.DictReader(io.StringIO(files[name])))
        check(f"{name} in CSV has each cell", len(read) == len(kept) and all(
            list(a) == list(b) and all(x == "" if y is None else x == y if isinstance(y, str) else float(x) == float(y)
                                       for x, y in zip(a.values(), b.values())) for a, b in zip(read, kept)), trace)
    check("CSV is that of query", "".join(files.values()) == run("query", "--format", "csv", trace,
                                                                 "; ".join(questions)).stdout, trace)
    rows = sum(len(each) for each in asked.values())
    check("the trace has rows", rows > 100, rows)
    db.close()


def outputs(folder):
    base = os.path.join(folder, "kept.db")
    with open(base, "w", encoding="utf-8") as f:
        f.write("old")
    export("sqlite", base, TRACE)
    check("an older file is kept", open(base + ".old", encoding="utf-8").read() == "old")
    full = os.path.join(folder, "full")
    os.mkdir(full)
    export("csv", full, TRACE)
    before = sorted(os.listdir(folder))
    for words, part in [
            (("--to", "csv", "-o", full, TRACE), "already exists and is no empty folder"),
            (("--to", "csv", "-o", base, TRACE), "already exists and is no empty folder"),
            (("--to", "csv", "-o", "/nowhere/x", TRACE), "cannot write '/nowhere/x'"),
            (("--to", "sqlite", "-o", "/nowhere/x", TRACE), "cannot write '/nowhere/x'"),
            (("--to", "sqlite", "-o", full, TRACE), "it is a folder"),
            (("--to", "sqlite", "-o", "-", TRACE), "needs a file"),
            (("--to", "sqlit", "-o", base, TRACE), "did you mean sqlite?"),
            (("--to", "nothing", "-o", base, TRACE), "'nothing' is not one of csv|sqlite"),
            (("-o", base, TRACE), "--to FORMAT is missing"),
            (("--to", "csv", TRACE), "-o OUT is missing"),
            (("--to", "csv", "-o", os.path.join(folder, "new"), "nothing.tracy"), "nothing.tracy")]:
        r = run("export", *words)
        check(f"{words} is refused", r.returncode in (1, 2) and part in r.stderr and r.stderr.count("\n") == 1,
              r.returncode, r.stderr)
    check("a refused export leaves nothing", sorted(os.listdir(folder)) == before, os.listdir(folder))


def main():
    with tempfile.TemporaryDirectory() as folder:
        demo = os.path.join(folder, "demo.tracy")
        subprocess.run([os.path.join(BINARY, "tests", "write_demo"), "demo", demo], check=True, stdout=subprocess.DEVNULL)
        for number, trace in enumerate((TRACE, SYNTHETIC, FORK, demo)):
            own = os.path.join(folder, str(number))
            os.mkdir(own)
            tables_of(trace, own)
        other = os.path.join(folder, "outputs")
        os.mkdir(other)
        outputs(other)
    return exit_status()


if __name__ == "__main__":
    raise SystemExit(main())
