"""Programs of tt-metal on the vendor's simulator, recorded with `record --ttmetal`: tt-metal's own firmware on all five cores, kernels of
three of its examples and one with all markers. Results are right and zones exact, with block, drop and overwrite, and when the recorder
is late. Needs TD_TTSIM_DIR, and a tree of tt-metal with its submodule tt_llk in TD_TT_METAL_DIR."""
import json
import os
import re
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.environ["TD_SOURCE_DIR"], "tests", "e2e"))
sys.path.insert(0, os.path.join(os.environ["TD_SOURCE_DIR"], "tests", "boards"))
import jit
from kit import BUILD, SOURCE, TENDRIL, csvexport, expect, folder, info, run
from ttsim_libraries import LIBRARIES, find_library

HERE = os.path.dirname(os.path.abspath(__file__))
CORES = ["BRISC", "NCRISC", "TRISC0", "TRISC1", "TRISC2"]
RUNS = 2
LAUNCHES = {"BRISC": 4, "NCRISC": 3, "TRISC0": 3, "TRISC1": 3, "TRISC2": 3}  # of a run


def find_tree():
    """The tree that the user names; None, and a line, where it is not there."""
    tree = os.environ.get("TD_TT_METAL_DIR", "")
    if not os.path.isdir(os.path.join(tree, "tt_metal", "third_party", "tt_llk", "tt_llk_wormhole_b0")):
        print("not run: TD_TT_METAL_DIR names no tree of tt-metal with its submodule tt_llk")
        return None
    if not jit.has_debian_compiler():
        print("not run: there is no riscv64-unknown-elf-g++")
        return None
    return os.path.join(tree, "tt_metal")


def link_all(source, target, without=()):
    os.makedirs(target, exist_ok=True)
    for name in os.listdir(source):
        if name not in without:
            os.symlink(os.path.join(source, name), os.path.join(target, name))


def make_root(tree, root):
    """The tree with a compiler. Functions of the SFPU need tt-metal's own, so the header with all of them is empty."""
    metal = os.path.join(root, "tt_metal")
    link_all(tree, metal, ["third_party"])
    llk = os.path.join(tree, "third_party", "tt_llk")
    parts = ["tt_llk_wormhole_b0", "tt_llk_blackhole"]
    link_all(llk, os.path.join(metal, "third_party", "tt_llk"), parts)
    for part in parts:
        here = os.path.join(metal, "third_party", "tt_llk", part)
        link_all(os.path.join(llk, part), here, ["common"])
        link_all(os.path.join(llk, part, "common"), os.path.join(here, "common"), ["inc"])
        inc = os.path.join(here, "common", "inc")
        link_all(os.path.join(llk, part, "common", "inc"), inc, ["ckernel_sfpu.h"])
        with open(os.path.join(inc, "ckernel_sfpu.h"), "w", encoding="utf-8") as f:
            f.write("#pragma once\n")
    os.makedirs(os.path.join(root, "runtime", "sfpi", "compiler", "bin"))
    os.symlink(os.path.join(HERE, "compiler.sh"), os.path.join(root, "runtime", "sfpi", "compiler", "bin", "riscv-tt-elf-g++"))
    os.makedirs(os.path.join(root, "cxx"))
    os.symlink(os.path.join(SOURCE, "target", "include", "cxx", "bits"), os.path.join(root, "cxx", "bits"))


