"""A second reader of trace files, written from the format's description alone. It gives a file's content with strings in
place of indices, and the rules of stock readers that the file breaks.

    walker.py FILE            the content, as JSON
    walker.py --rules FILE... the rules that the files break; status 1 if any
"""
import json
import sys

import sections_head
import sections_rest
import sections_zones
from container import Bad
from payload import Payload


def resolve(w):
    """Resolves references that need all tables: call stacks, names of frame sets, pools, crash."""
    def walk(value):
        if isinstance(value, dict):
            return {key: walk(x) for key, x in value.items()}
        if not isinstance(value, list):
            return value
        if len(value) == 2 and value[0] == "stack" and isinstance(value[1], int):
            if value[1] >= len(w.stacks):
                w.problem("a call stack does not exist")
                return None
            return w.stacks[value[1]]
        return [walk(x) for x in value]

    c = w.content
    if c["crash"]:
        c["crash"][2] = w.pointers.get(c["crash"][2], "???")
    for frame_set in c["frames"]:
        frame_set[0] = w.pointers.get(frame_set[0], "???")
    for _, items in c["sections"]:
        for item in items:
            item[2] = w.string_at(item[2] - 1) if item[2] else None
    c["cats"] = sorted([n, w.string_at(i - 1) if i else None] for n, i in c["cats"])
    w.content = walk(c)


def read(path):
    w = Payload(path)
    for part in (sections_head, sections_zones, sections_rest):
        for section in part.SECTIONS:
            section(w)
    w.rest = len(w.b.data) - w.b.at
    w.need(w.last_used <= w.content["last_time"] != 0, "last_time is not the last")
    resolve(w)
    return w


def main():
    if sys.argv[1:2] == ["--rules"] and len(sys.argv) > 2:
        bad = 0
        for path in sys.argv[2:]:
            try:
                problems = read(path).problems
            except Bad as error:
                problems = [str(error)]
            for problem in problems:
                print(f"{path}: {problem}")
                bad = 1
        sys.exit(bad)
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    json.dump(read(sys.argv[1]).content, sys.stdout)
    print()


if __name__ == "__main__":
    main()
