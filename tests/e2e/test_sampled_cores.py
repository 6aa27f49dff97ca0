"""Cores that run a kernel without markers are sampled: shares of functions are those of the instructions that they executed,
which the cores do not notice. Arguments: the grids of the test in real time."""
import math
import os
import re
import shutil
import subprocess
import sys
import time
from collections import Counter

from kit import BUILD, TENDRIL, dump, example, expect, folder, info, record, run, stock

HOT = [os.path.join(BUILD, "tests", "e2e", "hot"), os.path.join(BUILD, "tests", "hot_kernels")]
FUNCTIONS = ("first", "second", "third")
TURNS = 3  # of each core that are left out where cores take turns
OFTEN = ("--sample-cores=50000", "--sample-reads", "1000000")


def counted(printed):
    """The numbers of instructions or ticks that the cores have counted."""
    return {name: int(value) for name, value in re.findall(r'"(\w+)": (\d+)', printed)}


class Samples:
    """The samples of a trace by function, by inlined function and by track; `under_way`: since all cores have taken turns."""

    def __init__(self, trace, under_way=False):
        tables, begin, frames = dump(trace), 0, {}
        for frame, image, end in tables["STACK_FRAME"]:
            frames[frame], begin = (image, tables["STACK_LINE"][begin:end]), end
        self.functions, self.inlined, self.images = Counter(), Counter(), set()
        self.tracks = [len(track) for track in tables["SAMPLE"]]
        self.addresses = {stack[0] for track in tables["SAMPLE"] for _, stack in track}
        begin, self.changes = 0, 0
        if under_way:
            begin = max([track[i][0] for i in range(1, len(track)) if track[i][1] != track[i - 1][1]][:TURNS][-1]
                        for track in tables["SAMPLE"])
        for track in tables["SAMPLE"]:
            times, last = [at for at, _ in track], None
            expect(times == sorted(times), "samples of a track are not in order")
            for at, stack in track:
                if at < begin:
                    continue
                self.changes, last = self.changes + (stack != last), stack
                image, lines = frames[stack[0]]
                self.images.add(image)
                self.functions[lines[-1][0]] += 1
                self.inlined[lines[0][0]] += len(lines) > 1
        self.count = sum(self.functions.values())
        self.symbols = {row[0]: row for row in tables["SYMBOL"]}
        self.code = {row[0] for row in tables["CODE"]}
        self.table = tables

    def expect_shares(self, exact, independent):
        """The functions count their own instructions, but for a few at their begin and end."""
        for name in FUNCTIONS:
            share, wanted = self.functions[name] / self.count, exact[name] / exact["all"]
            bound = 4 * math.sqrt(wanted * (1 - wanted) / independent) + 0.005
            print(f"{name}: {100 * share:.2f} % of {self.count} samples, exactly {100 * wanted:.2f} %, bound {100 * bound:.2f}")
            expect(abs(share - wanted) < bound, f"{name}: {share:.4f} instead of {wanted:.4f} (bound {bound:.4f})")


def exactly_and_unnoticed(scratch):
    """Virtual time: instructions are exact. Sampling changes none of them, and gives the same bytes each time."""
    traces = [os.path.join(scratch, "%d.tracy" % i) for i in range(2)]
    said = [record(trace, HOT + ["750"], "--clock", "insn", "--grid", "1x1", *OFTEN).stdout for trace in traces]
    without = record(os.path.join(scratch, "none.tracy"), HOT + ["750"], "--clock", "insn", "--grid", "1x1").stdout
    exact = counted(said[0])
    expect(exact and exact == counted(said[1]) == counted(without), "sampling has changed the instructions of a core")
    with open(traces[0], "rb") as a, open(traces[1], "rb") as b:
        expect(a.read() == b.read(), "two runs in virtual time differ")
    samples = Samples(traces[0])
    expect(len(samples.tracks) == 5 and min(samples.tracks) > 350, f"samples of cores: {samples.tracks}")
    samples.expect_shares(exact, samples.count)
    expect(samples.inlined["mix"] > 0.9 * samples.functions["third"], f"inlined: {samples.inlined}")
    expect(all(image.startswith("rv32 kernel ") for image in samples.images), f"images: {samples.images}")
    for address, row in samples.symbols.items():
        expect(address in samples.code, f"no code of {row}")
    first = [row for row in samples.symbols.values() if row[1] == "first"]
    expect(len(first) == 5 and all(row[2] == "tests/e2e/kernels/hot.c" for row in first), f"symbols: {first}")
    code = run([TENDRIL, "annotate", traces[0], "first"]).stdout
    expect("riscv32 code at" in code and "addi" in code and "hot.c:24" in code, f"annotate: {code}")
    return exact


