#!/usr/bin/env python3
"""Call stacks of a program that is known to the line: functions, inlined ones too, files, lines, code and sources come
out of recorders as they are in its source. With $TD_STOCK_DIR (RELEASE/bin/capture in it) also out of stock ones.

test_stacks.py [COPIES]: so many programs with damaged debug information
"""
import ctypes
import http.server
import itertools
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from random import Random

from traces import BINARY, HERE, SOURCE, TESTS, THOROUGH, Trace, capture, check, marked_lines, recorders, unhurried

PLUGIN = os.path.join(TESTS, "libclient_stacks_plugin.so")
AT = marked_lines("stacks.c")
AT.update(marked_lines("stacks_plugin.c"))
AT.update(marked_lines("stacks.cpp"))


def own(function, mark, file="stacks.c"):
    return (function, file, AT[mark])


INLINED = [own("inner", "inner"), own("outer", "outer"), own("root", "root")]


def stacks_of(trace):
    """What of each marker."""
    pool = trace.dump["MEMORY"][-1][0]
    zone, made = trace.zones()
    return {"zone": zone, "message": trace.message("stack of message"), "literal": trace.message("stack of literal"),
            "alloc": pool[2], "free": pool[3], "made": made}


def check_lines(recorder, kind, code=False):
    trace = capture(recorder, os.path.join(TESTS, "client_stacks_" + kind), "all", code=code)
    for mark, stack in stacks_of(trace).items():
        lines = trace.lines(stack)
        check(lines[0] == own("leaf", mark), recorder, kind, mark, lines)
        check(lines[1:4] == INLINED, recorder, kind, mark, lines)
        check(lines[4][0] == "main", recorder, kind, mark, lines)
        check([image for image, _ in trace.stack(stack)][:3] == ["client_stacks_" + kind] * 3, recorder, mark, lines)
        check(len(trace.stack(stack)[1][1]) == 3, "inlined functions are of one address", trace.stack(stack))
    return trace


def check_code(trace, recorder):
    """Code of the functions is that of the file, and the source came."""
    by_name = {symbol[1]: symbol for symbol in sorted(trace.dump["SYMBOL"], key=lambda row: row[8])}  # not .cold
    code = {address: data for address, data, _ in trace.dump["CODE"]}
    check({"leaf", "root", "main"} <= set(by_name), recorder, sorted(by_name))
    leaf = by_name["leaf"]
    check(leaf[8] > 20 and len(code.get(leaf[0], "")) == 2 * leaf[8], recorder, "code of leaf", leaf)
    with open(os.path.join(TESTS, "client_stacks_O2"), "rb") as f:
        check(bytes.fromhex(code[leaf[0]]) in f.read(), recorder, "code is not that of the file")
    sources = {os.path.basename(row[0]): bytes.fromhex(row[1]) for row in trace.dump["SOURCE"]}
    with open(os.path.join(HERE, "stacks.c"), "rb") as f:
        check(sources.get("stacks.c") == f.read(), recorder, "source", sorted(sources))


def check_recorder(recorder):
    check_lines(recorder, "O0")
    check_code(check_lines(recorder, "O2", code=True), recorder)
    print("lines, code and source:", recorder[0])


def check_without_debug_information(recorder):
    trace = capture(recorder, os.path.join(TESTS, "client_stacks_stripped"), "all")
    stack = trace.stack(stacks_of(trace)["zone"])
    check(stack[0] == ("client_stacks_stripped", [("leaf", "[unknown]", 0)]), stack)
    check(stack[1][1] == [("root", "[unknown]", 0)], stack)


def check_last_call(recorder):
    """A call that does not return is still of its function."""
    trace = capture(recorder, os.path.join(TESTS, "client_stacks_O2"), "last")
    lines = trace.lines(trace.message("stack of the last"))
    check(lines[:2] == [own("leaves", "last"), own("ends", "ends")], lines)


def check_switches(recorder):
    program = os.path.join(TESTS, "client_stacks_O2")
    trace = capture(recorder, program, "all", env={"TRACY_NO_CALLSTACK_INLINES": "1"})
    lines = trace.lines(stacks_of(trace)["zone"])
    check(lines[:2] == [own("leaf", "zone"), own("root", "root")], lines)
    trace = capture(recorder, program, "all")  # with TRACY_NO_CODE_TRANSFER
    check(not trace.dump["CODE"] and trace.lines(stacks_of(trace)["zone"])[:1] == [own("leaf", "zone")], "code came")
    trace = capture(recorder, program, "all", env={"TRACY_NO_CALLSTACK": "1"})
    check(not trace.zones() and not trace.frames, "stacks came")
    trace = capture(recorder, program, "all", env={"TRACY_SYMBOL_OFFLINE_RESOLVE": "1"})
    image, lines = trace.frames[stacks_of(trace)["zone"][0]]
    check(image.endswith("client_stacks_O2") and lines[0][0] == "[unresolved]" and lines[0][3], image, lines)
    where = subprocess.run(["addr2line", "-f", "-i", "-e", program, hex(lines[0][3])], stdout=subprocess.PIPE, check=False,
                           universal_newlines=True).stdout.split() if shutil.which("addr2line") else None
    check(not where or any(at.endswith("stacks.c:%d" % AT["zone"]) for at in where), where)


