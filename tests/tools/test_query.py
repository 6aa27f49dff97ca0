#!/usr/bin/env python3
"""tendril query: forms, parameters, several traces, the shell, mistakes; random questions against Python over csvexport."""
import csv
import glob
import io
import json
import os
import pty
import random
import re
import select
import subprocess
import tempfile
import termios
import time

from common import BINARY, SOURCE, TENDRIL, TRACE, check, exit_status

GPU = os.path.join(SOURCE, "tests/data/trace/0.11.1/gpu.tracy")
ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c"
NAMES = "SELECT name, count(*) AS n, min(duration_ns) AS least_ns FROM zones WHERE name IN ('worker', 'frame body') GROUP BY name"


def query(*words, stdin=None):
    return subprocess.run([TENDRIL, "query", *words], capture_output=True, text=True, timeout=100, check=False,
                          input=stdin, stdin=None if stdin is not None else subprocess.DEVNULL)


def rows(*words):
    r = query("--format", "json", *words)
    check(f"{words} is answered", r.returncode == 0, r.stderr)
    return json.loads(r.stdout) if r.returncode == 0 else []


def forms():
    least = [row["least_ns"] for row in rows(TRACE, NAMES)]
    check("JSON", rows(TRACE, NAMES) == [{"name": "frame body", "n": 60, "least_ns": least[0]},
                                         {"name": "worker", "n": 300, "least_ns": least[1]}], rows(TRACE, NAMES))
    check("lines of JSON", [json.loads(line) for line in query("--format=jsonl", TRACE, NAMES).stdout.splitlines()] ==
          rows(TRACE, NAMES))
    check("CSV", query("--format=csv", TRACE, NAMES).stdout ==
          f"name,n,least_ns\nframe body,60,{least[0]}\nworker,300,{least[1]}\n")
    check("lines with tabs", query("--format=tsv", TRACE, NAMES).stdout ==
          f"name\tn\tleast_ns\nframe body\t60\t{least[0]}\nworker\t300\t{least[1]}\n")
    text = query(TRACE, NAMES).stdout.splitlines()
    check("text", len(text) == 3 and re.fullmatch(r"frame body +60 +[\d.]+ [mun]?s", text[1]), text)
    markdown = query("--format=markdown", TRACE, "SELECT 'a|b' AS x, NULL AS y").stdout
    check("Markdown", markdown == "| x | y |\n|---|---|\n| a\\|b |  |\n", markdown)
    check("no rows", query(TRACE, "SELECT 1 AS x WHERE 0").stdout == "x\n")
    check("CSV of hard texts", query("--format=csv", TRACE, "SELECT 'a,\"b\"' AS x").stdout == 'x\n"a,""b"""\n')
    check("text is plain", not any("\x1b" in query(form, TRACE, "SELECT char(27) || '[2J' AS x").stdout
                                   for form in ("--format=text", "--format=markdown")))
    many = query(TRACE, "SELECT id FROM zones").stdout.splitlines()
    check("more rows than are kept for their widths", len(many) == 897 and many[-1].strip() == "895", len(many))


def inputs(folder):
    check("parameters", rows("-p", "n=3", "-p", "t=x y", TRACE, "SELECT :n + 1 AS a, @t AS b, $n AS c") ==
          [{"a": 4, "b": "x y", "c": 3}])
    path = os.path.join(folder, "q.sql")
    with open(path, "w", encoding="utf-8") as f:
        f.write("-- two\nSELECT 1 AS a; SELECT 2 AS b;\n")
    check("statements of a file", query("-f", path, TRACE).stdout == "a\n1\nb\n2\n", query("-f", path, TRACE).stdout)
    check("statements of the input", query(TRACE, stdin="SELECT 1 AS a;\n.tables plot_p\nSELECT 2 AS b").stdout.split() ==
          "a 1 plot_points a point of a plot b 2".split())
    out = os.path.join(folder, "out.csv")
    check("a file", query("--format=csv", "-o", out, TRACE, "SELECT 7 AS x").returncode == 0 and
          open(out, encoding="utf-8").read() == "x\n7\n")
    check("a question that fails leaves no file", query("-o", out + "2", TRACE, "SELECT y").returncode == 2 and
          not os.path.exists(out + "2"))
    both = rows("a=" + TRACE, GPU, "SELECT (SELECT count(*) FROM a.zones) AS a, (SELECT count(*) FROM gpu.zones) AS b,"
                " (SELECT count(*) FROM zones) AS c")
    check("two traces", both == [{"a": 896, "b": 25, "c": 896}], both)
    r = query("--rows", "2", "--format=csv", TRACE, "SELECT id FROM zones")
    check("a limit of rows", r.returncode == 0 and r.stdout == "id\n0\n1\n" and "more than 2 rows" in r.stderr, r.stderr)