class Case:
    def __init__(self, directory, root, chip, library):
        self.directory, self.chip = directory, chip
        self.result, self.trace = os.path.join(directory, "result"), os.path.join(directory, "t.tracy")
        self.env = dict(os.environ, TT_METAL_RUNTIME_ROOT=root, TT_METAL_SIMULATOR=library, TD_DEVICE_CXX=os.path.join(root, "cxx"),
                        TD_NEWLIB=os.path.join(BUILD, "newlib", "newlib"), TT_METAL_CACHE=os.path.join(directory, "cache-" + chip),
                        TENDRIL_GUEST_OPTIONS="-DPROFILE_NOC_EVENTS")

    def program(self, *options):
        return ["python3", os.path.join(HERE, "program.py"), self.chip, self.result, *options]

    def clear(self):
        for path in (self.result, self.result + ".go", self.result + ".zones", self.trace):
            if os.path.exists(path):
                os.remove(path)

    def launch(self):
        with open(self.result + ".go", "w", encoding="utf-8"):
            pass

    def values_are_right(self):
        with open(self.result, encoding="utf-8") as f:
            wrong = f.read()
        expect(wrong == "0", f"{self.chip}: {wrong} values are wrong")

    def record(self, policy, zones):
        """What the recorder has said."""
        self.clear()
        lines = []
        with subprocess.Popen([TENDRIL, "record", "--ttmetal", "--grid", "1x1", "--policy", policy, "-o", self.trace, "--",
                               *self.program(f"runs={RUNS}", f"zones={zones}", "wait")], env=self.env, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True) as recorder:
            for line in recorder.stderr:
                lines.append(line)
                if "lanes are set up" in line:
                    time.sleep(1)  # the recorder says so before it does
                    self.launch()
        expect(recorder.returncode == 0, f"{self.chip}, {policy}: {''.join(lines)}")
        self.values_are_right()
        return lines


def zones_of(facts):
    """By core and name. A zone whose end was overwritten is on a line of its own."""
    counts = {}
    for track in facts["tracks"]:
        if track["name"].startswith("chip 0 tile 0,0 "):
            core = track["name"].split()[4].rstrip(",")
            for name in track["names"]:
                counts[core, name["name"]] = counts.get((core, name["name"]), 0) + name["count"] + name["open"]
    return {key: count for key, count in counts.items() if not key[1].startswith("TENDRIL")}


def wanted_zones(zones):
    wanted = {}
    for core in CORES:
        wanted[core, "turn"] = RUNS * zones
        wanted[core, "wait"] = RUNS
        wanted[core, core.rstrip("012") + "-KERNEL"] = RUNS * LAUNCHES[core]
    return wanted


def check_operations(case, cores):
    """The ids are those of the launch messages: no kernel says any."""
    for op, count in enumerate(cores, 1):
        found = info(case.trace, "--waits", "--op", str(op))["operations"]
        expect([(one["run_id"], one["launches"]) for one in found] == [(op << 10, count)], f"{case.chip}, operation {op}: {found}")


def with_block(case):
    lines = case.record("block", 100)
    facts = info(case.trace)
    counts = zones_of(facts)
    expect(counts == wanted_zones(100) and facts["lost_zones"] == 0, f"{case.chip}: {counts}, {facts['lost_zones']} lost")
    check_operations(case, [5, 5, 1, 5] * RUNS)
    texts = [row["MessageName"] for row in csvexport(case.trace, "-m")]
    for text in ("turns", "NoC FULL_BARRIER", "NoC READ ", "NoC WRITE_ noc=NOC_0 vc=1 num_bytes=96 dx=1 dy=2", "NoC SEMAPHORE_INC",
                 "MEM_LOCK 0x1000", "FABRIC-HEADER", "sum 1", "sum 2", "wait-KEY", "signal"):
        expect(any(text in other for other in texts), f"{case.chip}: no message with {text}: {set(texts)}")
    for word in ("tt-metal ", "lanes ", "TT_METAL_CACHE=", "TT_METAL_SIMULATOR=", "PATH="):
        expect(any(word in line for line in lines), f"{case.chip}: the recorder does not say {word}: {lines}")
    print(f"{case.chip}: {sum(counts.values())} zones with block, none lost")
    return lines


def with_loss(case):
    for policy in ("drop", "overwrite"):
        case.record(policy, 3000)
        facts = info(case.trace)
        arrived, written = sum(zones_of(facts).values()), sum(wanted_zones(3000).values())
        expect(arrived + facts["lost_zones"] == written,
               f"{case.chip}, {policy}: {arrived} arrived, {facts['lost_zones']} lost, of {written}")
        print(f"{case.chip}: {arrived} of {written} zones with {policy}, the others counted")


def with_an_early_launch(case):
    """The program launches as soon as the firmware runs."""
    case.clear()
    done = subprocess.run([TENDRIL, "record", "--ttmetal", "--grid", "1x1", "--policy", "block", "-o", case.trace, "--",
                           *case.program(f"runs={RUNS}", "zones=10")], env=case.env, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, timeout=600, check=False)
    expect(done.returncode == 0, f"{case.chip}, early: {done.stderr}")
    case.values_are_right()
    counts = zones_of(info(case.trace))
    expect(counts == wanted_zones(10), f"{case.chip}, early: {counts}")
    print(f"{case.chip}: {sum(counts.values())} zones of a program that launches at once")