def check_gone_library(recorder):
    """Names of a library that was unloaded, with and without a connection; never a crash."""
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, "plugin.so")
        shutil.copy(PLUGIN, copy)
        trace = capture(recorder, os.path.join(TESTS, "client_stacks_O2"), "plugin", copy)
        stack = trace.stack(trace.zones()[0])
        check(stack[0][1] == [own("leaf", "zone")], stack)
        # Its file is there; whether its mapping was still seen is a matter of time.
        check(stack[1] in [("plugin.so", [own("plugin_call", "plugin", "stacks_plugin.c")]),
                           ("[unknown]", [("[unknown]", "[unknown]", 0)])], stack)


def check_cpp(recorder):
    """Names as C++ has them, lines, and none of the headers' own functions; with what gcc and clang write."""
    include = os.path.join(SOURCE, "host", "client", "include")
    library = os.path.join(BINARY, "lib", "libtendril-client.a")
    compilers = [] if os.environ.get("TD_SANITIZED") else [c for c in ("g++", "clang++") if shutil.which(c)]
    with tempfile.TemporaryDirectory() as folder:
        for compiler, level in itertools.product(compilers, ("-O0", "-O2")) if THOROUGH else zip(compilers, ("-O2", "-O0")):
            program = os.path.join(folder, "stacks")
            subprocess.run([compiler, "-g", level, "-DTRACY_ENABLE", "-I" + include, os.path.join(HERE, "stacks.cpp"),
                            library, "-llz4", "-lpthread", "-lm", "-o", program], check=True)
            trace = capture(recorder, program)
            for mark, stack in ("cpp_zone", trace.zones()[0]), ("cpp_message", trace.message("from C++")):
                lines = trace.lines(stack)
                check([line[1:] for line in lines[:4]] ==
                      [("stacks.cpp", AT[at]) for at in (mark, "cpp_inlined", "cpp_lambda", "cpp_main")], compiler, lines)
                check(lines[0][0].startswith("ns::box<double>::work(std::"), compiler, lines)
                check("inlined" in lines[1][0] and "operator()" in lines[2][0] and lines[3][0] == "main", compiler, lines)


def debug_sections(path):
    """(offset, bytes) of what the program does not need to run."""
    listed = subprocess.run(["readelf", "-S", "-W", path], stdout=subprocess.PIPE, check=True, universal_newlines=True)
    found = re.findall(r"\] (\.debug_\w+|\.symtab|\.strtab) +\w+ +\w+ +(\w+) +(\w+)", listed.stdout)
    return [(int(offset, 16), int(size, 16)) for _, offset, size in found]


def check_broken_debug_information(recorder, copies):
    """With any bytes in a file, the program and the session end well."""
    program = os.path.join(TESTS, "client_stacks_O2")
    if not shutil.which("readelf"):
        print("skipped: no readelf")
        return
    sections = debug_sections(program)
    with open(program, "rb") as f:
        whole = f.read()
    random = Random(20261121)
    with tempfile.TemporaryDirectory() as folder:
        broken = os.path.join(folder, "broken")
        for _ in range(copies):
            text = bytearray(whole)
            for offset, size in sections:
                for _ in range(random.choice((0, 3, 40, 400))):
                    text[offset + random.randrange(size)] = random.randrange(256)
            with open(broken, "wb") as f:
                f.write(text)
            os.chmod(broken, 0o755)
            # What the library for it leaves behind where it faults is more than a sanitizer's look for leaks bears.
            trace = capture(recorder, broken, "all", env={"ASAN_OPTIONS": "detect_leaks=0"})
            check(len(trace.zones()) == 2, "broken debug information")


