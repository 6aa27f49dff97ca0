#!/usr/bin/env python3
"""Checks that no files of a module use each other in a circle.

Usage: check_circles.py ROOT BUILD [NM]
A module is one target of the build with sources on a floor of docs/design.md. Its objects are those of BUILD's
compile_commands.json. A file uses another one if its object has an undefined symbol that the other's object defines; weak
references do not count. Objects that are not built are left out.
Prints the shortest circle of each module that has one, with the symbols that make it; exit code 1 if there is any.
"""
import collections
import json
import os
import shlex
import subprocess
import sys

import check_floors

DEFINED = set("TDBRCVWGSi")
OPEN = set("U")


def objects_of(root, build):
    """{target: {object: source}} of the built objects of the tree, and how many objects are not built."""
    floors = check_floors.read_floors(root)
    modules, missing = collections.defaultdict(dict), 0
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as f:
        for entry in json.load(f):
            source = os.path.relpath(os.path.join(entry["directory"], entry["file"]), root)
            if source.startswith("..") or not check_floors.folder_of(source, floors):
                continue
            words = shlex.split(entry["command"])
            target = path = os.path.join(entry["directory"], words[words.index("-o") + 1])
            while not target.endswith(".dir") and target != os.path.dirname(target):
                target = os.path.dirname(target)
            if os.path.exists(path):
                modules[target][path] = source
            else:
                missing += 1
    return modules, missing


def symbols_of(nm, objects):
    """For each object: the global names that it defines, and its undefined ones."""
    defined, left_open = collections.defaultdict(set), collections.defaultdict(set)
    text = subprocess.run([nm, "-A", "-P", *objects], check=True, capture_output=True, text=True).stdout
    for line in text.splitlines():
        path, rest = line.split(": ", 1)
        name, kind = rest.split()[:2]
        if kind in OPEN:
            left_open[path].add(name)
        elif kind in DEFINED:
            defined[path].add(name)
    return defined, left_open


def uses_of(nm, objects):
    """{source: {source that it uses: names}}. Names that several files define (inline functions of C++) do not count."""
    defined, left_open = symbols_of(nm, sorted(objects))
    owners = collections.defaultdict(list)
    for path, names in defined.items():
        for name in names:
            owners[name].append(path)
    uses = {source: collections.defaultdict(set) for source in objects.values()}
    for path, names in left_open.items():
        for name in names:
            if len(owners[name]) == 1:
                uses[objects[path]][objects[owners[name][0]]].add(name)
    return uses


def way_back(uses, start):
    """The shortest circle of uses from a file back to itself, or None."""
    came_from, queue = {}, collections.deque([start])
    while queue:
        here = queue.popleft()
        for there in sorted(uses[here]):
            if there == start:
                way = [start]
                while here != start:
                    way.insert(0, here)
                    here = came_from[here]
                return [start] + way
            if there not in came_from:
                came_from[there] = here
                queue.append(there)
    return None


def shortest_circle(uses):
    circles = [way for way in (way_back(uses, start) for start in sorted(uses)) if way]
    return min(circles, key=len, default=None)


def tell(circle, uses):
    print("circle: " + " -> ".join(circle))
    for user, used in zip(circle, circle[1:]):
        print(f"  {user} uses of {used}: {', '.join(sorted(uses[user][used]))}")


def main(root, build, nm="nm"):
    modules, missing = objects_of(root, build)
    circles = 0
    for target in sorted(modules):
        uses = uses_of(nm, modules[target])
        circle = shortest_circle(uses)
        if circle:
            tell(circle, uses)
            circles += 1
    files = sum(len(objects) for objects in modules.values())
    print(f"{files} files in {len(modules)} modules, {circles} with circles, {missing} files not built")
    return 1 if circles or not files else 0


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:4]))
