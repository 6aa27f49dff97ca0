#!/usr/bin/env python3
"""Random questions have the answers that Python's sqlite3 finds in the exported database, and in the zones that csvexport
prints, for random traces, those of the tree, and with the corpus all of it.

Usage: test_answers.py [QUESTIONS]: for each trace (default 8; then also the corpus)."""
import csv
import glob
import io
import json
import os
import random
import sqlite3
import subprocess
import sys
import tempfile

from common import BINARY, SOURCE, TENDRIL, check, exit_status

CORPUS = os.environ.get("TD_CORPUS", os.path.join(SOURCE, "../shared/corpus"))
RANDOM_TRACES = 10
ROWS_MOST = 3000  # zones that are joined with others


class Tables:
    """The exported tables, and values that are in them."""

    def __init__(self, db, dice):
        self.db = db
        self.dice = dice
        self.columns, self.rows = {}, {}
        for (name,) in self.db.execute("SELECT name FROM sqlite_schema WHERE name NOT LIKE 'model_%' ORDER BY name").fetchall():
            self.rows[name] = self.db.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0]
            self.columns[name] = [row[1] for row in self.db.execute(f'PRAGMA table_info("{name}")')]
        self.names = [name for name, rows in self.rows.items() if rows]

    def table(self):
        return self.dice.choice(["zones"] * 5 + self.names) if self.rows.get("zones") else self.dice.choice(self.names)

    def value(self, table, column):
        row = self.dice.randrange(self.rows[table])
        return self.db.execute(f'SELECT "{column}" FROM "{table}" LIMIT 1 OFFSET {row}').fetchone()[0]


def literal(value):
    if value is None:
        return "NULL"
    return repr(value) if isinstance(value, (int, float)) else "'" + value.replace("'", "''") + "'"


def condition(tables, table, alias=""):
    dice, column = tables.dice, tables.dice.choice(tables.columns[table])
    value, name = tables.value(table, column), f'{alias}"{column}"'
    if value is None:
        return f"{name} IS {dice.choice(['', 'NOT '])}NULL"
    kinds = ["compare"] * 4 + ["in", "between"] + (["like"] if isinstance(value, str) and value.isascii() else [])
    kind = dice.choice(kinds)
    if kind == "compare":
        if isinstance(value, int) and dice.random() < 0.3:
            value += dice.choice([-1, 1, 0.5])
        return f"{name} {dice.choice(['=', '=', '<', '<=', '>', '>=', '<>', 'IS'])} {literal(value)}"
    if kind == "like":
        return f"{name} {dice.choice(['', 'NOT '])}LIKE {literal('%' + value[1:6].replace('%', '_') + '%')}"
    others = [tables.value(table, column) for _ in range(2)]
    if kind == "in":
        return f"{name} IN ({', '.join(map(literal, [value, *others]))})"
    low, high = sorted([value, others[0] if isinstance(others[0], type(value)) else value])
    return f"{name} BETWEEN {literal(low)} AND {literal(high)}"


def conditions(tables, table, alias=""):
    parts = [condition(tables, table, alias) for _ in range(tables.dice.randint(0, 3))]
    text = ""
    for part in parts:
        part = part if tables.dice.random() < 0.9 else f"NOT ({part})"
        text += f" {tables.dice.choice(['AND', 'AND', 'OR'])} {part}" if text else f" WHERE {part}"
    return text


def in_order(tables, count):
    """By all columns, so that there is one right order."""
    return " ORDER BY " + ", ".join(f"{c + 1}{tables.dice.choice(['', ' DESC'])}" for c in tables.dice.sample(range(count), count))


def plain(tables):
    table, dice = tables.table(), tables.dice
    chosen = dice.sample(tables.columns[table], dice.randint(1, min(4, len(tables.columns[table]))))
    listed = ", ".join(f'"{name}" AS c{i}' for i, name in enumerate(chosen))
    text = f'SELECT {dice.choice(["", "", "DISTINCT "])}{listed} FROM "{table}"' + conditions(tables, table)
    text += in_order(tables, len(chosen))
    return text + (f" LIMIT {dice.randint(0, 30)} OFFSET {dice.randint(0, 5)}" if dice.random() < 0.6 else "")


