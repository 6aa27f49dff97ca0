"""The module tracy_client: Tracy's names, and what they mark; markers import what they need without a zone."""
import os
import re
import sys
import tempfile

import kit
from kit import PROGRAMS, SOURCE, Trace, check, run


def names():
    trace = Trace(PROGRAMS + "/upstream.py", before=())
    check(trace.code == 0, trace.err)
    info = trace.info()
    count = {zone["name"]: zone["count"] for zone in info["names"]}
    check(count == {"outer": 1, "decorated": 1, "by hand": 1}, str(count))
    lines = {zone["name"]: zone["line"] for zone in info["names"]}
    with open(PROGRAMS + "/upstream.py", encoding="utf-8") as file:
        text = file.read().split("\n")
    check("outer" in text[lines["outer"] - 1], f"the zone is at line {lines['outer']}")
    texts = [row["zone_text"] for row in trace.table("--style", "tt", "-u", "-f", "renamed")]
    check(len(texts) == 1 and "a text" in texts[0] and "7" in texts[0], str(texts))
    check(trace.messages() == ["plain", "coloured"], str(trace.messages()))


def colors():
    """Those of the C++ header."""
    with open(os.path.join(SOURCE, "host/client/include/common/TracyColor.hpp"), encoding="utf-8") as file:
        wanted = {name: int(value, 16) for name, value in re.findall(r"(\w+) = (0x[0-9a-f]+)", file.read())}
    code, out, err = run("-c", "from tracy_client import ColorType as c; print({n: int(v) for n, v in c.__members__.items()})")
    check(code == 0 and len(wanted) > 600 and eval(out) == wanted, err)


def imports():
    """A program that is profiled has zones of its own calls only, however much its markers import."""
    program = ("import tracy, tracy_client\nwith tracy.zone('x'): pass\n@tracy.zone\ndef f(): pass\n"
               "z = tracy_client.ColorType.Red, tracy_client.ScopedZone\n")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "marked.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(program)
        trace = Trace(path)
    check(trace.code == 0, trace.err)
    foreign = [(file, name) for file, _, name in trace.zones()
               if not file.startswith("<frozen") and not file.endswith(("marked.py", "__init__.py"))]
    check(not foreign and trace.count("x") == 1, f"{len(foreign)} zones of imports: {foreign[:5]}")


def main(which):
    {"names": names, "colors": colors, "imports": imports}[which]()
    return 1 if kit.failures() else print("ok") or 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
