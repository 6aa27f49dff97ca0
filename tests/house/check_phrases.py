#!/usr/bin/env python3
"""Checks that pages have none of the phrases that docs/style.md refuses.

Usage: check_phrases.py ROOT
The phrases are those in back quotes in the first column of the table below "A test refuses these phrases". Code and
what is in back quotes does not count. Prints one line a fault; exit code 1 if there is any.
"""
import os
import re
import sys

from check_links import CODE, INLINE, pages


def phrases(root):
    with open(os.path.join(root, "docs", "style.md"), encoding="utf-8") as f:
        table = re.search(r"A test refuses these phrases.*?\n\n(.*?)\n\n", f.read(), re.S).group(1)
    return [phrase for row in table.splitlines() for phrase in re.findall(r"`([^`]+)`", row.split("|")[1])]


def main(root):
    bad, refused = 0, phrases(root)
    wanted = re.compile("|".join(rf"(?<!\w){re.escape(p)}(?!\w)".replace(r"\ ", r"\s+") for p in refused), re.I)
    for page in pages(root):
        with open(page, encoding="utf-8") as f:
            text = INLINE.sub("", CODE.sub("", f.read()))
        for match in wanted.finditer(text):
            print(f"{os.path.relpath(page, root)}: {' '.join(match.group(0).split())}")
            bad += 1
    print(f"{len(refused)} phrases, {bad} uses")
    return 1 if bad or not refused else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "."))