def by_number(tables):
    """One column to sort by, which the model has an order for, and the number."""
    column = tables.dice.choice(["start_ns", "name", "id", "duration_ns", "track_id"])
    down = tables.dice.choice(["", " DESC"])
    text = f'SELECT "{column}" AS c0, id AS c1 FROM zones' + conditions(tables, "zones")
    return text + f' ORDER BY "{column}"{down}, id{tables.dice.choice(["", " DESC"])} LIMIT {tables.dice.randint(1, 40)}'


def grouped(tables):
    table, dice = tables.table(), tables.dice
    key, other = dice.choice(tables.columns[table]), dice.choice(tables.columns[table])
    text = (f'SELECT "{key}" AS c0, count(*) AS c1, count("{other}") AS c2, min("{other}") AS c3, max("{other}") AS c4, '
            f'count(DISTINCT "{other}") AS c5 FROM "{table}"' + conditions(tables, table) + f' GROUP BY "{key}"')
    return text + (f" HAVING count(*) > {dice.randint(1, 5)}" if dice.random() < 0.3 else "") + in_order(tables, 6)


def summed(tables):
    return ("SELECT count(*) AS c0, sum(duration_ns) AS c1, sum(self_ns) AS c2, max(end_ns) AS c3, sum(depth) AS c4 FROM zones" +
            conditions(tables, "zones"))


def joined(tables):
    if tables.rows["zones"] > ROWS_MOST:
        return summed(tables)
    kind, where = tables.dice.choice(["JOIN", "LEFT JOIN"]), conditions(tables, "zones", "z.")
    return tables.dice.choice([
        f"SELECT z.id AS c0, p.name AS c1, p.duration_ns AS c2 FROM zones z {kind} zones p ON p.id = z.parent{where} ORDER BY 1 LIMIT 50",
        f"SELECT t.id AS c0, t.name AS c1, count(z.id) AS c2, min(z.start_ns) AS c3 FROM tracks t {kind} zones z ON z.track_id = t.id"
        f"{where} GROUP BY 1, 2 ORDER BY 1, 2",
        f"SELECT z.name AS c0, count(*) AS c1 FROM zones z {kind} messages m ON m.thread_id = z.track_id AND m.time_ns BETWEEN "
        f"z.start_ns AND z.end_ns{where} GROUP BY 1 ORDER BY 1",
        f"SELECT z.id AS c0 FROM zones z WHERE z.duration_ns = (SELECT max(duration_ns) FROM zones y WHERE y.track_id = z.track_id)"
        f"{where.replace(' WHERE ', ' AND (', 1) + ')' if where else ''} ORDER BY 1"])


def asked(trace, texts):
    """The answers of one process: rows of each question."""
    script = "".join(f"SELECT {n} AS mark;\n{text};\n" for n, text in enumerate(texts))
    r = subprocess.run([TENDRIL, "query", "--format=jsonl", "-f", "-", trace], input=script, capture_output=True, text=True,
                       timeout=500, check=False)
    answers = []
    for line in r.stdout.splitlines():
        row = json.loads(line)
        if "mark" in row:
            answers.append([])
        else:
            answers[-1].append(tuple(row.values()))
    check(f"{trace}: questions have answers", r.returncode == 0, r.stderr, texts[len(answers) - 1] if answers else texts[0])
    return answers if r.returncode == 0 else []


def clean(row):
    """A text that is not UTF-8 differs in how it is shown."""
    return tuple(v if not isinstance(v, (str, bytes)) else v.replace("\ufffd", "?") if isinstance(v, str) else "?" for v in row)


