#!/usr/bin/env python3
"""Checks that a name of the product's C code means one thing.

Usage: check_names.py ROOT
Fails when a struct, union or enum tag is defined in two folders, and when a public `td_` name is both a tag and a
function. Prints one line a name; exit code 1 if there is any.
"""
import collections
import os
import re
import sys

FOLDERS = ("host", "target", "boards", "proto", "riscv", "ld")
TAG = re.compile(r"^(?:typedef )?(?:static (?:const )?)?(?:struct|union|enum) (\w+)\s*\{", re.M)
FUNCTION = re.compile(r"^[A-Za-z_][\w \t*]*?\b(td_\w+)\(", re.M)
COMMENT = re.compile(r"/\*.*?\*/", re.S)


def sources(root):
    for folder in FOLDERS:
        for where, _, names in os.walk(os.path.join(root, folder)):
            for name in sorted(names):
                if name.endswith((".c", ".h", ".hpp", ".cpp")):
                    yield os.path.join(where, name)


def main(root):
    tags, functions, files = collections.defaultdict(set), set(), 0
    for path in sources(root):
        files += 1
        with open(path, encoding="utf-8", errors="replace") as f:
            text = COMMENT.sub("", f.read())
        for match in TAG.finditer(text):
            tags[match.group(1)].add(os.path.relpath(os.path.dirname(path), root))
        functions.update(match.group(1) for match in FUNCTION.finditer(text))
    bad = 0
    for tag, folders in sorted(tags.items()):
        if len(folders) > 1:
            print(f"the tag {tag} is defined in {' and '.join(sorted(folders))}")
            bad += 1
        if tag in functions:
            print(f"{tag} is a tag and a function")
            bad += 1
    print(f"{files} files, {bad} names with two meanings")
    return 1 if bad or not files else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "."))
