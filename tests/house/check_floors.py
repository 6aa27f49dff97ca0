#!/usr/bin/env python3
"""Checks every #include of the tree against the floors of docs/design.md.

Usage: check_floors.py ROOT
A file may include its own folder and lower floors; includes may not form a circle. Where a folder has rooms, a
file may include its own room and those before it in the list.
Prints one line a violation; exit code 1 if there is any.
"""
import os
import re
import sys

SOURCE = (".c", ".h", ".cpp", ".hpp", ".S", ".in")
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"')
FLOOR = re.compile(r"^\|\s*(\d+)\s*\|\s*([\w/]+)\s*\|")
ROOMS = re.compile(r"^\|\s*([\w/]+)\s*\|\s*rooms: ([\w., ]+?)\s*\|")


def read_floors(root):
    floors = {}
    with open(os.path.join(root, "docs/design.md"), encoding="utf-8") as f:
        for line in f:
            match = FLOOR.match(line)
            if match:
                floors[match.group(2)] = int(match.group(1))
    if len(floors) < 3:
        sys.exit("check_floors: docs/design.md holds no table of floors")
    return floors


def read_rooms(root):
    """The rooms of each folder, lowest first; "." is the files at the folder's top."""
    with open(os.path.join(root, "docs/design.md"), encoding="utf-8") as f:
        matches = [ROOMS.match(line) for line in f]
    return {m.group(1): [room.strip() for room in m.group(2).split(",")] for m in matches if m}


def room_of(path, folder):
    parts = os.path.relpath(path, folder).split("/")
    return parts[0] if len(parts) > 1 else "."


def check_rooms(rooms, here, path, target):
    """The error in an include inside one folder, or None."""
    if here not in rooms:
        return None
    order = rooms[here]
    for one in (path, target):
        if room_of(one, here) not in order:
            return f"{one} is in no room that docs/design.md lists"
    mine, theirs = room_of(path, here), room_of(target, here)
    if order.index(theirs) > order.index(mine):
        return f"room {mine} includes {target} of room {theirs}"
    return None


def folder_of(path, floors):
    parts = path.split("/")
    for n in range(len(parts) - 1, 0, -1):
        name = "/".join(parts[:n])
        if name in floors:
            return name
    return None


def house_files(root, floors):
    for folder in floors:
        for where, _, names in os.walk(os.path.join(root, folder)):
            for name in names:
                if name.endswith(SOURCE):
                    yield os.path.relpath(os.path.join(where, name), root)


def resolve(root, path, target):
    """The file of this tree that the include means, or None for a library's header."""
    for base in (os.path.dirname(path), "", "target/include", "host/client/include"):
        candidate = os.path.normpath(os.path.join(base, target))
        if os.path.isfile(os.path.join(root, candidate)):
            return candidate
    return None


def includes(root, path):
    with open(os.path.join(root, path), encoding="utf-8", errors="replace") as f:
        for number, line in enumerate(f, 1):
            match = INCLUDE.match(line)
            if match:
                found = resolve(root, path, match.group(1))
                if found:
                    yield number, found


def find_circle(graph):
    state, stack = {}, []

    def visit(node):
        state[node] = 1
        stack.append(node)
        for target in graph.get(node, ()):
            if state.get(target) == 1:
                return stack[stack.index(target):] + [target]
            if target not in state:
                circle = visit(target)
                if circle:
                    return circle
        stack.pop()
        state[node] = 2
        return None

    for node in sorted(graph):
        if node not in state:
            circle = visit(node)
            if circle:
                return circle
    return None


def main(root):
    sys.setrecursionlimit(10000)
    floors = read_floors(root)
    rooms = read_rooms(root)
    graph, bad, files = {}, 0, 0
    for path in sorted(set(house_files(root, floors))):
        files += 1
        here = folder_of(path, floors)
        for number, target in includes(root, path):
            graph.setdefault(path, []).append(target)
            there = folder_of(target, floors)
            if there is None:
                print(f"{path}:{number}: includes {target}, which stands on no floor")
                bad += 1
            elif there != here and floors[there] >= floors[here]:
                print(f"{path}:{number}: floor {floors[here]} includes {target} of floor {floors[there]}")
                bad += 1
            elif there == here:
                wrong = check_rooms(rooms, here, path, target)
                if wrong:
                    print(f"{path}:{number}: {wrong}")
                    bad += 1
    circle = find_circle(graph)
    if circle:
        print("circle: " + " -> ".join(circle))
        bad += 1
    print(f"{files} files, {bad} violations")
    return 1 if bad or not files else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "."))
