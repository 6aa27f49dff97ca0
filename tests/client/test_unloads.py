#!/usr/bin/env python3
"""Libraries that are loaded and unloaded without a connection, with one, on demand, in a child, at the program's end:
everything they marked has its names, also where a hundred of them lay at one address. With $TD_STOCK_DIR
(RELEASE/bin/capture and csvexport in it) also in stock recorders.
"""
import collections
import csv
import io
import os
import re
import shutil
import subprocess
import tempfile

from traces import BINARY, HERE, SOURCE, TESTS, Trace, check, free_port, marked_lines, recorders

PROGRAM = os.path.join(TESTS, "client_unloads")
TENDRIL = os.path.join(BINARY, "bin", "tendril")
AT = marked_lines("unloads_plugin.c")
COUNT = 3  # of marks a library
INCLUDE = os.path.join(SOURCE, "host", "client", "include")
SANITIZED = os.environ.get("TD_SANITIZED") or os.environ.get("TD_THREAD_SANITIZER")


def line(mark, number):
    """Libraries of odd numbers say that they begin at line 2000, others at 1000."""
    return AT[mark] - AT["begin"] + (2000 if number % 2 else 1000)


def make(folder, number, source=None):
    """The library of that number."""
    path = os.path.join(folder, "lib%03d.so" % number)
    with open(source or os.path.join(TESTS, "client_unloads_%d.so" % (number % 2)), "rb") as f:
        text = f.read()
    with open(path, "wb") as f:
        f.write(text.replace(b"_000", b"_%03d" % number))
    return path


def times(libraries):
    """Numbers of the libraries, with how often each comes."""
    return dict(collections.Counter(int(re.search(r"lib(\d+)", path).group(1)) for path in libraries))


class Run:
    """The program, begun."""

    def __init__(self, mode, libraries, **environment):
        self.port = free_port()
        self.count = len(libraries)
        self.process = subprocess.Popen([PROGRAM, mode, str(COUNT), *libraries], stdout=subprocess.PIPE,
                                        universal_newlines=True,
                                        env=dict(os.environ, TRACY_PORT=str(self.port), **environment))

    def addresses(self):
        """Of all libraries, once all have come."""
        return [self.process.stdout.readline().strip() for _ in range(self.count)]

    def __enter__(self):
        return self

    def __exit__(self, failed, *_):
        try:
            if not failed:
                self.process.communicate(timeout=120)
        finally:
            self.process.kill()
        check(failed or self.process.returncode == 0, "the program ended with", self.process.returncode)


def record(recorder, port, path):
    done = subprocess.run([*recorder, "-f", "-a", "127.0.0.1", "-p", str(port), "-o", path], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=120, check=False)
    text = done.stdout.decode()
    check(done.returncode == 0 and "instrumentation failure" not in text.lower(), recorder, done.returncode, text)


def recorded(recorder, path, mode, libraries, **environment):
    """The addresses of the libraries."""
    with Run(mode, libraries, **environment) as run:
        record(recorder, run.port, path)
        return run.addresses()


# ---- what must be there


def locations(numbers, ends=True):
    """(name, function, file, line, colour) -> how many zones. Libraries that stay end after the session."""
    zones = collections.Counter()
    for number, often in numbers.items():
        tail = "_%03d" % number
        file = "plugin" + tail + ".c"

        def place(name, function, where, count, color=0, tail=tail, file=file, often=often):
            zones[(name and name + tail, function + tail, file, where, color)] += count * often

        place("zone", "work", line("zone", number), COUNT, 0x100000 + number % 2)
        place(None, "work", line("unnamed", number), COUNT)
        place("deep", "work", line("deep", number), COUNT)
        place("in_fiber", "others", line("in_fiber", number), COUNT)
        place("gpu_zone", "gpu", 7, COUNT)
        if ends:
            place("last", "end", line("last", number), 1)
    return zones


def named(prefix, numbers, count=COUNT):
    return collections.Counter({"%s_%03d" % (prefix, number): often * count for number, often in numbers.items()})


def same(what, got, want):
    check(got == want, what, "has", sorted(set(got) - set(want), key=str)[:9], "lacks",
          sorted(set(want) - set(got), key=str)[:9], "or counts differ")