def compare_answers(trace, db, texts, ours):
    """How many answers have rows. `ours`: the same questions for the trace."""
    answers = asked(trace, ours)
    for text, answer in zip(texts, answers):
        try:
            expected = db.execute(text).fetchall()
        except sqlite3.Error as failure:
            check(f"{trace}: {text}", False, failure)
            continue
        rows = [clean(row) for row in answer]
        check(f"{trace}: {text}", rows == [clean(row) for row in expected], len(rows), len(expected),
              [pair for pair in zip(rows, expected) if pair[0] != clean(pair[1])][:2])
    return sum(1 for answer in answers if answer)


PRINTED = ("(SELECT file, zones.line AS line, start_ns, duration_ns FROM zones JOIN tracks AS t ON t.id = track_id "
           "WHERE duration_ns > 0 AND kind <> 'gpu') AS printed")


def compare_printed(trace, number, count):
    """With the zones of threads and cores that have ended and last longer than 0, as csvexport prints them."""
    out = subprocess.run([TENDRIL, "csvexport", "-u", trace], capture_output=True, timeout=500, check=True).stdout
    zones = list(csv.DictReader(io.StringIO(out.decode("utf-8", "replace"))))
    if any(None in z or None in z.values() for z in zones):
        print(f"{trace}: csvexport prints names with commas or lines as stock does")
        return 0
    db = sqlite3.connect(":memory:")
    db.execute("CREATE TABLE printed (file TEXT, line INTEGER, start_ns INTEGER, duration_ns INTEGER)")
    db.executemany("INSERT INTO printed VALUES (?, ?, ?, ?)",
                   ((z["src_file"], int(z["src_line"]), int(z["ns_since_start"]), int(z["exec_time_ns"])) for z in zones))
    tables = Tables(db, random.Random(number))
    if not tables.names:
        return 0
    texts = [[plain, grouped][n % 2](tables) for n in range(count)]
    return compare_answers(trace, db, texts, [text.replace('FROM "printed"', "FROM " + PRINTED) for text in texts])


def compare(trace, scratch, number, count):
    base = os.path.join(scratch, "base.db")
    if os.path.exists(base):
        os.remove(base)
    r = subprocess.run([TENDRIL, "export", "--to", "sqlite", "-o", base, trace], capture_output=True, text=True, timeout=500,
                       check=False)
    check(f"{trace} is exported", r.returncode == 0, r.stderr)
    if r.returncode:
        return 0
    db = sqlite3.connect(base)
    db.text_factory = lambda text: text.decode("utf-8", "replace")
    tables = Tables(db, random.Random(number))
    kinds = [plain, by_number, grouped, summed, joined] if tables.rows.get("zones") else [plain, grouped]
    texts = [kinds[n % len(kinds)](tables) for n in range(count)]
    filled = compare_answers(trace, db, texts, texts)
    db.close()
    return filled + compare_printed(trace, number, count // 4)


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 8
    traces = sorted(glob.glob(os.path.join(SOURCE, "tests/data/trace/0.11.1/*.tracy")))
    if len(sys.argv) > 1:
        traces = sorted(glob.glob(os.path.join(SOURCE, "tests/data/trace/**/*.tracy"), recursive=True) +
                        glob.glob(os.path.join(CORPUS, "**", "*.tracy"), recursive=True))
    with tempfile.TemporaryDirectory() as scratch:
        for number in range(RANDOM_TRACES):
            path = os.path.join(scratch, f"random{number}.tracy")
            subprocess.run([os.path.join(BINARY, "tests/write_random"), str(number + 1), path], check=True, timeout=100)
            traces.append(path)
        demo = os.path.join(scratch, "demo.tracy")
        subprocess.run([os.path.join(BINARY, "tests/write_demo"), "demo", demo], check=True, timeout=100)
        traces.append(demo)
        filled = sum(compare(trace, scratch, number, count) for number, trace in enumerate(traces))
        print(f"{len(traces)} traces, {count} questions each, {filled} answers with rows")
        check("most answers have rows", filled > len(traces) * count / 2, filled)
    return exit_status()


if __name__ == "__main__":
    raise SystemExit(main())
