#!/usr/bin/env python3
"""Writes C files that include others, so that a checker parses headers once for many files.

Usage: group_sources.py FOLDER < names of C files, relative to the include path, which is the current folder
Prints the names of the files that it wrote. Each includes sources in the order given. No name at file scope is
defined by two sources of a group; macros of a source end with it. A source is alone if it includes another C file,
or defines a macro that a header defines too.
"""
import glob
import os
import re
import sys

DEPTH = 2  # sources of a group have so many folders in common
MOST = 60  # sources of a group
FOLDERS = ("host", "boards", "proto")  # of headers
MACRO = re.compile(r"^#\s*define\s+(\w+)", re.M)
UNDEFINED = re.compile(r"^#\s*undef\s+(\w+)", re.M)
INCLUDED_C = re.compile(r'^#\s*include\s+"[^"]*\.c"', re.M)
BLOCK = re.compile(r"^(?:static |typedef |const )*(?:struct|union|enum)\b[ \w]*\{(.*?)^\}([^;]*);", re.M | re.S)
TAG = re.compile(r"^(?:static |typedef |const )*(?:struct|union|enum)\s+(\w+)\s*\{", re.M)
ENUM = re.compile(r"^(?:typedef )?enum\b[ \w]*\{(.*?)\}", re.M | re.S)
CONSTANT = re.compile(r"(?:^|,)\s*(\w+)", re.M)
DECLARATION = re.compile(r"^[A-Za-z_][^\n;={(\[]*?\b(\w+)\s*(?=[;=(\[])", re.M)


def macros_of(text):
    """Macros that are defined at the end of a file."""
    return set(MACRO.findall(text)) - set(UNDEFINED.findall(text))


def names(text):
    """What a source defines at file scope, macros included; more names than that do no harm."""
    found = macros_of(text) | set(TAG.findall(text)) | set(DECLARATION.findall(text))
    for body in ENUM.findall(text):
        found |= set(CONSTANT.findall(re.sub(r"//.*|/\*.*?\*/", "", body, flags=re.S if "/*" in body else 0)))
    for _, declared in BLOCK.findall(text):
        found |= set(re.findall(r"\w+", declared))
    return found


class Group:
    def __init__(self):
        self.sources, self.names = [], set()

    def takes(self, defined):
        return len(self.sources) < MOST and not self.names & defined

    def add(self, source, defined):
        self.sources.append(source)
        self.names |= defined

    def text(self):
        lines = []
        for source, macros in self.sources:
            lines.append(f'#include "{source}"')
            lines += [f"#undef {macro}" for macro in sorted(macros)]
        return "\n".join(lines) + "\n"


def read(path):
    with open(path, encoding="utf-8", errors="replace") as f:
        return f.read()


def header_macros():
    found = set()
    for folder in FOLDERS:
        for header in glob.glob(f"{folder}/**/*.h", recursive=True):
            found |= macros_of(read(header))
    return found


def groups_of(sources, in_headers):
    groups, alone = [], []
    for source in sources:
        text = read(source)
        defined, macros = names(text), macros_of(text)
        is_alone = INCLUDED_C.search(text) or macros & in_headers
        group = None if is_alone else next((g for g in groups if g.takes(defined)), None)
        if not group:
            group = Group()
            (alone if is_alone else groups).append(group)
        group.add((source, macros), defined)
    return groups + alone


def main(folder):
    modules = {}
    for source in sys.stdin.read().split():
        modules.setdefault("_".join(source.split("/")[:DEPTH]), []).append(source)
    in_headers = header_macros()
    groups = [(f"{name}_{i}.c", group) for name, sources in modules.items()
              for i, group in enumerate(groups_of(sources, in_headers))]
    for name, group in groups:
        path = os.path.join(folder, name)
        with open(path, "w", encoding="utf-8") as f:
            f.write(group.text())
        print(path)


if __name__ == "__main__":
    main(sys.argv[1])
