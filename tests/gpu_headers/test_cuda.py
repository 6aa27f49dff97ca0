#!/usr/bin/env python3
"""tracy/TracyCUDA.hpp: compiles with NVIDIA's headers; what a GPU would have done comes from a library in CUPTI's place,
and every zone of it is collected with its name, times and line; with NVIDIA's own library and no GPU there is one
warning. No test of this folder has run on a GPU."""
import os
import subprocess
import sys
import tempfile
import time

import gpu_run as run

US, MS = 1000, 1000000
SLACK_NS = 20 * MS  # that a busy machine takes between reading the clocks
THREADS, EACH, DROPPED = 4, 3000, 20
PLAIN = ["-DTRACY_CUDA_CALIBRATED_CONTEXT=0", "-DTRACY_CUDA_ENABLE_COLLECTOR_THREAD=0"]

# Name, function, line, start and length in ns from the first, which call it is of (None: of none).
ZONES = [
    ("kernel_of_c", "kernel_of_c", 100007, 0, 100 * US, 0),
    ("app::scale", "_ZN3app5scaleIfEEvPT_i", 100007, 300 * US, 50 * US, 1),
    ("app::scale", "_ZN3app5scaleIfEEvPT_i", 100007, 150 * US, 100 * US, 2),
    ("app::scale", "_ZN3app5scaleIdEEvPT_i", 200007, 1, 1, 3),
    ("CUDA::memcpy", "host to device", 100013, 100 * US, 100 * US, 4),
    ("CUDA::memcpy", "device to host", 100013, 250 * US, 50 * US, 5),
    ("CUDA::memcpy", "copy", 100013, 400 * US, US, 6),
    ("CUDA::memset", "memset", 100014, 10 * US, 10 * US, 7),
    ("CUDA::Stream::sync", "synchronization", 100100007, 50 * US, 300 * US, 8),
    ("CUDA::Context::sync", "synchronization", 100000, 0, 400 * US, 9),
    ("CUDA::Event::sync", "synchronization", 165535, 20 * US, 10 * US, 10),
    ("of nobody", "of nobody", 100007, 500 * US, 100 * US, None),
    ("a kernel", "a kernel", 100007, 700 * US, 0, None),
]
COLORS = {"CUDA::memcpy": 0x0000ff, "CUDA::memset": 0x0000ff, "CUDA::Stream::sync": 0xcd00cd,
          "CUDA::Context::sync": 0xff00ff, "CUDA::Event::sync": 0x8b008b}
CALLS = {"window": 1, "base": 1, "issue": 12, "cudaLaunchKernel": 4, "cuLaunchKernel": 4, "cudaMemcpyAsync": 3,
         "cudaMemsetAsync": 1, "cudaStreamSynchronize": 3, "a function of CUDA": 1, "Collect": 1}
# Of each pool: address (None: a number), bytes, from and to in us from the first; None: not freed.
FIRST, SECOND = 0x7f0000000000, 0x7f0000100000
POOLS = {
    "CUDA Memory Allocation": [(FIRST, 1 << 20, 5, 30), (SECOND, 4096, 10, 60), (FIRST, 2 << 20, 40, None),
                               (SECOND, 8192, 60, 70)],
    "CUDA Memory Copy": [(None, 1000, 100, 300), (None, 500, 150, 200), (None, 70, 300, 310)], # the last one came late
    "CUDA Memory Set": [(None, 4096, 320, 340), (None, 0, 400, 440)],
    "CUDA Synchronization": [(None, 1, 50, 350)],
}
ODD = ["1 records have no times: what they tell is missing",
       "1 frees are left out: their memory was allocated before profiling",
       "1 allocations were freed unseen: they end where their memory is allocated again",
       "1 events of memory came late: they stand up to 20 us behind their times"]
WITHOUT_TIMES = "CUDA: 1 records have no times: what they tell is missing"
FAILURES = {  # of each function of CUPTI: its result, and what the warning says of it
    "cuptiGetTimestamp": (999, "CUPTI_ERROR_UNKNOWN (is NVIDIA's driver there?)"),
    "cuptiSubscribe": (39, "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED (another profiler is there)"),
    "cuptiActivityRegisterCallbacks": (1, "another error"),
    "cuptiActivityEnable": (35, "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES (profiling is for administrators here: "
                                "NVreg_RestrictProfilingToAdminUsers)"),
    "cuptiEnableDomain": (8, "another error"),
    "cuptiActivityFlushAll": (999, "CUPTI_ERROR_UNKNOWN (is NVIDIA's driver there?)"),
    "cuptiActivityGetNextRecord": (9, "another error"),
}


