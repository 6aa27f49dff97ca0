"""What panels copy: a list has the same rows in each form, and they are those of the golden files of its table and of
`tendril info --json`. `test_copy.py TRACE...` checks these traces, without golden files."""
import csv
import io
import json
import os
import subprocess
import sys
import tempfile

from driven import start

sys.path.insert(0, os.path.join(os.environ["TD_SOURCE_DIR"], "tests/tools"))
from common import SOURCE, TENDRIL, check, exit_status  # noqa: E402

# The list of each panel, and whether it has all rows of its table: others choose a pool, lanes or a name.
LISTS = {"statistics": ("locations", True), "operations": ("operations", True), "instances": ("instance_zones", False),
         "compare": ("compared", False), "lanes": ("lanes", True), "cells": ("spread", True),
         "messages": ("messages", True), "plots": ("plots", True), "memory": ("allocations", False),
         "locks": ("locks", True), "waits": ("waits", True), "cpus": ("cpu_processes", True), "losses": ("losses", True),
         "limits": ("ranges", False), "callstack": ("stack_lines", False), "symbols": ("symbols", True),
         "waitstacks": ("wait_stacks", True)}
LINES_ONLY = ("frames", "entries", "details", "trace")  # a sheet, a tree: no list
ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "\\": "\\"}


def cells_of(line):
    """The cells of a line with tabs."""
    cells, text = [""], iter(line)
    for sign in text:
        if sign == "\t":
            cells.append("")
        else:
            cells[-1] += ESCAPES[next(text)] if sign == "\\" else sign
    return cells


def as_set(rows):
    return sorted(json.dumps(row, sort_keys=True) for row in rows)


def difference(a, b):
    """The first."""
    return next((pair for pair in zip(a, b) if pair[0] != pair[1]), (len(a), len(b)))


def golden(folder, table):
    path = os.path.join(SOURCE, "tests/golden", folder, table + ".json")
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as file:
        return json.load(file)[table]


def check_list(client, what, panel, table):
    """Returns the rows of the panel's JSON."""
    check(f"{what}: open", client.ask("open", panel)["ok"])
    copies = {form: client.ask("copy", panel, form) for form in ("lines", "csv", "json", "text")}
    if not all(copy["ok"] for copy in copies.values()):
        # without a name, or without allocations, there is no list
        check(f"{what}: copies", panel in ("instances", "memory"), copies)
        return []
    text = {form: copy["text"] for form, copy in copies.items()}
    rows = json.loads(text["json"])[table]
    lines = [cells_of(line) for line in text["lines"].splitlines()]
    separated = list(csv.reader(io.StringIO(text["csv"])))
    check(f"{what}: rows", len(lines) == len(separated) == len(rows) + 1, len(lines), len(separated), len(rows))
    check(f"{what}: text", len(text["text"].splitlines()) >= min(len(rows), 1) + 1, text["text"][:300])
    if panel == "cells":  # its lines are the matrix
        columns = len(separated[0])
        check(f"{what}: head", lines[0][:columns] == separated[0], lines[0])
        check(f"{what}: matrix", all(len(line) == len(lines[0]) for line in lines))
    else:
        check(f"{what}: lines and CSV", lines == separated,
              next(((a, b) for a, b in zip(lines, separated) if a != b), None))
    check(f"{what}: close", client.ask("close", panel)["ok"])
    return rows


def check_panels(client, name, facts, folder):
    if facts["names"]:
        client.ask("find", facts["names"][0]["name"])
        client.ask("next")
    for panel, (table, whole) in LISTS.items():
        what = f"{name}, {panel}"
        if panel == "waits" and name == "synthetic":  # it has context switches, and no flows
            table = "wakeups"
        rows = as_set(check_list(client, what, panel, table))
        expected = facts.get(table)
        if whole and isinstance(expected, list):
            expected = [row for row in expected if panel != "plots" or row["points"]]  # others are not listed
            check(f"{what}: as info", rows == as_set(expected), difference(rows, as_set(expected)))
        expected = golden(folder, table) if folder else None
        if expected is not None:
            wanted = as_set(expected)
            check(f"{what}: as its golden file", rows == wanted or (not whole and set(rows) <= set(wanted)),
                  difference(rows, wanted))
    for panel in LINES_ONLY:
        client.ask("open", panel)
        copy = client.ask("copy", panel)
        check(f"{name}, {panel}", copy["ok"] or panel == "details", copy)
        check(f"{name}, {panel} has no other form", not client.ask("copy", panel, "json")["ok"])
        client.ask("close", panel)
    check("no such form", "lines, csv, json or text" in client.ask("copy", "locks", "xml")["error"])
    check("a closed panel", "is it open" in client.ask("copy", "locks")["error"])


def check_trace(path, folder):
    """Returns why the viewer did not start."""
    name = folder or os.path.relpath(path, os.environ.get("TD_CORPUS", "/"))
    facts = json.loads(subprocess.run([TENDRIL, "info", "--json", path], capture_output=True, check=True).stdout)
    with tempfile.TemporaryDirectory() as place:
        viewer, client = start(os.path.join(place, "socket"), "--size", "500x300", path)
        if client is None:
            return viewer.communicate()[1]
        try:
            check_panels(client, name, facts, folder)
        finally:
            viewer.kill()
            viewer.communicate()
    return ""


def check_names(folder):
    """Tabs and line ends in names break no copy."""
    name, thread = "a\tb\nc", "th\tre\nad"
    events = [{"name": name, "ph": "X", "ts": 10, "dur": 50, "pid": 1, "tid": 1},
              {"name": "thread_name", "ph": "M", "pid": 1, "tid": 1, "args": {"name": thread}}]
    chrome, trace = os.path.join(folder, "names.json"), os.path.join(folder, "names.tracy")
    with open(chrome, "w", encoding="utf-8") as file:
        json.dump({"traceEvents": events}, file)
    subprocess.run([TENDRIL, "import", "-o", trace, chrome], capture_output=True, check=True)
    viewer, client = start(os.path.join(folder, "socket"), "--size", "500x300", trace)
    if client is None:
        return viewer.communicate()[1]
    try:
        client.ask("find", "a")
        client.ask("next")
        for panel, (table, _) in LISTS.items():
            check_list(client, f"names, {panel}", panel, table)
        client.ask("open", "details")
        lines = [cells_of(line) for line in client.ask("copy", "details")["text"].splitlines()]
        check("the name of a zone", lines[0] == [name] and ["function", name] in lines, lines[:5])
        check("its thread", any(line[0] == "thread" and line[1].endswith(thread) for line in lines), lines[:5])
    finally:
        viewer.kill()
        viewer.communicate()
    return ""


def main():
    if len(sys.argv) > 1:
        problems = [check_trace(path, None) for path in sys.argv[1:]]
    else:
        problems = [check_trace(os.path.join(SOURCE, "tests/data/trace/0.11.1", name + ".tracy"), name)
                    for name in ("features", "synthetic")]
        with tempfile.TemporaryDirectory() as folder:
            problems.append(check_names(folder))
    if any("OpenGL" in problem for problem in problems):
        print("skipped: no OpenGL here")
        return 0
    check("the viewer starts", not any(problems), problems)
    return exit_status()


sys.exit(main())
