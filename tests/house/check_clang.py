#!/usr/bin/env python3
"""Clang has no warning for C and C++ sources that GCC compiled, with the same options.

Usage: check_clang.py BUILD_FOLDER < names of sources, relative to the current folder
Sources that the build folder does not compile are left out. Nothing is written.
"""
import json
import os
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor


def clang_words(entry):
    """The command of a compiler as one of clang's that only reports."""
    words = shlex.split(entry["command"])
    compiler = "clang++" if words[0].endswith("++") else "clang"
    output = words.index("-o")
    options = [word for word in words[1:output] + words[output + 2:] if not word.startswith("-fsanitize")]
    return [compiler, "-fsyntax-only", "-Werror", *options]


def main():
    wanted = {os.path.realpath(line.rstrip("\n")) for line in sys.stdin}
    with open(os.path.join(sys.argv[1], "compile_commands.json"), encoding="utf-8") as file:
        entries = [entry for entry in json.load(file) if os.path.realpath(entry["file"]) in wanted]
    # A source that two targets compile alike is read once.
    commands = {tuple(clang_words(entry)): entry["directory"] for entry in entries}

    def run(command):
        done = subprocess.run(command, cwd=commands[command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            print(done.stdout, end="")
        return done.returncode

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        failures = [code for code in pool.map(run, commands) if code]
    print(f"{len(commands)} commands", file=sys.stderr)
    sys.exit(1 if failures else 0)


main()