def in_real_time(scratch, exact, grid):
    """Cores take turns in the simulator: looks at a core during one turn are one. The first turns are the same part of the
    kernel on all cores, and many are seen while the other cores are launched, so these are left out."""
    columns, rows = (int(n) for n in grid.split("x"))
    trace, cores = os.path.join(scratch, grid + ".tracy"), 5 * columns * rows
    rounds = 10000 // cores + 70
    said = record(trace, HOT + [str(rounds)], "--grid", grid, "--sample-cores").stdout
    expect("samples " in said and ", 0 of them in no known function" in said, said)
    samples = Samples(trace, under_way=True)
    expect(len(samples.tracks) == cores, f"{len(samples.tracks)} of {cores} cores were sampled")
    samples.expect_shares(exact, samples.changes)
    return trace


def next_to_zones(scratch):
    """Zones are as without sampling."""
    counts = []
    for options in ((), ("--sample-cores",)):
        trace = os.path.join(scratch, "zones.tracy")
        record(trace, [example("matmul"), "64", "2"], "--grid", "2x2", *options)
        counts.append({zone["name"]: zone["count"] for zone in info(trace)["names"]})
    expect(counts[0] == counts[1], "zones differ when cores are sampled")
    tables = dump(trace)
    both = [i for i, track in enumerate(tables["SAMPLE"]) if track and tables["tracks"][i]["zones"]]
    expect(both, "no core has zones and samples")


def through_windows(scratch):
    """As through those of a card, whose accesses take time."""
    board = os.path.join(scratch, "windows.bar")
    sim = subprocess.Popen([TENDRIL, "sim", "--grid", "1x1", "--bar", board, "--windows", "6", "--noc-order", "relaxed"],
                           stdout=subprocess.DEVNULL)
    try:
        while not os.path.exists(board):
            time.sleep(0.01)
        trace = os.path.join(scratch, "windows.tracy")
        rounds, samples = 3000, None
        while rounds < 200000 and not (samples and samples.count > 100):  # few, if other programs have the processors
            record(trace, HOT + [str(rounds)], "--at", "simnoc:" + board, "--sample-cores", env={"TENDRIL_BOARD": board})
            samples, rounds = Samples(trace), 4 * rounds
        expect(samples.count > 100 and set(FUNCTIONS) <= set(samples.functions), f"windows: {samples.functions}")
    finally:
        sim.terminate()
        sim.wait()


def kept_by_the_journal(scratch):
    """What `recover` makes of a recording's journal has the same samples."""
    trace, copy = os.path.join(scratch, "j.tracy"), os.path.join(scratch, "copy.journal")
    command = f"while [ ! -e {trace}.journal ]; do sleep .01; done; ln {trace}.journal {copy} && exec {' '.join(HOT)} 2000"
    record(trace, ["sh", "-c", command], "--grid", "1x1", "--sample-cores")
    recovered = os.path.join(scratch, "recovered.tracy")
    run([TENDRIL, "recover", "-q", "-f", copy, "-o", recovered])
    here, there = Samples(trace), Samples(recovered)
    expect(here.count > 100 and here.functions == there.functions and here.tracks == there.tracks,
           f"recovered {there.functions}, recorded {here.functions}")
    expect(set(here.symbols) == set(there.symbols), "recovered other symbols")
    return trace