def check_static(recorder):
    """A program without the loader has its symbols."""
    include = os.path.join(SOURCE, "host", "client", "include")
    library = os.path.join(BINARY, "lib", "libtendril-client.a")
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "stacks")
        linked = subprocess.run(["gcc", "-static", "-g", "-O2", "-DTRACY_ENABLE", "-I" + include,
                                 os.path.join(HERE, "stacks.c"), library, "-llz4", "-lpthread", "-lm", "-o", program],
                                check=False, stderr=subprocess.DEVNULL)
        if os.environ.get("TD_SANITIZED") or linked.returncode != 0:
            print("skipped: no static program can be linked here")
            return
        trace = capture(recorder, program, "all")
        names = [line[0] for line in trace.lines(stacks_of(trace)["zone"])]
        check(names[:3] == ["leaf", "root", "main"], names)


class DebugServer(http.server.ThreadingHTTPServer):
    """Serves one debug file by its build id, as debuginfod does, and keeps the paths that it was asked for."""
    daemon_threads = True

    def __init__(self, build_id, path):
        super().__init__(("127.0.0.1", 0), self.Request)
        self.asked, self.place = [], "/buildid/%s/debuginfo" % build_id
        with open(path, "rb") as file:
            self.bytes = file.read()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    class Request(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.server.asked.append(self.path)
            body = self.server.bytes if self.path == self.server.place else b""
            self.send_response(200 if body else 404)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass


def has_debuginfod():
    try:
        return bool(ctypes.CDLL("libdebuginfod.so.1"))
    except OSError:
        return False


def check_servers(recorder):
    """The lines of a stripped program come from a debuginfod server where TRACY_DEBUGINFOD is set; else none is asked."""
    if os.environ.get("TD_SANITIZED") or not has_debuginfod() or not shutil.which("objcopy") or not shutil.which("readelf"):
        print("skipped: debuginfod servers: needs libdebuginfod.so.1, objcopy and readelf, and no sanitizer")
        return
    with tempfile.TemporaryDirectory() as folder:
        program, debug = os.path.join(folder, "stripped"), os.path.join(folder, "its.debug")
        whole = os.path.join(TESTS, "client_stacks_O2")
        subprocess.run(["objcopy", "--strip-all", whole, program], check=True)
        subprocess.run(["objcopy", "--only-keep-debug", whole, debug], check=True)
        notes = subprocess.run(["readelf", "-n", program], stdout=subprocess.PIPE, check=True, universal_newlines=True).stdout
        build_id = re.search(r"Build ID: (\w+)", notes)
        if not build_id:
            print("skipped: debuginfod servers: this linker writes no build id")
            return
        with DebugServer(build_id[1], debug) as server:
            env = {"DEBUGINFOD_URLS": "http://127.0.0.1:%d/" % server.server_port, "no_proxy": "*",
                   "DEBUGINFOD_CACHE_PATH": os.path.join(folder, "cache")}
            trace = capture(recorder, program, "all", env=env)
            lines = trace.lines(stacks_of(trace)["zone"])
            check(not server.asked and lines[0][0] == "[unknown]", "asked without being told to", server.asked, lines)
            trace = capture(recorder, program, "all", env=dict(env, TRACY_DEBUGINFOD="1"))
            lines = trace.lines(stacks_of(trace)["zone"])
            check(server.place in server.asked and lines[:4] == [own("leaf", "zone")] + INLINED, server.asked, lines)
            server.shutdown()


def check_killed():
    """A saved session of a program that is killed has its call stacks, and the names that its threads got late."""
    with tempfile.TemporaryDirectory() as folder:
        saved, path = os.path.join(folder, "saved.stream"), os.path.join(folder, "t.tracy")
        with subprocess.Popen([os.path.join(TESTS, "client_stacks_O2"), "stay"], env=dict(os.environ, TENDRIL_SAVE=saved)) as program:
            until, lines, names = time.monotonic() + 100, [], []
            while time.monotonic() < until and (lines[1:4] != INLINED or "named late" not in names):
                time.sleep(0.1)
                done = subprocess.run([os.path.join(BINARY, "bin", "tendril"), "import", "-q", "-f", "-o", path, saved],
                                      stderr=subprocess.PIPE, check=False)
                if done.returncode == 0:
                    trace = Trace(path)
                    names = [track["name"] for track in trace.dump["tracks"]]
                    lines = trace.lines(trace.zones()[0]) if trace.zones() else []
            program.kill()
        check(lines[:4] == [own("leaf", "zone")] + INLINED and "named late" in names, lines, names)


def main():
    check_killed()
    tendril = [os.path.join(BINARY, "bin", "tendril"), "capture"]
    for test in (check_without_debug_information, check_last_call, check_switches, check_gone_library, check_cpp, check_static, check_servers):
        unhurried(test, tendril)
    check_broken_debug_information(tendril, int(sys.argv[1]) if len(sys.argv) > 1 else 6 if THOROUGH else 2)
    for recorder in recorders():
        unhurried(check_recorder, recorder)


main()
