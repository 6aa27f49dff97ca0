"""Compiles a program of this folder, runs it under `tendril capture` and stock captures, and reads the trace."""
import itertools
import json
import os
import shlex
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from checks import THOROUGH
from gpu_lines import in_order_of_begins
from ports import free_port

SOURCE = os.environ.get("TD_SOURCE_DIR", os.getcwd())
BINARY = os.environ.get("TD_BINARY_DIR", os.path.join(SOURCE, "build"))
STOCK = os.environ.get("TD_STOCK_DIR", "")
SANITIZE = shlex.split(os.environ.get("TD_SANITIZE", ""))
HERE = os.path.join(SOURCE, "tests", "gpu_headers")
INCLUDE = os.path.join(SOURCE, "host", "client", "include")
STANDARDS = ["c++11", "c++20"]  # what lies between has nothing that the headers use
NO_DEVICE = 77
# What drivers keep until the end is not ours; they also have their own ideas of signals and of thread stacks.
SANE = {"ASAN_OPTIONS": "detect_leaks=0:detect_odr_violation=0",
        "TSAN_OPTIONS": os.environ.get("TSAN_OPTIONS", "") + ":suppressions=" + os.path.join(HERE, "drivers.supp")}


class Checks:
    def __init__(self, what):
        self.what, self.bad = what, 0

    def that(self, holds, *words):
        if not holds:
            self.bad += 1
            print("%s:" % self.what, *words)
        return holds

    def done(self):
        print("%s: %s" % (self.what, "%d wrong" % self.bad if self.bad else "as it should be"))
        return self.bad


def compilers():
    return [c for c in ("g++", "clang++") if shutil.which(c)]


def has_header(compiler, header, flags):
    return subprocess.run([compiler, "-x", "c++", *flags, "-include", header, "-fsyntax-only", "/dev/null"],
                          stderr=subprocess.DEVNULL).returncode == 0


def pkg_config(*args):
    done = subprocess.run(["pkg-config", *args], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          universal_newlines=True)
    return done.stdout.split() if done.returncode == 0 else None


def compile_all(source, flags, standards, switches=True):
    """The first compiler with the oldest standard and the second with the newest, or thoroughly each with each; with
    `switches`, the first one also without markers and with call stacks everywhere. Returns the number of failures."""
    bad = 0
    each = itertools.product(compilers(), standards) if THOROUGH else zip(compilers(), (standards[0], standards[-1]))
    for compiler, standard in each:
        is_first = standard == standards[0] and (THOROUGH or compiler == compilers()[0])
        more = [[], ["-DTRACY_ENABLE", "-DTRACY_CALLSTACK=4"]] if switches and is_first else []
        for how in [["-DTRACY_ENABLE"], *more]:
            done = subprocess.run([compiler, "-std=" + standard, "-Wall", "-Wextra", "-Werror", *how, *flags,
                                   "-I" + INCLUDE, "-fsyntax-only", os.path.join(HERE, source)],
                                  stderr=subprocess.PIPE, universal_newlines=True)
            if done.returncode:
                bad += 1
                print("%s %s %s: %s" % (compiler, standard, " ".join(how), done.stderr[:3000]))
    return bad


def link(source, flags, libs, program):
    """Our client: no C++ runtime is linked (the C compiler's driver does it)."""
    object_file = program + ".o"
    subprocess.run(["g++", "-std=c++11", "-O1", "-g", "-DTRACY_ENABLE", *SANITIZE, *flags, "-I" + INCLUDE,
                    "-fno-exceptions", "-fno-rtti", "-c", os.path.join(HERE, source), "-o", object_file], check=True)
    subprocess.run(["gcc", *SANITIZE, "-rdynamic", object_file, os.path.join(BINARY, "lib", "libtendril-client.a"), "-llz4",
                    "-lpthread", "-lm", *libs, "-o", program], check=True)


def link_stock(release, source, flags, libs, program):
    """The same program with the release's own headers and client. False: there is no such release here."""
    at = os.path.join(STOCK, release)
    client = os.path.join(at, "lib", "libTracyClient.a")
    if not STOCK or not os.path.exists(client):
        return False
    subprocess.run(["g++", "-std=c++17", "-O1", "-w", "-DTRACY_ENABLE", *flags, "-I" + os.path.join(at, "src", "public"),
                    os.path.join(HERE, source), client, "-lpthread", "-ldl", *libs, "-o", program], check=True)
    return True


def collect(program, trace, capture=None, args=(), env=None, after_a_line=False, options=()):
    """Runs both; the program's exit code. capture: the stock program, else ours, with these options. after_a_line: it
    starts when the program has printed one. No machine code is sent: recorders would ask for the place of each instruction
    of the driver's functions."""
    port = free_port()
    env_of_program = env or {}
    env = dict(os.environ, TRACY_PORT=str(port), TRACY_NO_EXIT="1", TENDRIL_WAIT_CONNECT_MS="30000",
               TRACY_ONLY_LOCALHOST="1", TRACY_NO_SYS_TRACE="1", TRACY_NO_CODE_TRANSFER="1", **SANE)
    env.update(env_of_program)
    command = [capture or os.path.join(BINARY, "bin", "tendril"), *([] if capture else ["capture"])]
    with subprocess.Popen([program, *args], env=env, stdout=subprocess.PIPE, universal_newlines=True) as running:
        if after_a_line and not running.stdout.readline():
            return running.wait(60)
        with subprocess.Popen([*command, *options, "-f", "-o", trace, "-a", "127.0.0.1", "-p", str(port)],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True) as capturing:
            try:
                said, _ = running.communicate(timeout=200)
                if running.returncode:
                    if running.returncode != NO_DEVICE:
                        print("%s: %d: %s" % (program, running.returncode, said))
                    capturing.kill()
                    return running.returncode
                said, _ = capturing.communicate(timeout=100)
                if capturing.returncode:
                    print("%s: %s" % (command[0], said))
                return capturing.returncode
            finally:
                for process in (running, capturing):
                    if process.poll() is None:
                        process.kill()


def dump(trace):
    out = subprocess.run([os.path.join(BINARY, "tests", "trace_dump"), trace], check=True, stdout=subprocess.PIPE)
    return json.loads(out.stdout.decode("utf-8", "replace"))


class Zone:
    def __init__(self, row, thread, depth):
        _, self.children, location, self.start, duration, self.stack, self.text, name, _ = row[:9]
        self.name = name or location[0] or location[1]
        self.source, self.function, self.file, self.line, self.color = location
        self.open = duration < 0
        self.end = self.start + duration
        self.cpu_start = row[9] if len(row) > 9 else None
        self.depth, self.thread = depth, thread


def zones(data, gpu):
    """In contexts as they were sent, whatever line they are on."""
    if not gpu:
        return [Zone(row, track["thread"], row[0]) for track in data["tracks"] if not track["context"]
                for row in track["zones"]]
    threads = {}
    for track in data["tracks"]:
        if track["context"]:
            threads.setdefault((track["context"], track["thread"]), []).append(track["zones"])
    return [Zone(row, thread, depth) for (_, thread), lines in threads.items()
            for depth, row in in_order_of_begins(lines)]


def count_names(some):
    names = {}
    for zone in some:
        names[zone.name] = names.get(zone.name, 0) + 1
    return names
