#!/usr/bin/env python3
"""Each command has a page in docs/commands with the options that it has: the table after `<!-- options: COMMAND -->` is
what the command prints from the table that it parses with. The page may turn words of it into links. A row that has only
names of options and a link to a page stands for the rows of these options there, so that each is explained once.

Usage: test_command_pages.py [--update]: writes these tables anew, and keeps the links of rows that did not change.
"""
import glob
import os
import re
import subprocess
import sys

from common import BINARY, SOURCE, TENDRIL, check, exit_status

FOLDER = os.path.join(SOURCE, "docs", "commands")
HEAD = "| option | what it does |\n|---|---|\n"
TABLE = re.compile(r"(<!-- options: ([a-z -]+) -->\n)" + re.escape(HEAD) + r"((?:\|.*\n)*)")
SHARED = "several commands"  # the table of options whose rows other pages refer to
REFERENCE = re.compile(r"\| ((?:`-[^`]+`(?:, )?)+) \| \[[^\]]+\]\((\w[\w-]*\.md)(?:#[\w-]+)?\) \|")
LINK = re.compile(r"(?<!\\)\[((?:`[^`]*`|\\.|[^\]`\\])*)\]\([^)\s]+\)")


def printed(*words):
    return subprocess.run(words, capture_output=True, text=True, timeout=100, check=False,
                          env={**os.environ, "TENDRIL_CONFIG": "none"})


def rows_of(command):
    """The rows that the command prints; None: this build does not have it."""
    program, *words = command.split(" ")
    path = os.path.join(BINARY, "bin", program)
    if not os.path.exists(path):
        return None
    asked = printed(path, *words, "--td-describe=page")
    return asked.stdout.splitlines() if asked.returncode == 0 else None


def plain(row):
    return LINK.sub(r"\1", row)


def rows_in(page):
    """The rows of a page by the names of their options."""
    found = {}
    with open(os.path.join(FOLDER, page), encoding="utf-8") as f:
        for _, _, rows in TABLE.findall(f.read()):
            for row in map(plain, rows.splitlines()):
                found.update((name, row) for name in re.findall(r"`(-[^` =\[]+)", row.split(" | ")[0]))
    return found


def spelt_out(rows):
    """The rows, with those of other pages in place of references; and the references."""
    whole, references = [], []
    for row in rows:
        reference = REFERENCE.fullmatch(row)
        if reference:
            there = rows_in(reference[2])
            references.append((row, {name: there.get(name) for name in re.findall("`([^`]+)`", reference[1])}))
        else:
            whole.append(plain(row))
    return whole + [row for _, named in references for row in named.values()], references


def with_new_rows(text):
    def renew(match):
        start, command, old = match.groups()
        rows = rows_of(command)
        if rows is None:
            return match[0]
        kept = {plain(row): row for row in old.splitlines()}
        lines, shared = [], set()
        for row, named in spelt_out(old.splitlines())[1]:
            names = ", ".join(f"`{name}`" for name, there in named.items() if there in rows)
            lines += [f"| {names} |" + row.split(" |", 1)[1]] if names else []
            shared.update(named.values())
        lines = [kept.get(row, row) for row in rows if row not in shared] + lines
        return start + HEAD + "".join(line + "\n" for line in lines)
    return TABLE.sub(renew, text)


def main():
    described, all_rows, commands = set(), set(), printed(TENDRIL, "commands").stdout.split()
    for path in sorted(glob.glob(os.path.join(FOLDER, "*.md"))):
        with open(path, encoding="utf-8") as f:
            text = f.read()
        name = os.path.basename(path)
        if "--update" in sys.argv:
            with open(path, "w", encoding="utf-8") as f:
                f.write(with_new_rows(text))
            continue
        check(f"{name}: each table of options is read", len(TABLE.findall(text)) == text.count("<!-- options:"))
        for _, command, old in TABLE.findall(text):
            check(f"{command} has one table", command not in described)
            described.add(command)
            rows, page = rows_of(command), spelt_out(old.splitlines())[0]
            if command == SHARED:
                continue
            all_rows.update(rows or ())
            if rows is None:
                print(f"skipped: this build has no {command}")
                continue
            check(f"{name} has the options of {command}; else: test_command_pages.py --update", sorted(map(str, page)) == sorted(rows),
                  "only there:", [row for row in page if row not in rows], "only here:", [row for row in rows if row not in page])
    if "--update" in sys.argv:
        return 0
    for name, row in rows_in("common.md").items():
        check(f"common.md: {name} is an option of a command", row in all_rows, row)
    with open(os.path.join(SOURCE, "docs", "tools.md"), encoding="utf-8") as f:
        index = f.read()
    check("docs/tools.md is one screen", index.count("\n") <= 75, index.count("\n"))
    check("this build has commands", len(commands) > 15, commands)
    for command in commands:
        check(f"{command}: its options are in a page", f"tendril {command}" in described or not rows_of(f"tendril {command}"))
        check(f"{command}: docs/tools.md leads to its page", re.search(rf"\[(\w+, )*{command}(, \w+)*\]\(commands/\w+\.md\)", index))
    return exit_status()


if __name__ == "__main__":
    sys.exit(main())