class Cuda:
    """The program, and the two libraries that it runs with."""

    def __init__(self, scratch, flags, library):
        self.scratch, self.flags, self.library = scratch, flags, library
        self.trace = os.path.join(scratch, "cuda.tracy")
        self.name = os.path.basename(os.path.realpath(library)) if library else "libcupti.so.13"
        real = subprocess.run(["readelf", "-d", library or "/dev/null"], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, universal_newlines=True).stdout
        for line in real.splitlines():
            if "SONAME" in line:
                self.name = line.split("[")[1].rstrip("]")
        self.stand_in = os.path.join(scratch, self.name)
        subprocess.run(["gcc", "-std=gnu11", "-O1", "-g", "-Wall", "-Wextra", "-Werror", *run.SANITIZE, "-fPIC", "-shared",
                        *flags, "-Wl,-soname," + self.name, os.path.join(run.HERE, "cupti_stand_in.c"), "-lpthread",
                        "-o", self.stand_in], check=True)

    def build(self, variant):
        program = os.path.join(self.scratch, "program")
        run.link("cuda.cpp", [*self.flags, *variant], [self.stand_in, "-ldl"], program)
        self.program = program

    def collect(self, *args, capture=None, real=False):
        """The trace as it was dumped; None: it did not work."""
        where = os.path.dirname(self.library) if real else self.scratch
        code = run.collect(self.program, self.trace, capture=capture, args=args, env={"LD_LIBRARY_PATH": where})
        return None if code else run.dump(self.trace)


def messages(data):
    return [row[2] for row in data["MESSAGE"]]


def check_zones(check, data, exact, expected=ZONES):
    gpu, cpu = run.zones(data, True), run.zones(data, False)
    base = next((zone for zone in gpu if zone.name == "kernel_of_c"), None)
    if not base:
        return check.that(False, "GPU zones", run.count_names(gpu))
    near = 0 if exact else 20 * US
    left, calls = list(gpu), sorted((zone for zone in cpu if zone.name == "issue"), key=lambda zone: zone.start)
    for name, function, line, start, length, call in expected:
        here = [zone for zone in left if (zone.name, zone.function, zone.thread) == (name, function, line)
                and abs(zone.start - base.start - start) <= near and abs(zone.end - zone.start - length) <= near]
        if not here:
            check.that(False, "no zone", name, function, "on line", line, "from", start, "for", length)
            continue
        zone = here[0]
        left.remove(zone)
        check.that(zone.depth == 0 and not zone.open, name, "at depth", zone.depth)
        check.that((zone.color or 0) == COLORS.get(name, 0), name, "has colour", zone.color)
        if call is None:
            check.that(abs(zone.cpu_start - zone.start) < SLACK_NS, name, "was issued at", zone.cpu_start)
        else:
            check.that(calls[call].start <= zone.cpu_start <= calls[call].end, name, "was issued",
                       zone.cpu_start - calls[call].start, "ns after its call")
    check.that(not left, "more zones than there were:", run.count_names(left))
    at = next(zone for zone in cpu if zone.name == "base")
    check.that(at.start - SLACK_NS <= base.start <= at.end + SLACK_NS, "the first is", base.start - at.start, "ns off")


def check_everything(cuda, variant, exact, what, capture=None):
    check = run.Checks(what)
    data = cuda.collect("zones", capture=capture)
    check.that(data, "was not collected")
    if data:
        check_zones(check, data, exact)
        cpu = run.zones(data, False)
        check.that(run.count_names(cpu) == CALLS, "zones of threads", run.count_names(cpu))
        check.that(all(zone.depth == 3 for zone in cpu if zone.name == "cuLaunchKernel"), "calls are not nested")
        check.that(messages(data) == [WITHOUT_TIMES], messages(data))
        if not capture:
            contexts = [[row[1], row[3], row[4]] for row in data["GPU_CONTEXT"]]
            check.that(contexts == [[int(not variant), 8, "the GPU"]], "contexts", contexts)
    return check.done()


def pools(data):
    """Of each pool by name: what is allocated at the end, and the allocations."""
    return {row[0]: (row[3], data["MEMORY"][i]) for i, row in enumerate(data["POOL"]) if row[0]}


