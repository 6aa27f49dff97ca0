#!/usr/bin/env python3
"""What each library exports is what exports/LIBRARY.txt lists, of the client host/client/exports.txt. All other names are hidden, and those of archives begin
with td_.

Usage: test_exports.py [--update]. $TD_BINARY_DIR is the build, build/ otherwise.
"""
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
CLIENT = os.path.join(HERE, "..", "..", "host", "client", "exports.txt")  # also the version script of the shared one
LIBRARIES = ["libtendril-client.a", "libtendril-client.so", "libtendril-malloc.a", "libtendril-malloc.so", "libtendril-host.a", "libtendril-ttsim.so"]
ALLOWED = ("td_", "___tracy_")


def globals_of(path):
    """Names that are defined with global binding: (exported, hidden)."""
    table = "--dyn-syms" if path.endswith(".so") else "--syms"
    text = subprocess.run(["readelf", "-W", table, path], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          universal_newlines=True).stdout
    exported, hidden = set(), set()
    for line in text.splitlines():
        fields = line.split()
        # Num: Value Size Type Bind Vis Ndx Name
        if len(fields) < 8 or fields[6] == "ABS" or fields[4] not in ("GLOBAL", "WEAK", "UNIQUE") or fields[6] == "UND":
            continue
        (exported if fields[5] == "DEFAULT" else hidden).add(fields[7].split("@")[0])
    return exported, hidden


def check(library, path, update):
    """Prints what is wrong; true if all is well."""
    listed_in = CLIENT if "client" in library else os.path.join(HERE, "exports", library + ".txt")
    exported, hidden = globals_of(path)
    if update:
        with open(listed_in, "w", encoding="ascii") as f:
            f.write("".join(name + "\n" for name in sorted(exported)))
    with open(listed_in, encoding="ascii") as f:
        listed = set(f.read().split())
    faults = ["%s exports %s, which its list lacks" % (library, name) for name in sorted(exported - listed)]
    faults += ["%s does not export %s" % (library, name) for name in sorted(listed - exported)]
    if faults:
        faults.append("To change the list on purpose: tests/install/test_exports.py --update\n"
                      "To hide or export a name: host/base/export.h and docs/style.md")
    faults += ["%s has the hidden name %s, which may meet a name of a program" % (library, name)
               for name in sorted(hidden) if not name.startswith(ALLOWED)]
    print("\n".join(faults) if faults else "%s: %d exported, %d hidden" % (library, len(exported), len(hidden)))
    return not faults


def main():
    folder = os.path.join(os.environ.get("TD_BINARY_DIR", "build"), "lib")
    built = [library for library in LIBRARIES if os.path.exists(os.path.join(folder, library))]
    results = [check(library, os.path.join(folder, library), "--update" in sys.argv[1:]) for library in built]
    sys.exit(0 if results and all(results) else 1)


main()
