#!/usr/bin/env python3
"""What users see who make a mistake: each command of mistakes.txt prints the lines below it, and ends with its status.

--update writes what is printed now: read each line as somebody would who sees it for the first time.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

from common import BINARY, TENDRIL, TRACE, check, exit_status

HERE = os.path.dirname(os.path.abspath(__file__))
GOLDEN = os.path.join(HERE, "mistakes.txt")


def make_files(folder):
    """Of which the commands speak: two traces, one that breaks off, one of nothing, and files of other kinds."""
    events = [{"ph": "X", "name": "load", "ts": 10 * i, "dur": 5, "pid": 1, "tid": 1} for i in range(10)]
    with open(os.path.join(folder, "a.json"), "w", encoding="ascii") as f:
        json.dump(events, f)
    subprocess.run([TENDRIL, "import", "-q", "a.json", "a.tracy"], cwd=folder, check=True)
    with open(os.path.join(folder, "a.tracy"), "rb") as f:
        data = f.read()
    with open(TRACE, "rb") as f:
        features = f.read()
    for name, content in (("b.tracy", data), ("cut.tracy", features[:len(features) * 3 // 4]), ("empty.tracy", b""),
                          ("notes.txt", b"not a trace\n"), ("budgets.ini", b"[fast]\nnames = ^laod$\nmax = 3ms\n"),
                          ("kernel.elf", b"\x7fELF"), ("script", b"#!/bin/sh\n")):
        with open(os.path.join(folder, name), "wb") as f:
            f.write(content)
    os.mkdir(os.path.join(folder, "folder"))


def run(command, folder):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("TRACY_", "TENDRIL_")) and k != "DISPLAY"
           and k != "WAYLAND_DISPLAY"}
    env.update(PATH=os.path.join(BINARY, "bin") + ":" + env["PATH"], TENDRIL_CONFIG="none", HOME=folder, LC_ALL="C",
               XDG_RUNTIME_DIR=folder)
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", timeout=100, check=False)
    said = done.stdout.replace(folder, "FOLDER")
    return f"$ {command}\n{said}exit {done.returncode}\n"


def main():
    with open(GOLDEN, encoding="utf-8") as f:
        golden = f.read()
    commands = re.findall(r"^\$ (.*)$", golden, re.M)
    check("there are 40 mistakes or more", len(commands) >= 40, len(commands))
    with tempfile.TemporaryDirectory(prefix="tendril-test-") as folder:
        make_files(folder)
        now = [run(command, folder) for command in commands]
    if "--update" in sys.argv[1:]:
        with open(GOLDEN, "w", encoding="utf-8") as f:
            f.write("\n".join(now))
        return
    for block, old in zip(now, re.split(r"\n(?=\$ )", golden)):
        check("as in mistakes.txt", block.strip() == old.strip(), f"now:\n{block}before:\n{old}")


main()
sys.exit(exit_status())
