#!/usr/bin/env python3
"""tendril update -r, -R, -p, -a, -A, -v: call stacks that a program left to tools resolve to the same functions
as in the program. With $TD_STOCK_DIR (RELEASE/bin/capture and update in it) also what stock programs recorded and resolve.
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
from random import Random

sys.path.insert(0, os.path.join(os.environ.get("TD_SOURCE_DIR", os.getcwd()), "tests", "client"))
from traces import BINARY, HERE, SOURCE, STOCK, THOROUGH, Trace, capture, check, marked_lines  # noqa: E402

TENDRIL = os.path.join(BINARY, "bin", "tendril")
OFFLINE = {"TRACY_SYMBOL_OFFLINE_RESOLVE": "1"}
AT = marked_lines("stacks.c")
AT.update(marked_lines("stacks.cpp"))
SANITIZED = os.environ.get("TD_SANITIZED")
FOLDER = ""


def path(name):
    return os.path.join(FOLDER, name)


def build(name, *flags, source="stacks.c", compiler="gcc"):
    """A program with call stacks in it."""
    include = os.path.join(SOURCE, "host", "client", "include")
    library = os.path.join(BINARY, "lib", "libtendril-client.a")
    more = SANITIZED.split() if SANITIZED else []
    os.makedirs(os.path.dirname(path(name)), exist_ok=True)
    subprocess.run([compiler, "-g", *flags, *more, "-DTRACY_ENABLE", "-I" + include, os.path.join(HERE, source), library,
                    "-ldl", "-llz4", "-lpthread", "-lm", "-o", path(name)], check=True)
    return path(name)


def record(program, name, env=None, recorder=(TENDRIL, "capture"), args=("all",), code=False):
    return capture(list(recorder), program, *args, env=env, keep=path(name), code=code)


def run(*args, status=0, env=None):
    """Output of `tendril update`: (standard output, standard error)."""
    done = subprocess.run([TENDRIL, "update", *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                          universal_newlines=True, env=dict(os.environ, **(env or {})))
    check(done.returncode == status, args, done.returncode, done.stdout, done.stderr)
    return done.stdout, done.stderr


def update(source, *args, env=None):
    """The resulting trace, and standard error."""
    _, said = run(*args, path(source), path("updated.tracy"), env=env)
    return Trace(path("updated.tracy")), said


def image_frames(trace, image):
    return {frame: lines for frame, (name, lines) in trace.frames.items() if (name or "").endswith(image)}


def unresolved(trace, image):
    frames = image_frames(trace, image)
    return bool(frames) and all(len(lines) == 1 and lines[0][0] == "[unresolved]" for lines in frames.values())


def zone_lines(trace):
    """Of the stack of a zone, without the marker's own functions, which are inlined into leaf."""
    lines = trace.lines(trace.zones()[0])
    names = [line[0] for line in lines]
    return lines[names.index("leaf"):] if "leaf" in names else lines


def known(file="stacks.c"):
    return [("leaf", file, AT["zone"]), ("inner", file, AT["inner"]), ("outer", file, AT["outer"]), ("root", file, AT["root"])]


def check_resolved(trace, *what):
    lines = zone_lines(trace)
    check(lines[:4] == known() and lines[4][0] == "main", *what, lines)


def sizes_of(program):
    listed = subprocess.run(["nm", "-S", program], stdout=subprocess.PIPE, check=True, universal_newlines=True)
    return {name: int(size, 16) for size, name in re.findall(r"^\w+ (\w+) \w (\w+)$", listed.stdout, re.M)}