def mistakes():
    for words, code, part in [
            ((TRACE, "SELECT nme FROM zones"), 2, "no such column: nme, at 'nme"),
            ((TRACE, "SELECT * FROM zone s"), 2, "no such table: zone"),
            ((TRACE, "SELECT :n + 1"), 2, "needs a value for :n"),
            (("-p", "n=1", TRACE, "SELECT 1 + 1"), 2, "no parameter :n"),
            (("-p", "n", TRACE, "SELECT 1 + 1"), 2, "not NAME=VALUE"),
            ((TRACE, "DROP TABLE zones"), 2, "can only read"),
            ((TRACE, "ATTACH 'x' AS y"), 2, "can only read"),
            ((TRACE, "SELECT load_extension('x')"), 2, "not authorized"),
            (("--timeout", "0.1", TRACE, ENDLESS), 1, "longer than 0.1 s"),
            (("--heap", "4M", TRACE, ENDLESS.replace("count(*)", "x") + " ORDER BY -x"), 1, "more memory than 4 MB"),
            (("--question", "slowst", TRACE), 1, "did you mean slowest?"),
            (("--question", "slowest", TRACE, "SELECT 1 + 1"), 2, "give one of"),
            ((TRACE, TRACE, "SELECT 1 + 1"), 2, "cannot be the name of a trace"),
            (("nothing.tracy", "SELECT 1 + 1"), 1, "nothing.tracy"),
            (("--at", "127.0.0.1:1", TRACE), 2, "exclude each other"),
            (("--at", "127.0.0.1:x", "SELECT 1 + 1"), 2, "not HOST:PORT"),
            ((), 2, "give one trace")]:
        r = query(*words)
        check(f"{words} is refused", r.returncode == code and part in r.stderr and r.stderr.count("\n") == 1, r.returncode,
              r.stderr)


def shell(folder):
    """In a terminal: completion, a mistake that does not end it, history, .quit."""
    child, terminal = pty.fork()
    if child == 0:
        os.environ.update(XDG_STATE_HOME=folder, TERM="xterm", INPUTRC="/dev/null")
        os.execv(TENDRIL, [TENDRIL, "query", TRACE])
    said = b""

    def await_text(text, seconds=30):
        """Reads until the terminal has shown the text. False: it has not in this time."""
        nonlocal said
        deadline = time.monotonic() + seconds
        while text not in said and time.monotonic() < deadline:
            if select.select([terminal], [], [], 0.1)[0]:
                said += os.read(terminal, 65536)
        return text in said

    await_text(b"tendril> ")
    for keys, shows in [(b"SELECT nonsense;\n", b"no such column"), (b"SELECT count(*) AS n\n", b"...> "), (b"FROM zones;\n", b"896"),
                        (b".sch\t zones\n", b"parent  "), (ENDLESS.encode() + b";\n", b"FROM c;")]:
        os.write(terminal, keys)
        await_text(shows)
    deadline = time.monotonic() + 30
    while not termios.tcgetattr(terminal)[3] & termios.ICANON and time.monotonic() < deadline:
        time.sleep(0.01)  # the line is still being edited, and Ctrl-C would remove it
    for _ in range(4):  # the question may not run yet
        os.write(terminal, b"\x03")
        if await_text(b"stopped", 10):
            break
    for _ in range(3):  # a Ctrl-C that came after the end removes what is typed
        os.write(terminal, b"SELECT 40 + 2;\n")
        if await_text(b" 42\r", 10):
            break
    os.write(terminal, b".quit\n")
    try:
        while select.select([terminal], [], [], 20)[0]:
            said += os.read(terminal, 65536)
    except OSError:
        pass
    status = os.waitpid(child, 0)[1]
    text = said.decode(errors="replace")
    check("the shell ends by .quit", status == 0, status)
    check("a mistake is said", "no such column: nonsense" in text, text)
    check("a statement of two lines", "896" in text, text)
    check("a command is completed", "duration_ns" in text, text)
    check("Ctrl-C ends a question, and not the shell", "stopped" in text and re.search(r"^ *42\r?$", text, re.M), text)
    check("history", "FROM zones;" in open(os.path.join(folder, "tendril/query_history"), encoding="utf-8").read().replace("\\040", " "))


def live():
    """A served trace: a question, and a shell whose questions see it grow."""
    count = "SELECT count(*) AS zones, sum(duration_ns) AS total FROM zones"
    server = subprocess.Popen([TENDRIL, "serve", TRACE, "-p", "0"], stdout=subprocess.PIPE, text=True)
    where = server.stdout.readline().split()[-1]
    try:
        check("a served trace is asked as its file is", rows("--at", where, count) == rows(TRACE, count))
        shell_ = subprocess.Popen([TENDRIL, "query", "--format=json", "--at", where], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  text=True)
        zones = 0
        deadline = time.monotonic() + 60
        while zones < 896 and time.monotonic() < deadline:
            shell_.stdin.write("SELECT count(*) AS zones FROM zones WHERE start_ns > 0;\n")
            shell_.stdin.flush()
            said = ""
            while not said.rstrip().endswith("]"):
                said += shell_.stdout.readline()
            zones = json.loads(said)[0]["zones"]
        check("a shell sees all zones at last", zones == 896, zones)
        shell_.stdin.close()
        check("and ends", shell_.wait(60) == 0)
    finally:
        server.terminate()
        server.wait(60)


