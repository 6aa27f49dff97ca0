#!/usr/bin/env python3
"""Each macro and function of the public headers of Tracy 0.11.1 and 0.14.0 (names-RELEASE.txt, made by names.py) is
used by the programs of this folder, or docs/client-macros.md says why it is not there."""
import glob
import os
import re
import sys

SOURCE = os.environ.get("TD_SOURCE_DIR", os.getcwd())
HERE = os.path.join(SOURCE, "tests", "headers")
# The headers of GPU interfaces and of Lua have tests of their own.
HEADERS = {"tracy/Tracy.hpp", "tracy/TracyC.h", "client/TracyLock.hpp", "client/TracyProfiler.hpp",
           "client/TracyScoped.hpp", "common/TracyAlloc.hpp", "common/TracySystem.hpp"}


def read(*paths):
    texts = []
    for path in paths:
        with open(path, encoding="utf-8") as f:
            texts.append(f.read())
    return "\n".join(texts)


def reasons():
    """Names in the first column of the tables after the heading."""
    text = read(os.path.join(SOURCE, "docs", "client-macros.md")).split("## What is not there", 1)[1]
    return {name for line in re.findall(r"^\| (`.*?) \|", text, re.M) for name in re.findall(r"`(\w+)`", line)}


def main():
    used = set(re.findall(r"\w+", read(*glob.glob(os.path.join(HERE, "*.c")), *glob.glob(os.path.join(HERE, "*.cpp")),
                                       *glob.glob(os.path.join(HERE, "*.hpp")))))
    excused, names = reasons(), {}
    for path in sorted(glob.glob(os.path.join(HERE, "names-*.txt"))):
        for line in read(path).splitlines():
            header, _, name = line.split()
            if header in HEADERS:
                names.setdefault(name, []).append("%s of %s" % (header, os.path.basename(path)[6:-4]))
    missing = sorted(name for name in names if name not in used and name not in excused)
    for name in missing:
        print("%s (%s): not used by any program here, and no reason in docs/client-macros.md" % (name, names[name][0]))
    for name in sorted(excused & used):
        print("%s: is used, though docs/client-macros.md says why it is not there" % name)
    for name in sorted(excused - set(names)):
        print("%s: no release has it; docs/client-macros.md says why it is not there" % name)
    print("%d names: %d used, %d with a reason" % (len(names), len(set(names) & used), len(set(names) & excused)))
    return bool(missing or excused & used or excused - set(names))


sys.exit(main())