def check_kinds():
    """With and without optimization, at fixed and at random addresses; chosen by variable and by macro."""
    for name, flags, env in (("O0", ["-O0"], OFFLINE), ("O2", ["-O2"], OFFLINE), ("fixed", ["-O2", "-fno-pie", "-no-pie"], OFFLINE),
                             ("macro", ["-O1", "-DTRACY_SYMBOL_OFFLINE_RESOLVE"], None)):
        program = build(name, *flags)
        trace = record(program, name + ".tracy", env)
        check(unresolved(trace, "/" + name), name, trace.frames)
        trace, said = update(name + ".tracy", "-r")
        check_resolved(trace, name)
        check(not said, name, said)
        symbols = {row[1]: row for row in trace.dump["SYMBOL"]}
        sizes = sizes_of(program)
        for function in "leaf", "root", "main":
            check(symbols[function][8] == sizes[function], name, symbols[function], sizes[function])
            check(os.path.basename(symbols[function][2]) == "stacks.c" and symbols[function][3], name, symbols[function])
        check(not any(row[1].startswith("[unresolved]") and row[4].endswith("/" + name) for row in trace.dump["SYMBOL"]), name)
        of = dict(map(tuple, trace.dump["SYMBOL_OF"]))
        check(all(of[frame] == lines[0][3] for frame, lines in image_frames(trace, "/" + name).items()), name, "SYMBOL_OF")


def check_cpp():
    record(build("cpp", "-O2", source="stacks.cpp", compiler="g++"), "cpp.tracy", OFFLINE, args=())
    trace, _ = update("cpp.tracy", "-r")
    lines = [line for line in trace.lines(trace.zones()[0]) if line[1] == "stacks.cpp"]
    check([line[1:] for line in lines[:4]] ==
          [("stacks.cpp", AT[at]) for at in ("cpp_zone", "cpp_inlined", "cpp_lambda", "cpp_main")], lines)
    check(lines[0][0].startswith("ns::box<double>::work(std::") and lines[3][0] == "main", lines)


def check_paths():
    """Images that were moved: the first matching substitution is used; images without one stay unresolved."""
    os.makedirs(path("away"))
    shutil.move(path("O2"), path("away/O2"))
    trace, said = update("O2.tracy", "-r")
    check(unresolved(trace, "/O2") and said.count("\n") == 1 and "No such file" in said, said)
    trace, said = update("O2.tracy", "-r", "-p", "nothing;x", "-p", "^(.*)/(O\\d)$;$1/away/$2", "-p", "O2;wrong")
    check_resolved(trace, "-p")
    check(not said and len(image_frames(trace, path("O2"))) > 4, "the image's name is that of the trace", said)
    out, _ = run("-r", "-v", "-p", "/O2$;/away/O2", path("O2.tracy"), path("updated.tracy"))
    check(re.search(r"away/O2: root \S+stacks\.c:%d\n" % AT["root"], out), out)
    check(re.search(r"/O2 \(\S+away/O2\): (\d+) of \1 frames resolved\n", out), out)
    out, _ = run("-q", "-r", "-p", "/O2$;/away/O2", path("O2.tracy"), path("updated.tracy"))
    check(out == "", out)
    for wrong in "no separator", "(;x", "[;x":
        _, said = run("-r", "-p", wrong, path("O2.tracy"), path("never.tracy"), status=2)
        check(said.count("\n") == 1 and not os.path.exists(path("never.tracy")), wrong, said)
    shutil.move(path("away/O2"), path("O2"))


def check_split():
    """Debug information in a separate file, and programs without any."""
    program = build("split", "-O2", "-rdynamic")
    shutil.copy(program, path("whole"))
    subprocess.run(["objcopy", "--only-keep-debug", "split", "split.debug"], cwd=FOLDER, check=True)
    subprocess.run(["strip", program], check=True)
    record(program, "split.tracy", OFFLINE)
    record(program, "stripped.tracy")
    out, said = run("-r", path("split.tracy"), path("updated.tracy"))
    names = {line[0] for lines in image_frames(Trace(path("updated.tracy")), "/split").values() for line in lines}
    check({"leaf", "root", "main"} <= names and "names only" in out and not said, names, out, said)
    trace, said = update("stripped.tracy", "-r", "-p", "/split$;/whole")
    check_resolved(trace, "names of a program that resolved them itself, without lines", said)
    subprocess.run(["objcopy", "--add-gnu-debuglink=split.debug", "split"], cwd=FOLDER, check=True)
    check_resolved(update("split.tracy", "-r")[0], ".gnu_debuglink")