def check_pools(check, data, base):
    """Times are exact among themselves; the recorder alone knows how zones of the GPU stand to them."""
    threads = {track["thread"] for track in data["tracks"] if not track["context"] and track["zones"]}
    there = pools(data)
    check.that(set(there) == set(POOLS), "pools", list(there))
    first = there["CUDA Memory Allocation"][1][0][4] - 5 * US
    check.that(abs(first - base.start) < 20 * US, "allocations are", first - base.start, "ns off")
    for name, expected in POOLS.items():
        left, rows = there.get(name, (0, []))
        check.that(left == sum(size for _, size, _, to in expected if to is None), name, "is left with", left)
        check.that(len(rows) == len(expected), name, "has", rows)
        for row, (address, size, start, end) in zip(rows, expected):
            check.that(address in (None, row[0]) and row[1] == size, name, "has", row[:2], "for", address, size)
            check.that(abs(row[4] - first - start * US) < 5 * US, name, size, "is from", row[4] - first)
            check.that(row[5] == -1 if end is None else abs(row[5] - first - end * US) < 5 * US, name, size, "is to",
                       row[5] - first)
            check.that(row[6] in threads, name, "is of thread", row[6], "and not of", threads)
        numbers = [row[0] for row in rows if row[0] < FIRST]
        check.that(len(set(numbers)) == len(numbers), name, "has numbers twice:", numbers)


def check_latency(check, data, gpu):
    """The plot rises from 0 and returns for each kernel whose call is known."""
    names = [plot[-1] for plot in data["plots"]]
    if not check.that("Kernel Latency (ms)" in names, "plots", names):
        return
    points = data["POINT"][names.index("Kernel Latency (ms)")]
    kernels = sorted((zone for zone in gpu if zone.name in ("base", "delayed")), key=lambda zone: zone.start)
    check.that(len(points) == 3 * len(kernels) == 12, len(points), "points for", len(kernels), "kernels")
    for i, zone in enumerate(kernels):
        (_, low), (time_ns, up), (_, low_again) = points[3 * i:3 * i + 3]
        check.that(low == low_again == 0, "the latency does not stand up from 0:", points[3 * i:3 * i + 3])
        check.that(abs(time_ns - zone.start) < 20 * US, "a latency is", time_ns - zone.start, "ns off")
        latency = max(0, zone.start - zone.cpu_start) / 1e6
        check.that(abs(up - latency) < 0.02, "a latency is", up, "and not", latency)


def check_memory(cuda, what, capture=None):
    check = run.Checks(what)
    data = cuda.collect("memory", capture=capture)
    if check.that(data, "was not collected"):
        gpu = run.zones(data, True)
        check_pools(check, data, next(zone for zone in gpu if zone.name == "base"))
        check_latency(check, data, gpu)
        check.that(messages(data) == ["CUDA: " + text for text in ODD], messages(data))
        if not capture:
            check_readers(check, cuda, data)
    return check.done()


def check_readers(check, cuda, data):
    """Stock programs open the recorded file, converted to their own format, and find the same pools in it."""
    ours, made = (os.path.join(cuda.scratch, name) for name in ("ours.tracy", "made.tracy"))

    def said(*command):
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True, timeout=100)
        check.that(done.returncode == 0, command, "said", done.stdout)
        return done.stdout

    def allocations(trace):
        return {name: [row[:2] + row[4:] for row in rows] for name, (_, rows) in pools(trace).items()}

    for release in stock_releases():
        export, update = (os.path.join(run.STOCK, release, "bin", name) for name in ("csvexport", "update"))
        said(os.path.join(run.BINARY, "bin", "tendril"), "update", "-q", "--format",
             "0.10.0" if release == "0.10" else release, cuda.trace, ours)
        if not release.startswith("0.9."):  # which has no -m
            exported = said(export, "-m", ours)
            check.that(all(text in exported for text in ODD), release, "exports", exported)
        said(update, ours, made)
        check.that(allocations(run.dump(made)) == allocations(data), release, "update makes other pools")


def stock_releases():
    there = sorted(os.listdir(run.STOCK)) if run.STOCK else []
    return [release for release in there
            if release != "ttfork" and os.access(os.path.join(run.STOCK, release, "bin", "capture"), os.X_OK)]


def check_counts(cuda):
    """Calls are counted, for the program's output."""
    check = run.Checks("counts of calls")
    env = dict(os.environ, TRACY_PORT=str(run.free_port()), LD_LIBRARY_PATH=cuda.scratch, **run.SANE)
    done = subprocess.run([cuda.program, "zones"], env=env, stdout=subprocess.PIPE, universal_newlines=True, timeout=100)
    lines = [line[2:].split(" : ") for line in done.stdout.split("CUDA API stats:")[-1].splitlines() if line[:2] == "- "]
    counts = {name: int(count) for name, count in lines}
    expected = {name: count for name, count in CALLS.items() if "cu" in name or "CUDA" in name}
    check.that(counts == expected, counts)
    numbers = [int(count) for _, count in lines]
    check.that(numbers == sorted(numbers, reverse=True), "not in order:", numbers)
    return check.done()


