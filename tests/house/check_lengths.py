#!/usr/bin/env python3
"""Checks that functions of C code stay short.

Usage: check_lengths.py ROOT
Fails when a function has more than 80 lines, its signature included. Prints one line each; exit code 1 if there is
any.
"""
import os
import re
import sys

FOLDERS = ("host", "target", "boards", "proto", "riscv", "ld", "examples", "bench", "tests")
FUNCTION_LINES = 80
# The last word of the line before the brace ends a signature; bodies end with a brace in the first column.
BEGIN = re.compile(r"^[A-Za-z_].*\b(\w+)\(.*")


def sources(root):
    for folder in FOLDERS:
        for where, _, names in os.walk(os.path.join(root, folder)):
            yield from (os.path.join(where, name) for name in sorted(names) if name.endswith((".c", ".h", ".hpp", ".cpp")))


def functions(lines):
    """Yields (name, first line, lines)."""
    first = name = None
    for number, line in enumerate(lines, 1):
        match = BEGIN.match(line)
        if match and not line.rstrip().endswith(";"):
            first, name = number, line[:line.index("(")].split()[-1].lstrip("*")
        elif line.startswith("}"):
            if first:
                yield name, first, number - first + 1
            first = None
        elif line and not line[0].isspace() and line[0] not in "{(":
            first = None


def main(root):
    files = bad = 0
    for path in sources(root):
        files += 1
        with open(path, encoding="utf-8", errors="replace") as f:
            lines = f.read().splitlines()
        name = os.path.relpath(path, root)
        for function, first, length in functions(lines):
            if length > FUNCTION_LINES:
                print(f"{name}:{first}: {function}() has {length} lines")
                bad += 1
    print(f"{files} files, {bad} functions that are too long")
    return 1 if bad or not files else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "."))