def check_reset():
    """-R resets symbols, also those that were resolved while the program ran; -Rr resets and resolves."""
    before = Trace(path("O2.tracy"))
    run("-r", path("O2.tracy"), path("resolved.tracy"))
    run("-R", path("resolved.tracy"), path("reset.tracy"))
    after = Trace(path("reset.tracy"))
    check(after.frames == before.frames, "-R does not lead back", after.frames, before.frames)
    check(sorted(map(str, after.dump["SYMBOL"])) == sorted(map(str, before.dump["SYMBOL"])), "symbols after -R")
    check(after.dump["SYMBOL_OF"] == before.dump["SYMBOL_OF"], "symbols of addresses after -R")
    record(path("O2"), "live.tracy", code=True)  # with the places of all instructions
    check(update("live.tracy", "-r")[0].frames == Trace(path("live.tracy")).frames, "what is known stays")
    again, _ = update("live.tracy", "-Rr")
    check_resolved(again, "-Rr")
    run("-R", path("live.tracy"), path("left.tracy"))
    check(unresolved(Trace(path("left.tracy")), "/O2"), "-R")
    later = update("left.tracy", "-r")[0].frames
    known_later = {frame: lines for frame, lines in later.items() if lines[1][0][0] != "[unresolved]"}
    check(later.keys() == again.frames.keys() and len(known_later) > 100, "-R, then -r", len(later), len(known_later))
    check(known_later == {frame: again.frames[frame] for frame in known_later}, "-R, then -r resolves as -Rr")
    # Code without a symbol, such as the table of calls into libraries: -Rr keeps what the program said of it.
    live = Trace(path("live.tracy")).frames
    check(all(again.frames[frame] == live[frame] for frame in later.keys() - known_later.keys()), "-Rr keeps the rest")
    shutil.move(path("O2"), path("hidden"))
    check(update("live.tracy", "-R")[0].frames.keys() == Trace(path("live.tracy")).frames.keys(), "-R without the image")
    check(not unresolved(update("live.tracy", "-R")[0], "/O2"), "what cannot be resolved again stays")
    shutil.move(path("hidden"), path("O2"))


def tool(name, text):
    with open(path(name), "w", encoding="utf-8") as f:
        f.write("#!/bin/sh\n" + text)
    os.chmod(path(name), 0o755)
    return path(name)


def check_tools():
    if shutil.which("addr2line"):
        trace, _ = update("O2.tracy", "-r", "-a", "addr2line")
        check(all(len(lines) == 1 for lines in image_frames(trace, "/O2").values()), "one function a frame")
        check(zone_lines(trace)[0] == known()[0] or trace.lines(trace.zones()[0])[0][1] != "stacks.c", zone_lines(trace))
        trace, _ = update("O2.tracy", "-r", "-a", shutil.which("addr2line"), "-A", "-i -s")
        check_resolved(trace, "-A -i")
        sizes = sizes_of(path("O2"))
        check(all(row[8] == sizes[row[1]] for row in trace.dump["SYMBOL"] if row[1] in ("leaf", "root", "main")), "sizes")
    out = tool("arguments", 'for a; do case $a in 0x*) echo $a; echo "f|$*"; echo "/x y/z.c:7 (discriminator 2)";; esac; done\n')
    trace, _ = update("O2.tracy", "-r", "-a", out, "-A", "--one 'two  words' \"th\\\"ree\"")
    line = next(iter(image_frames(trace, "/O2").values()))[0]
    check(line[0].startswith("f|-C -f --one two  words th\"ree -e " + path("O2") + " -a 0x") and line[1:3] == ["/x y/z.c", 7], line)
    before = Trace(path("O2.tracy")).frames
    for text in ("", "echo; echo; echo", "exit 3", "kill -9 $$", "echo 0x1", "yes | head -c 300000", "yes 0x1 | head -c 300000",
                 "head -c 30000 /dev/urandom"):
        trace, _ = update("O2.tracy", "-r", "-a", tool("garbage", text + "\n"))
        check(trace.frames.keys() == before.keys(), text)
    _, said = run("-r", "-a", path("none"), path("O2.tracy"), path("never.tracy"), status=2)
    check(said.count("\n") == 1, said)
    _, said = update("O2.tracy", "-r", "-a", "no-such-program")
    check("no-such-program cannot be run" in said, said)
    _, said = update("O2.tracy", "-r", "-a", out, "-A", "'")
    check("quote" in said, said)


