#!/usr/bin/env python3
"""Checks that pages about the programs' lines and limits, and about the tests of each night, are true.

Usage: check_quotes.py ROOT
Each line that docs/troubleshooting.md quotes (first cell of a table) must be a text of the source: an ellipsis, or
any words, in place of a conversion such as %s. Each row of docs/limits.md with a name of a constant must have that
constant's value. tests/README.md has a row for each line of `tests/nightly.sh --list`. Prints one line a fault; exit code 1
if there is any.
"""
import glob
import os
import re
import subprocess
import sys

QUOTE = re.compile(r"^\| `([^`]+)` \|", re.M)
LIMIT = re.compile(r"^\| ([^|]+) \| ([\d,]+)[^|]*\| `([A-Z_a-z]+)`, \[[^\]]+\]\(\.\./([^)]+)\) \|", re.M)
PART = re.compile(r"^\| `(\w+)` \| `([^`]+)` \|", re.M)
STRINGS = re.compile(r'"(?:[^"\\\n]|\\.)*"(?:\s*(?:PRI\w+\s*)?"(?:[^"\\\n]|\\.)*")*')
CONVERSION = re.compile(r"%[-+ #0]*[\d*]*(?:\.[\d*]+)?(?:hh|h|ll|l|z|j)?[a-zA-Z]")
LEAST = 12  # letters of a quote that are fixed; shorter ones match too much


def texts(root):
    """All texts of the source, those that stand next to each other as one, with an ellipsis for each conversion."""
    found = set()
    for folder in ("host", "boards", "target", "ld"):
        for path in glob.glob(os.path.join(root, folder, "**", "*.*"), recursive=True):
            if not path.endswith((".c", ".h", ".cpp", ".ld")):
                continue
            with open(path, encoding="utf-8") as f:
                for match in STRINGS.findall(f.read()):
                    text = re.sub(r'"\s*PRI\w+\s*"', "d", match)
                    text = re.sub(r'"\s*"', "", text)[1:-1].replace("\\n", "").replace('\\"', '"')
                    found.add(CONVERSION.sub("...", text))
    return found


def is_text(quote, found):
    """Whether one of the texts has the pieces of the quote, in their order."""
    pieces = [re.escape(piece) for piece in quote.split("...")]
    if sum(len(piece) for piece in quote.split("...")) < LEAST:
        return False
    wanted = re.compile("[^\n]*?".join(pieces))
    return any(wanted.search(text) for text in found)


def value_of(name, path, root):
    with open(os.path.join(root, path), encoding="utf-8") as f:
        match = re.search(rf"^#define {name}\s+\(?(?:UINT\d+_C\()?(\d+)", f.read(), re.M)
    return match and int(match.group(1))


def nightly_faults(root):
    """The parts of the nightly command that the page lacks, and its rows that are none."""
    listed = subprocess.run([os.path.join(root, "tests", "nightly.sh"), "--list"], capture_output=True, text=True, check=True)
    parts = {tuple(line.split(" ", 1)) for line in listed.stdout.splitlines()}
    with open(os.path.join(root, "tests", "README.md"), encoding="utf-8") as f:
        rows = set(PART.findall(f.read().split("## Each night")[1].split("\n## ")[0]))
    return parts ^ rows


def main(root):
    bad = 0
    found = texts(root)
    with open(os.path.join(root, "docs", "troubleshooting.md"), encoding="utf-8") as f:
        quotes = QUOTE.findall(f.read())
    for quote in quotes:
        if not is_text(quote, found):
            print(f"troubleshooting.md: no program prints: {quote}")
            bad += 1
    limits = []
    page = os.path.join(root, "docs", "limits.md")
    if os.path.exists(page):
        with open(page, encoding="utf-8") as f:
            limits = LIMIT.findall(f.read())
        for what, number, name, path in limits:
            if value_of(name, path, root) != int(number.replace(",", "")):
                print(f"limits.md: {what}: {name} is {value_of(name, path, root)}, not {number}")
                bad += 1
    if os.path.exists(os.path.join(root, "tests", "nightly.sh")):
        for name, command in nightly_faults(root):
            print(f"nightly.sh and tests/README.md differ: {name}: {command}")
            bad += 1
    print(f"{len(quotes)} lines, {len(limits)} limits, {bad} that are wrong")
    return 1 if bad or len(quotes) < 30 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "."))