def check_clock(cuda, *args):
    """A zone of a second is recorded as one, though the clocks run at different rates."""
    check = run.Checks("clock of the GPU %s" % " ".join(args))
    data = cuda.collect("clock", *args)
    check.that(data, "was not collected")
    if data:
        gpu, cpu = run.zones(data, True), run.zones(data, False)
        check_measured(check, gpu, cpu)
        calls = sorted((zone for zone in cpu if zone.name == "issue"), key=lambda zone: zone.start)
        steps = sorted((zone for zone in gpu if zone.name == "step"), key=lambda zone: zone.start)
        check.that(len(steps) == len(calls) == 20, len(steps), "zones for", len(calls), "calls")
        for call, step in zip(calls, steps):
            check.that(call.start - SLACK_NS <= step.start <= call.end + SLACK_NS, "a zone is", step.start - call.start,
                       "ns off")
            check.that(call.start <= step.cpu_start <= call.end, "a zone was issued", step.cpu_start - call.start, "ns off")
    return check.done()


def check_measured(check, gpu, cpu):
    zones = sorted((zone for zone in gpu if zone.name == "measured"), key=lambda zone: zone.end)
    around = sorted((zone for zone in cpu if zone.name == "measured"), key=lambda zone: zone.end)
    check.that(zones and len(around) - len(zones) in (0, 1), len(zones), "zones of", len(around))
    for zone, at in zip(zones, around):
        check.that(abs(zone.end - zone.start - 1000 * MS) < MS, "a second takes", zone.end - zone.start, "ns")
        check.that(at.start - SLACK_NS <= zone.end <= at.end + SLACK_NS, "it ends", zone.end - at.end, "ns off")


def check_many(cuda):
    check = run.Checks("many zones of several threads")
    data = cuda.collect("many")
    check.that(data, "was not collected")
    if data:
        gpu, cpu = run.zones(data, True), run.count_names(run.zones(data, False))
        lines = {}
        for zone in gpu:
            line = zone.thread % 100000000  # what overlaps is beside it
            lines[line] = lines.get(line, 0) + 1
        check.that(lines == {**{100001 + i: EACH for i in range(THREADS)}, 100007: 1}, "zones on lines", lines)
        lengths = {zone.end - zone.start for zone in gpu if zone.name == "many"}
        check.that(lengths <= {9, 10, 11}, "lengths", lengths) # both ends are rounded, as the clocks' rates differ
        calls = THREADS * EACH + 1
        check.that(cpu.get("cudaLaunchKernel") == cpu.get("cuLaunchKernel") == calls, cpu)
        left, rows = pools(data).get("CUDA Memory Allocation", (0, []))
        check.that(left == 0 and len(rows) == THREADS * EACH, left, "bytes are left of", len(rows), "allocations")
        check.that(all(row[1] == 64 and row[4] <= row[5] and row[6] == row[7] for row in rows), "allocations")
        check.that(all(one[4] <= other[4] for one, other in zip(rows, rows[1:])), "allocations are not in order")
        check.that(len({row[6] for row in rows}) == THREADS, "threads of allocations")
        said = [text for text in messages(data) if "events of memory came late" not in text] # of a stopped thread
        check.that(said == ["CUDA: CUPTI had no room for %d records: what they tell is missing" % DROPPED], said)
    return check.done()