# ---- random questions ----

def exported(trace):
    """The zones of threads and cores that have ended and last longer than 0, as csvexport prints them. That has the first name
    of a zone that was renamed, so those are left out."""
    r = subprocess.run([TENDRIL, "csvexport", "-u", trace], capture_output=True, text=True, timeout=100, check=True)
    return [{"name": row["name"], "start_ns": int(row["ns_since_start"]), "duration_ns": int(row["exec_time_ns"]),
             "line": int(row["src_line"])} for row in csv.DictReader(io.StringIO(r.stdout)) if row["name"] != "before rename"]


def sums():
    """The zones of each location sum up to what info says of it, in every trace."""
    for path in sorted(glob.glob(os.path.join(SOURCE, "tests/data/trace/*/*.tracy"))):
        found = {}
        for row in rows(path, "SELECT function, file, zones.line AS line, count(duration_ns) AS n, coalesce(sum(duration_ns), 0) AS"
                              " total FROM zones JOIN tracks t ON t.id = track_id WHERE kind <> 'gpu' GROUP BY location"):
            if row["n"]:
                key = (row["function"], row["file"], row["line"])
                found[key] = [a + b for a, b in zip(found.get(key, [0, 0]), (row["n"], row["total"]))]
        said = subprocess.run([TENDRIL, "info", "--json", path], capture_output=True, text=True, timeout=100, check=True).stdout
        expected = {}
        for row in json.loads(said)["names"]:
            if row["count"]:
                key = (row["function"], row["file"], row["line"])
                expected[key] = [a + b for a, b in zip(expected.get(key, [0, 0]), (row["count"], row["total_ns"]))]
        check(f"{path}: sums of zones", found == expected, found, expected)


def random_questions(trace, count):
    zones = exported(trace)
    base = "FROM zones JOIN tracks t ON t.id = track_id WHERE duration_ns > 0 AND kind <> 'gpu' AND zones.name <> 'after rename'"
    ours = rows(trace, f"SELECT zones.name, start_ns, duration_ns, zones.line {base}")
    key = ("name", "start_ns", "duration_ns", "line")
    check("zones are those of csvexport", sorted(tuple(z[k] for k in key) for z in ours) ==
          sorted(tuple(z[k] for k in key) for z in zones), len(ours), len(zones))
    dice = random.Random(32)
    for number in range(count):
        one, other = dice.choice(zones), dice.choice(zones)
        conditions = {
            "zones.name = :name": lambda z, one=one: z["name"] == one["name"],
            "start_ns >= :start": lambda z, one=one: z["start_ns"] >= one["start_ns"],
            "start_ns < :until": lambda z, other=other: z["start_ns"] < other["start_ns"],
            "duration_ns BETWEEN :least AND :least * 4":
                lambda z, other=other: other["duration_ns"] <= z["duration_ns"] <= other["duration_ns"] * 4,
            "zones.line = :line": lambda z, one=one: z["line"] == one["line"]}
        chosen = dice.sample(sorted(conditions), dice.randint(0, 3))
        values = {"name": one["name"], "start": one["start_ns"], "until": other["start_ns"], "least": other["duration_ns"],
                  "line": one["line"]}
        text = " AND ".join([f"SELECT zones.name AS name, count(*) AS n, sum(duration_ns) AS total, max(start_ns) AS last {base}",
                             *chosen]) + " GROUP BY zones.name ORDER BY zones.name"
        expected = {}
        for zone in zones:
            if all(conditions[c](zone) for c in chosen):
                n, total, last = expected.get(zone["name"], (0, 0, 0))
                expected[zone["name"]] = (n + 1, total + zone["duration_ns"], max(last, zone["start_ns"]))
        words = [word for name, value in values.items() if f":{name}" in text for word in ("-p", f"{name}={value}")]
        answer = {row["name"]: (row["n"], row["total"], row["last"]) for row in rows(*words, trace, text)}
        check(f"question {number}: {text} {words}", answer == expected, set(answer.items()) ^ set(expected.items()))


def main():
    with tempfile.TemporaryDirectory() as folder:
        forms()
        inputs(folder)
        mistakes()
        shell(folder)
        live()
        sums()
        random_questions(TRACE, 20)
        demo = os.path.join(folder, "demo.tracy")
        subprocess.run([os.path.join(BINARY, "tests/write_demo"), "demo", demo], check=True, timeout=100)
        random_questions(demo, 20)
    return exit_status()


if __name__ == "__main__":
    raise SystemExit(main())