def check_trace(path, libraries, what, configured=(), beside=(), ends=True):
    """`configured`: libraries of which only settings are there. `beside`: names of the program's own."""
    d, numbers, seen = Trace(path).dump, times(libraries), times([*libraries, *configured])
    same(what, collections.Counter(tuple(zone[2]) for track in d["tracks"] for zone in track["zones"]
                                   if zone[2][0] not in beside), locations(numbers, ends))
    same(what, collections.Counter(m[2] for m in d["MESSAGE"] if m[2] not in beside),
         named("literal", numbers) + named("colored", numbers))
    same(what, {track["name"] for track in d["tracks"] if track["fiber"]}, set(named("fiber", numbers)))
    plots = {plot[5]: plot[:5] for plot in d["plots"] if plot[0] == 0}
    same(what, set(plots), set(named("plot", seen)) | set(named("built", numbers)))
    check(all(plot == [0, 1, 1, 0, 0xff00] for name, plot in plots.items() if name.startswith("plot")), what, plots)
    same(what, sorted(name for name, _ in d["frame_sets"] if name), sorted([*named("frames", numbers),
                                                                            *named("spans", numbers)]))
    same(what, {pool[0] for pool in d["POOL"] if pool[0]}, set(named("pool", numbers)))
    same(what, collections.Counter(lock[2][1] for lock in d["LOCK"]), named("begin", numbers, 1))
    same(what, collections.Counter(e[1][1] for lock in d["LOCK_EVENT"] for e in lock if e[1]), named("others", numbers))
    check(not [row for row in d["APP_INFO"] if "lost" in str(row)], what, d["APP_INFO"])
    if d["PARAMETER"]: # in files of newer releases
        same(what, {row[1] for row in d["PARAMETER"]}, set(named("parameter", seen)))
    print(what)


# ---- ways to come and go


def check_nobody_connected(path, libraries):
    with Run("plain", libraries, TRACY_NO_EXIT="1") as run:
        addresses = run.addresses()
        record([TENDRIL, "capture"], run.port, path)
    check(len(set(addresses)) < len(addresses), "no two libraries lay at one address", addresses)
    check_trace(path, libraries, "nobody connected")


def check_connected(path, libraries):
    wait = {"TENDRIL_WAIT_CONNECT_MS": "20000"}
    for mode, some in (("plain", libraries), ("slow", libraries[:20] + libraries[:20]), ("busy", libraries),
                       ("exit", libraries[:3]), ("stay", libraries[:3])):
        recorded([TENDRIL, "capture"], path, mode, some, **wait)
        check_trace(path, some, "connected, " + mode, beside=("busy",), ends=mode != "stay")


def check_on_demand(path, libraries):
    """What settings were made before must be known, however long their library is gone."""
    with Run("demand", libraries, TRACY_ON_DEMAND="1") as run:
        run.addresses()  # all of them have come and gone
        record([TENDRIL, "capture"], run.port, path)
    half = len(libraries) // 2
    check_trace(path, libraries[half:], "on demand", configured=libraries)


def check_child(path, libraries):
    child_port = free_port()
    with Run("fork", libraries, TRACY_NO_EXIT="1", CHILD_PORT=str(child_port)) as run:
        run.addresses()
        record([TENDRIL, "capture"], child_port, path)
        check_trace(path, libraries, "child")
        record([TENDRIL, "capture"], run.port, path)
        check_trace(path, libraries, "its parent")


def check_saved(path, libraries):
    stream = path + ".stream"
    with Run("plain", libraries, TENDRIL_SAVE=stream):
        pass
    subprocess.run([TENDRIL, "import", "-f", "-o", path, stream], check=True, stdout=subprocess.DEVNULL)
    check_trace(path, libraries, "saved")


def compiled(path, *command):
    done = subprocess.run([*command, "-shared", "-fPIC", "-DTRACY_ENABLE", "-I" + INCLUDE, "-o", path], check=False,
                          stderr=subprocess.DEVNULL)
    return done.returncode == 0


