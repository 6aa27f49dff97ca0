"""The recipes of docs/python.md, run as they are there, print what recipes.txt has. --update writes it anew."""
import difflib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import kit
from kit import SOURCE, check

GOLDEN = os.path.join(kit.HERE, "recipes.txt")
HEAD = "== {}\n"


def recipes():
    """Of each: the line before it, and its text."""
    with open(os.path.join(SOURCE, "docs/python.md"), encoding="utf-8") as file:
        part = file.read().split("### Recipes\n", 1)[1].split("\n## ", 1)[0]
    return [(" ".join(title.split()), text) for title, text in re.findall(r"\n\n((?:[^\n]+\n)+)\n```python\n(.*?)```", "\n" + part, re.S)]


def has_module(name):
    return kit.run("-c", f"import {name}")[0] == 0


def make_files(folder):
    shutil.copy(os.path.join(SOURCE, "tests/data/trace/0.11.1/features.tracy"), os.path.join(folder, "trace.tracy"))
    with open(os.path.join(folder, "old.json"), "w", encoding="ascii") as file:
        json.dump([{"ph": "X", "name": name, "ts": 10 * i, "dur": length, "pid": 1, "tid": i} for i, (name, length) in
                   enumerate([("worker", 1), ("inner", 0.5), ("frame body", 3)])], file)
    subprocess.run([kit.TENDRIL, "import", "-q", "old.json", "old.tracy"], cwd=folder, check=True)
    subprocess.run([os.path.join(kit.BINARY, "tests/write_demo"), "demo", os.path.join(folder, "device.tracy")], check=True)


def outputs(folder, where):
    """What each prints; None: it needs a module that is not there."""
    for title, text in recipes():
        missing = [name for name in re.findall(r"^import (numpy|pandas)", text, re.M) if not has_module(name)]
        if missing:
            print(f"without {', '.join(missing)}: {title}")
            yield title, None
            continue
        script = os.path.join(folder, "recipe.py")
        with open(script, "w", encoding="utf-8") as file:
            file.write(text.replace("127.0.0.1:8086", where))
        r = subprocess.run([kit.PYTHON, script], env=kit.environment(), cwd=folder, capture_output=True, text=True, timeout=100,
                           check=False)
        check(r.returncode == 0 and r.stdout, f"{title}: {r.stderr}")
        yield title, r.stdout


def main():
    golden = {}
    if os.path.exists(GOLDEN):
        with open(GOLDEN, encoding="utf-8") as file:
            golden = dict(re.findall(r"^== (.*)\n((?:(?!== ).*\n)*)", file.read(), re.M))
    with tempfile.TemporaryDirectory() as folder:
        make_files(folder)
        server = subprocess.Popen([kit.TENDRIL, "serve", os.path.join(folder, "trace.tracy"), "-p", "0"],
                                  stdout=subprocess.PIPE, text=True)
        try:
            printed = dict(outputs(folder, server.stdout.readline().split()[-1]))
        finally:
            server.terminate()
            server.communicate(timeout=60)
    check(len(printed) == 10, f"{len(printed)} recipes")
    if "--update" in sys.argv:
        with open(GOLDEN, "w", encoding="utf-8") as file:
            for title, text in printed.items():
                file.write(HEAD.format(title) + (golden.get(title, "") if text is None else text))
        return 0
    check(list(golden) == list(printed), "recipes.txt has other recipes (--update)")
    for title, text in printed.items():
        if text is not None and text != golden.get(title):
            check(False, "".join(difflib.unified_diff(golden.get(title, "").splitlines(True), text.splitlines(True), title)))
    return 1 if kit.failures() else print("ok") or 0


if __name__ == "__main__":
    sys.exit(main())