def merged(scratch, one):
    """Two traces with samples at the same addresses: each keeps its own."""
    both, other = os.path.join(scratch, "both.tracy"), os.path.join(scratch, "other.tracy")
    shutil.copy(one, other)
    run([TENDRIL, "merge", "-o", both, one, other])
    before, after = Samples(one), Samples(both)
    expect(after.functions == {name: 2 * n for name, n in before.functions.items()}, f"merged: {after.functions}")
    expect(len(after.addresses) == 2 * len(before.addresses), "merged traces share addresses of kernels")
    expect(len(after.code) == 2 * len(before.code), "merged traces share machine code")


def by_an_agent(scratch):
    """Boards of another machine."""
    log = open(os.path.join(scratch, "agent.out"), "w+", encoding="utf-8")
    agent = subprocess.Popen([TENDRIL, "agent", "--once", "--listen", "0", "-b", "tensix_sim", "--grid", "1x1", "--sample-cores",
                              "--", *HOT, "2000"], stdout=log, stderr=subprocess.STDOUT)
    try:
        port = None
        while not port:
            time.sleep(0.01)
            with open(log.name, encoding="utf-8") as said:
                port = re.search(r"agent at port (\d+)", said.read())
        trace = os.path.join(scratch, "agent.tracy")
        run([TENDRIL, "record", "-o", trace, "--agent", "127.0.0.1:" + port.group(1)])
    finally:
        agent.kill()
        agent.wait()
        log.close()
    samples = Samples(trace)
    expect(samples.count > 100 and set(FUNCTIONS) <= set(samples.functions), f"agent: {samples.functions}")


def known_to_stock(scratch, trace):
    """Stock programs read the file and keep the samples."""
    for release in ("0.11.1", "0.14.0"):
        update, export = stock(release, "update"), stock(release, "csvexport")
        if not update or not export:
            print(f"stock programs of {release} are missing")
            continue
        run([export, trace])
        out = os.path.join(scratch, "stock.tracy")
        run([update, trace, out])
        ours, theirs = Samples(trace), Samples(out)
        expect(ours.functions == theirs.functions and ours.symbols.keys() == theirs.symbols.keys(),
               f"update of {release}: {theirs.functions} instead of {ours.functions}")


def refused(scratch):
    """One line says what is wrong."""
    plain = os.path.join(scratch, "plain.board")
    with open(os.path.join(os.environ["TD_SOURCE_DIR"], "boards", "tensix_sim", "tensix_sim.board"), encoding="utf-8") as file:
        text = re.sub(r"\[debug_bus\]\n(.+\n)+", "", re.sub(r"pc_select=.*\n", "", file.read()))
    with open(plain, "w", encoding="utf-8") as file:
        file.write(text.replace("name=tensix_sim", "name=plain"))
    for options, why in ((("-b", plain, "--sample-cores"), "[debug_bus]"),
                         (("--sample-reads", "100"), "--sample-reads is for --sample-cores"),
                         (("--sample-cores", "--tracks", "contexts"), "leave --tracks out"),
                         (("--sample-cores=0",), "sample-cores"),
                         (("-b", "none", "--sample-cores"), "no board")):
        done = record(os.path.join(scratch, "none.tracy"), ["true"], *options, check=False)
        lines = done.stderr.strip().splitlines()
        expect(done.returncode and len(lines) == 1 and why in lines[0], f"{options}: {done.returncode} {done.stderr}")


def main():
    with folder() as scratch:
        refused(scratch)
        exact = exactly_and_unnoticed(scratch)
        for grid in sys.argv[1:] or ["1x1"]:
            trace = in_real_time(scratch, exact, grid)
        known_to_stock(scratch, trace)
        next_to_zones(scratch)
        through_windows(scratch)
        by_an_agent(scratch)
        merged(scratch, kept_by_the_journal(scratch))


main()
