"""Writes the matrix of docs/compatibility.md from the results of the checks that ran."""
import textwrap

from stock import BETWEEN, FORMATS, RELEASES, number

BEGIN, END = "<!-- matrix: tests/compat/compat.py --write-docs -->\n", "<!-- end of matrix -->\n"


def wrap_prose(text, columns=110):
    """Wraps the text at `columns`; rows of tables stay whole."""
    return "\n".join(line if line.startswith("|") else textwrap.fill(line, columns, break_on_hyphens=False)
                     for line in text.split("\n"))


def cell(results, key):
    good, bad = results.counts.get(key, (0, 0))
    if not good + bad:
        return "-"
    return f"{good}" if not bad else f"**{bad} of {good + bad} fail**"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def runs(names, cells, without):
    """The cells of a row as one: releases in a row with the same cell, those that have none left out."""
    parts, end = [], 0
    while end < len(cells):
        begin = end
        while end < len(cells) and cells[end] == cells[begin]:
            end += 1
        if cells[begin] != without:
            which = names[begin] + (f" to {names[end - 1]}" if end - begin > 1 else "")
            parts.append(f"{which}: {cells[begin]}" if end - begin < len(cells) else cells[begin])
    return ", ".join(parts)


def opened(release, form):
    version = number({**FORMATS, **BETWEEN}[form])
    return release.accepts(version, "parallel" if version > (0, 10, 0) else "classic")


def matrix(results, count):
    ran = [r.name for r in RELEASES if any(("opens", r.name, form) in results.counts for form in FORMATS)]
    text = f"{count} traces; stock programs that ran: {', '.join(ran) or 'none'}. Numbers are comparisons that held.\n\n"
    text += "**Reading.** Each trace of a release: content as a second reader (tests/compat/walker.py) finds it, tables as "
    text += "recorded, and tables as the release prints them of every trace that it opens.\n\n"
    head = ["release", "content of its traces", "recorded tables", "tables of all traces"]
    rows = [[r.name, cell(results, ("read", r.folder)), cell(results, ("recorded tables", r.folder)),
             cell(results, ("tables", r.name))] for r in RELEASES]
    text += table(head, rows) + "\n"
    text += "**Writing.** `tendril update --format F` of each trace: the content but for what F lacks, no rule of the format "
    text += "broken; then the release's own csvexport prints the same tables as before, and its update keeps the content. "
    text += "Releases that are not named refuse it, as they should.\n\n"
    rows = []
    for form in sorted([*FORMATS, *BETWEEN], key=lambda f: number({**FORMATS, **BETWEEN}[f])):
        tried = []
        for r in RELEASES:
            keys = [("opens", r.name, form), ("updates", r.name, form)]
            tried.append("?" if r.name not in ran else " / ".join(cell(results, k) for k in keys) if opened(r, form) else "")
        rows.append([form, cell(results, ("write", form)), cell(results, ("rules", form)),
                     runs([r.name for r in RELEASES], tried, "")])
    text += table(["format", "content", "rules", "tables / contents, by release"], rows) + "\n"
    refused = sum(results.counts.get(("refused", r.name), (0, 0))[0] for r in RELEASES)
    failed = sum(results.counts.get(("refused", r.name), (0, 0))[1] for r in RELEASES)
    text += f"Refused where the format says so, without a crash: {refused}; not so: {failed}.\n"
    return wrap_prose(text)


def summary(results, count):
    lines = []
    for key in sorted(results.counts):
        good, bad = results.counts[key]
        lines.append(f"{' '.join(key):32} {good:6} held{f', {bad} failed' if bad else ''}")
    good = sum(c[0] for c in results.counts.values())
    bad = sum(c[1] for c in results.counts.values())
    return "\n".join(lines + [f"{count} traces, {good} comparisons held, {bad} failed"])


def write_docs(path, results, count):
    with open(path, encoding="utf-8") as file:
        before, rest = file.read().split(BEGIN)
    with open(path, "w", encoding="utf-8") as file:
        file.write(before + BEGIN + "\n" + matrix(results, count) + "\n" + END + rest.split(END)[1])