def check_linkers(path, folder):
    """Wherever a linker puts constants."""
    source, library = os.path.join(HERE, "unloads_plugin.c"), os.path.join(folder, "linked.so")
    for compiler, *options in (["gcc", "-Wl,-z,noseparate-code"], ["gcc", "-Wl,-z,now", "-flto", "-Os"],
                               ["gcc", "-fuse-ld=gold"], ["clang", "-fuse-ld=lld"], ["clang", "-fvisibility=hidden"],
                               ["gcc", "-Wl,--gc-sections", "-ffunction-sections", "-fdata-sections", "-s"]):
        export = ["-Dplugin_mark=__attribute__((visibility(\"default\"))) plugin_mark"]
        if not shutil.which(compiler) or not compiled(library, compiler, "-O1", *export, *options, source):
            print("skipped:", compiler, *options)
            continue
        libraries = [make(folder, number, library) for number in (0, 2, 4, 0)]
        with Run("plain", libraries, TRACY_NO_EXIT="1") as run:
            run.addresses()
            record([TENDRIL, "capture"], run.port, path)
        check_trace(path, libraries, " ".join(["nobody connected,", compiler, *options]))


def check_cpp(path, folder):
    """Objects of C++ end before what the headers leave in a library."""
    source, library = os.path.join(HERE, "unloads_plugin.cpp"), os.path.join(folder, "cpp.so")
    for compiler in ("g++", "clang++"):
        if not shutil.which(compiler) or not compiled(library, compiler, "-std=c++11", "-O1", source):
            print("skipped:", compiler)
            continue
        libraries = [make(folder, number, library) for number in (1, 2, 3, 1)]
        with Run("plain", libraries, TRACY_NO_EXIT="1") as run:
            run.addresses()
            record([TENDRIL, "capture"], run.port, path)
        d, numbers = Trace(path).dump, times(libraries)
        zones = collections.Counter(zone[2][0] for track in d["tracks"] for zone in track["zones"])
        same(compiler, zones, named("cpp_zone", numbers) + named("cpp_end", numbers, 1))
        same(compiler, collections.Counter(m[2] for m in d["MESSAGE"]), named("cpp_ended", numbers, 1))
        same(compiler, {plot[5] for plot in d["plots"] if plot[0] == 0}, set(named("cpp_plot", numbers)))
        same(compiler, collections.Counter(lock[2][1] for lock in d["LOCK"]), named("cpp_lock", numbers, 1))
        print("nobody connected,", compiler)


def check_stock(recorder, path, libraries):
    """Every location has its row, with all its zones in it, however often its library came to that place."""
    want = collections.Counter({(name or function, file, str(at)): count
                                for (name, function, file, at, _), count in locations(times(libraries)).items()
                                if name is None or not name.startswith("gpu_zone")})
    for what, environment in (("nobody connected", {"TRACY_NO_EXIT": "1"}),
                              ("connected", {"TENDRIL_WAIT_CONNECT_MS": "20000"})):
        for mode in ("plain", "slow"):
            places = collections.Counter(library for library, _ in set(zip(libraries, recorded(recorder, path, mode,
                                                                                               libraries, **environment))))
            table = subprocess.run([os.path.join(os.path.dirname(recorder[0]), "csvexport"), path], check=True,
                                   stdout=subprocess.PIPE).stdout.decode()
            rows = list(csv.DictReader(io.StringIO(table)))
            got = collections.Counter()
            for row in rows:
                got[(row["name"], row["src_file"], row["src_line"])] += int(row["counts"])
            same(recorder[0], got, want)
            more = sum(count - 1 for count in places.values()) * len(want) // len(places)
            check(len(want) <= len(rows) <= len(want) + more, recorder, "locations that came twice", len(rows), len(want), more)
            check_trace(path, libraries, "%s, %s, %s" % (recorder[0], what, mode))


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "t.tracy")
        libraries = [make(folder, number) for number in range(100)]
        check_nobody_connected(path, libraries + libraries[:10])
        check_connected(path, libraries)
        check_on_demand(path, libraries[:20])
        check_saved(path, libraries[:20])
        if not os.environ.get("TD_THREAD_SANITIZER"): # forked children have no threads there
            check_child(path, libraries[:20])
        if not SANITIZED:
            others = os.path.join(folder, "others")
            os.mkdir(others)
            check_linkers(path, others)
            check_cpp(path, others)
        for recorder in recorders():
            if recorder[0] != TENDRIL:
                check_stock(recorder, path, libraries[:10] + libraries[:5])


main()