def check_hostile():
    """Images with any contents: the trace is written, with at most one line per image."""
    with open(path("O2"), "rb") as f:
        whole = f.read()
    listed = subprocess.run(["readelf", "-S", "-W", path("O2")], stdout=subprocess.PIPE, check=True, universal_newlines=True)
    found = re.findall(r"\] (\.debug_\w+|\.symtab|\.strtab) +\w+ +\w+ +(\w+) +(\w+)", listed.stdout)
    sections = [(int(offset, 16), int(size, 16)) for _, offset, size in found]
    random = Random(20261121)
    before = Trace(path("O2.tracy")).frames.keys()
    for i in range(24 if THOROUGH else 9):
        text = bytearray(whole)
        if i % 3 == 0:
            text = text[:random.choice((0, 3, 60, 64, 100, 3000, random.randrange(len(whole))))]
        elif i % 3 == 1:
            for offset, size in sections:
                for _ in range(random.choice((0, 3, 40, 400))):
                    text[offset + random.randrange(size)] = random.randrange(256)
        else:
            for _ in range(random.choice((1, 5, 30))):
                text[random.randrange(1000)] = random.randrange(256)
                text[-1 - random.randrange(2500)] = random.randrange(256)
        with open(path("broken"), "wb") as f:
            f.write(text)
        trace, said = update("O2.tracy", "-r", "-p", "/O2$;/broken")
        check(trace.frames.keys() == before and said.count("\n") <= 1, i, said)
    for name in "", "..", "fifo":
        if name == "fifo":
            os.mkfifo(path(name))
        trace, said = update("O2.tracy", "-r", "-p", "/O2$;/" + name)
        check(said.count("\n") == 1 and unresolved(trace, "/O2"), name, said)


def check_reader_that_fails():
    """If the reader of debug information crashes, names come from the symbol table."""
    with open(os.path.join(SOURCE, "host", "symbols", "debug_info.c"), encoding="utf-8") as f:
        functions = set(re.findall(r"^    X\((\w+)\)", f.read(), re.M))
    listed = subprocess.run(["nm", "-D", "--undefined-only", TENDRIL], stdout=subprocess.PIPE, check=True, universal_newlines=True)
    functions |= set(re.findall(r" ((?:dwarf|dwfl)_\w+)", listed.stdout))
    with open(path("libdw.c"), "w", encoding="utf-8") as f:
        f.writelines("void %s(void) { %s }\n" % (name, "__builtin_trap();" * (name == "dwfl_begin")) for name in sorted(functions))
    os.makedirs(path("lib"))
    subprocess.run(["gcc", "-shared", "-fPIC", path("libdw.c"), "-o", path("lib/libdw.so.1")], check=True)
    trace, said = update("O2.tracy", "-r", env={"LD_LIBRARY_PATH": path("lib")})
    said = [line for line in said.splitlines() if line.startswith("tendril update:")]
    check(len(said) == 2 and all(line.endswith("its debug information is broken: names only") for line in said), said)
    check({line[0] for lines in image_frames(trace, "/O2").values() for line in lines} >= {"leaf", "root", "main"}, trace.frames)


def stock_programs(what):
    return [p for p in sorted(glob.glob(os.path.join(STOCK, "*", "bin", what))) if STOCK and "/0.9" not in p and "/0.10" not in p]