def check_on_demand(cuda):
    """A recorder that connects later does not get earlier calibrations."""
    check = run.Checks("two recordings on demand")
    port = run.free_port()
    env = dict(os.environ, TRACY_PORT=str(port), TRACY_ON_DEMAND="1", LD_LIBRARY_PATH=cuda.scratch, **run.SANE)
    with subprocess.Popen([cuda.program, "late", "10000"], env=env, stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as running:
        try:
            running.stdout.readline()
            for part in ("first", "second"):
                time.sleep(0.3)
                done = subprocess.run([os.path.join(run.BINARY, "bin", "tendril"), "capture", "-f", "-o", cuda.trace, "-a",
                                       "127.0.0.1", "-p", str(port), "-s", "2"], stdout=subprocess.PIPE,
                                      stderr=subprocess.STDOUT, timeout=100, universal_newlines=True)
                if done.returncode:
                    check.that(False, part, done.stdout)
                    break
                data = run.dump(cuda.trace)
                zones = run.zones(data, True)
                check.that(len(zones) > 1, part, "has", len(zones), "zones")
                for zone in zones[:-1]: # which may be open
                    check.that(abs(zone.end - zone.start - 40 * MS) < 40 * US, part, "40 ms take", zone.end - zone.start)
                rows = pools(data).get("CUDA Memory Allocation", (0, []))[1]
                check.that(rows, part, "has no allocations")
                for row in rows[:-1]: # each is freed 50 ms later and more
                    check.that(row[1] == 4096 and row[5] > row[4], part, "has", row)
            running.stdin.write(b".")
            running.stdin.close()
            check.that(running.wait(60) == 0, "the program failed")
        finally:
            if running.poll() is None:
                running.kill()
    return check.done()


def check_failures(cuda):
    bad = 0
    for function, (result, text) in FAILURES.items():
        check = run.Checks("%s fails" % function)
        data = cuda.collect("fail", function, str(result))
        check.that(data, "was not collected")
        if data:
            said = [text for text in messages(data) if text != WITHOUT_TIMES]
            check.that(said == ["CUDA: %s: %s: zones of CUDA are not recorded, or not all" % (function, text)], said)
            check.that(run.count_names(run.zones(data, False)).get("issue") == 12, "the program's zones are not there")
        bad += check.done()
    return bad


def check_real(cuda):
    check = run.Checks("with NVIDIA's own library")
    if not cuda.library:
        print("NVIDIA's own library is not here: not run with it")
        return 0
    data = cuda.collect("zones", real=True)
    check.that(data, "was not collected")
    if data:
        said = messages(data)
        here = os.path.exists("/dev/nvidiactl")
        check.that(here or (len(said) == 1 and said[0].startswith("CUDA: cuptiSubscribe: CUPTI_ERROR_")), said)
        check.that(run.count_names(run.zones(data, False)).get("window") == 1, "the program's zones are not there")
        print("\n".join(said))
    return check.done()


def check_stock(cuda):
    """Stock captures of every release take the client's stream."""
    bad = 0
    for release in stock_releases():
        capture = os.path.join(run.STOCK, release, "bin", "capture")
        bad += check_everything(cuda, [], False, "stock capture %s" % release, capture=capture)
        bad += check_memory(cuda, "memory, stock capture %s" % release, capture=capture)
    return bad


def check_without_cuda(scratch, source):
    program, bad = os.path.join(scratch, "alone"), 0
    for standard in run.STANDARDS:
        subprocess.run(["g++", "-std=" + standard, "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-DTRACY_ENABLE",
                        *run.SANITIZE, "-I" + run.INCLUDE, os.path.join(run.HERE, source),
                        os.path.join(run.BINARY, "lib", "libtendril-client.a"), "-llz4", "-lpthread", "-lm", "-o", program],
                       check=True)
        bad += subprocess.run([program], env=dict(os.environ, TRACY_PORT=str(run.free_port()), **run.SANE)).returncode
    return bad


def main():
    if not run.compilers():
        print("skipped: no C++ compiler")
        return 0
    where, library = os.environ.get("TD_CUPTI_INCLUDE", ""), os.environ.get("TD_CUPTI_LIBRARY", "")
    flags = [flag for folder in where.split(":") if folder for flag in ("-isystem", folder)]
    with tempfile.TemporaryDirectory() as scratch:
        bad = check_without_cuda(scratch, "cuda_names.cpp") + check_without_cuda(scratch, "cuda_addresses.cpp")
        if not run.has_header(run.compilers()[0], "cupti.h", flags):
            print("what needs no CUDA only: the rest is skipped without CUPTI's headers (cupti.h of NVIDIA's CUDA toolkit)")
            return bad != 0
        bad += run.compile_all("cuda.cpp", flags, run.STANDARDS)
        cuda = Cuda(scratch, flags, library)
        cuda.build(PLAIN)
        bad += check_everything(cuda, PLAIN, True, "zones, clocks set against each other once")
        cuda.build([*PLAIN, "-DTRACY_CUDA_ENABLE_CUDA_CALL_STATS=1"])
        bad += check_counts(cuda)
        cuda.build([])
        bad += check_everything(cuda, [], False, "zones, calibrated")
        for mode, what in (("collector", "the thread that collects"), ("exit", "a program that does not stop")):
            check = run.Checks(what)
            data = cuda.collect(mode)
            check.that(data, "was not collected")
            if data:
                check_zones(check, data, False)
            bad += check.done()
        for clock in (["10000"], ["-10000"], ["0", "3600000000000"], ["0", "-3600000000000"], ["0", "-500000000"]):
            bad += check_clock(cuda, *clock)
        bad += check_memory(cuda, "memory") + check_many(cuda) + check_on_demand(cuda) + check_failures(cuda) + check_real(cuda)
        if not bad:
            bad += check_stock(cuda)
    return bad != 0


sys.exit(main())