def with_a_late_recorder(case, lines):
    """The program runs without a recorder, with what `record --ttmetal` has set. One comes in the middle of a kernel."""
    case.clear()
    said = dict(re.match(r".*sets +([A-Z_]+)=(\S*)", line).groups() for line in lines if " sets " in line)
    for name in ("PATH", "TT_METAL_SIMULATOR", "TENDRIL_TTSIM_SOCKET", "TENDRIL_TTSIM_HOLD"):
        del said[name]  # the recorder's folder is gone; all is compiled
    lanes = re.search(r"at (0x[0-9A-F]+) .* of ([0-9]+) slots", "".join(lines))
    board, where = os.path.join(case.directory, "late.board"), os.path.join(case.directory, "late.sock")
    count = 150000
    with open(board, "w", encoding="utf-8") as f:
        f.write(f"[board]\nbase={case.chip}\nname=late\n[tensix]\nlane_base={lanes[1]}\nring_slots={lanes[2]}\n")
    env = dict(case.env, **said, TT_METAL_SIMULATOR=os.path.join(BUILD, "lib", "libtendril-ttsim.so"), TENDRIL_TTSIM_SOCKET=where)
    with subprocess.Popen(case.program("runs=1", f"zones={count}"), env=env, stderr=subprocess.DEVNULL) as program:
        while not os.path.exists(case.result + ".zones"):
            expect(program.poll() is None, "the program runs the kernel with zones")
            time.sleep(0.01)
        done = subprocess.run([TENDRIL, "record", "--at", "umd:" + where, "-b", board, "--grid", "1x1", "--elf", said["TT_METAL_CACHE"],
                               "-o", case.trace], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=300, check=False)
    expect(program.returncode == 0 and done.returncode == 0, f"{case.chip}: {done.stderr}")
    case.values_are_right()
    # The chip's clock stands still while the recorder looks, so the times of two clocks that drift apart may be moved.
    facts = json.loads(run([TENDRIL, "info", "--json", case.trace]).stdout)
    counts = zones_of(facts)
    for core in CORES:
        expect(0 < counts.get((core, "turn"), 0) < count, f"{case.chip}, late: {counts}")
    expect(facts["lost_zones"] == 0, f"{case.chip}, late: {facts['lost_zones']} lost")
    print(f"{case.chip}: {sum(counts.values())} zones of a recorder that came late, none lost")


def refusals(case):
    for name, words in (("TT_METAL_RUNTIME_ROOT", "is no tree of tt-metal"), ("TT_METAL_DEVICE_PROFILER", "unset TT_METAL_DEVICE_PROFILER")):
        done = subprocess.run([TENDRIL, "record", "--ttmetal", "-o", case.trace, "--", "true"], env=dict(case.env, **{name: "/nowhere"}),
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
        expect(done.returncode != 0 and words in done.stderr, f"{name}: {done.stderr}")
    several = os.path.join(case.directory, "libttsim_wh_x2.so")
    os.symlink(case.env["TT_METAL_SIMULATOR"], several)
    done = subprocess.run([TENDRIL, "record", "--ttmetal", "-o", case.trace, "--", "true"], env=dict(case.env, TT_METAL_SIMULATOR=several),
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    expect(done.returncode != 0 and "is of several chips" in done.stderr, f"several chips: {done.stderr}")
    done = subprocess.run([TENDRIL, "record", "--ttmetal", "-o", case.trace, "--", "true"], env=case.env, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, check=False)
    expect(done.returncode != 0 and "true ended before its board was ready" in done.stderr, f"true: {done.stderr}")


def main():
    tree = find_tree()
    for chip, name in LIBRARIES.items():
        library = find_library(name) if tree else None
        if library:
            with folder() as directory:
                root = os.path.join(directory, "root")
                make_root(tree, root)
                case = Case(directory, root, chip, library)
                refusals(case)
                lines = with_block(case)
                with_loss(case)
                with_an_early_launch(case)
                with_a_late_recorder(case, lines)


main()