def check_stock():
    """Stacks of our client in a trace of stock's recorder: stock's update and ours resolve them alike, also after our -R."""
    for recorder in stock_programs("capture"):
        os.environ["TENDRIL_PEER"] = "tt" if "/ttfork/" in recorder else ""
        record(path("O2"), "stock.tracy", OFFLINE, recorder=[recorder])
        os.environ["TENDRIL_PEER"] = ""
        run("-r", path("stock.tracy"), path("ours.tracy"))
        run("-R", path("ours.tracy"), path("left.tracy"))
        ours = image_frames(Trace(path("ours.tracy")), "/O2")
        for source in "stock.tracy", "left.tracy":
            done = subprocess.run([os.path.join(os.path.dirname(recorder), "update"), "-r", path(source), path("theirs.tracy")],
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, universal_newlines=True)
            check(done.returncode == 0, recorder, done.stdout)
            theirs = image_frames(Trace(path("theirs.tracy")), "/O2")
            check(len(ours) > 4 and ours.keys() == theirs.keys(), recorder, ours, theirs)
            for frame, lines in ours.items():
                check(lines[0][:3] == theirs[frame][0][:3], recorder, source, lines, theirs[frame])
        check_resolved(update("theirs.tracy", "-Rr")[0], "what stock resolved", recorder)
        print("as stock:", recorder)
    if not stock_programs("capture"):
        print("skipped: TD_STOCK_DIR names no folder with stock programs")


def check_stock_clients():
    """Stacks of stock's client in a trace of stock's recorder: stock's update and ours resolve them alike."""
    source = os.path.join(SOURCE, "tests", "tools", "called.c")
    for recorder in stock_programs("capture"):
        home = os.path.dirname(os.path.dirname(recorder))
        library = os.path.join(home, "lib", "libTracyClient.a")
        if not os.path.exists(library):
            continue
        subprocess.run(["gcc", "-g", "-O2", "-DTRACY_ENABLE", "-I" + os.path.join(home, "src", "public"), "-c", source,
                        "-o", path("called.o")], check=True)
        subprocess.run(["g++", path("called.o"), library, "-ldl", "-lpthread", "-o", path("called")], check=True)
        record(path("called"), "stock.tracy", dict(OFFLINE, TRACY_NO_EXIT="1"), recorder=[recorder], args=())
        run("-r", path("stock.tracy"), path("ours.tracy"))
        subprocess.run([os.path.join(home, "bin", "update"), "-r", path("stock.tracy"), path("theirs.tracy")],
                       stdout=subprocess.DEVNULL, check=True)
        trace = Trace(path("ours.tracy"))
        lines = [line[0] for line in trace.lines(trace.zones()[0]) if line[1] == "called.c"]
        check(lines[:4] == ["leaf", "inlined", "root", "main"], recorder, lines)
        ours = image_frames(trace, "/called")
        theirs = image_frames(Trace(path("theirs.tracy")), "/called")
        same = [frame for frame, lines in theirs.items() if lines[0][2]]
        check(len(same) > 4 and ours.keys() == theirs.keys(), recorder, ours, theirs)
        for frame in same:
            check(ours[frame][0][:3] == theirs[frame][0][:3], recorder, ours[frame], theirs[frame])
        subprocess.run(["g++", "-no-pie", path("called.o"), library, "-ldl", "-lpthread", "-o", path("fixed")], check=True)
        record(path("fixed"), "stock.tracy", dict(OFFLINE, TRACY_NO_EXIT="1"), recorder=[recorder], args=())
        trace, _ = update("stock.tracy", "-r", "-p", r"^\[unknown\]$|^.*/fixed$;" + path("fixed"))
        lines = [line[0] for line in trace.lines(trace.zones()[0]) if line[1] == "called.c"]
        check(lines[:4] == ["leaf", "inlined", "root", "main"], recorder, "at fixed addresses", lines)
        print("of stock's client, as stock:", recorder)


def main():
    global FOLDER
    missing = [name for name in ("gcc", "g++", "nm", "strip", "objcopy", "readelf") if not shutil.which(name)]
    if missing:
        print("skipped: no", *missing)
        return
    with tempfile.TemporaryDirectory() as FOLDER:
        for part in (check_kinds, check_cpp, check_paths, check_split, check_reset, check_tools, check_hostile,
                     check_reader_that_fails, check_stock, check_stock_clients):
            part()
            print(part.__name__)


main()
