"""Zones of tt-metal's streaming device profiler, read from its rings while the program runs: a kernel of this tree writes them as
tt-metal's does, on the simulated board. With a relay, as tt-metal's, cores wait for it and nothing is lost; without one, what
was written over is counted."""
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.join(os.environ["TD_SOURCE_DIR"], "tests", "e2e"))
sys.path.insert(0, os.path.join(os.environ["TD_SOURCE_DIR"], "tests", "boards"))
from kit import BUILD, csvexport, expect, folder, info, record, run, TENDRIL

from ttsim_libraries import LIBRARIES, find_library

STREAM = os.path.join(BUILD, "tests", "tt_kernels", "stream")
KERNELS = os.path.join(STREAM, "tensix_sim")
HOST = os.path.join(BUILD, "tests", "tt_ring_host")
OBJCOPY = os.environ.get("TENDRIL_CROSS", "riscv64-unknown-elf-") + "objcopy"
PAUSE = 1500 # ms, in which the agent looks at each tile also on a busy machine
CORES = 10 # of two tiles
RING_WORDS = 512


def record_launches(directory, relay_ms, launches, place="auto", names=KERNELS, kernels=KERNELS, board=("-b", "tensix_sim")):
    trace = os.path.join(directory, "trace.tracy")
    done = record(trace, [HOST, kernels, str(relay_ms), *launches], *board, "--grid", "2x1", "--tt-buffers", place,
                  "--tt-zones", names)
    return trace, done


def counts(trace):
    found = {}
    for row in csvexport(trace):
        found[row["name"]] = found.get(row["name"], 0) + int(row["counts"])
    return found


def wanted(zones, launches):
    """Of so many launches on two tiles, with so many zones of each core in all."""
    mains = {f"{kind}-KERNEL": 2 * launches * cores for kind, cores in (("BRISC", 1), ("NCRISC", 1), ("TRISC", 3))}
    return {**mains, "outer": CORES * zones // 2, "inner": CORES * zones // 2}


def lost_words(done):
    return int(re.search(r"; (\d+) words of them were written over", done.stdout).group(1))


def waits(done):
    return int(re.search(r"; (\d+) waits for room", done.stdout).group(1))


def what_fits_is_read_exactly(directory):
    for place in ("auto", "0x7040,stream"):
        trace, done = record_launches(directory, 0, [f"40,3,{PAUSE}", f"20,0,{PAUSE}"], place)
        expect(counts(trace) == wanted(60, 2), f"{counts(trace)}")
        expect(info(trace)["lost_zones"] == 0 and lost_words(done) == 0, done.stdout)
        expect(f"{2 * CORES} of cores read from tt-metal's rings" in done.stdout, done.stdout)
        notes = sorted(row["MessageName"] for row in csvexport(trace, "-m"))
        expect(notes == sorted(["event"] * 2 * CORES + [f"value: {0x80000001 << 32 | i}" for i in range(3)] * CORES), f"{notes}")
        texts = run([os.path.join(BUILD, "tests", "trace_dump"), trace]).stdout
        expect("op 3072" in texts and "op 4096" in texts, "operations by the host's id")
        print(f"{place}: {sum(counts(trace).values())} zones, none lost")


def the_vendors_simulator_does_the_same(directory):
    """Of Blackhole, the chip that tt-metal's streaming profiler is for."""
    path, kernels = find_library(LIBRARIES["blackhole"]), os.path.join(STREAM, "blackhole")
    if not path:
        return
    trace, done = record_launches(directory, 0, [f"40,3,{PAUSE}", f"20,0,{PAUSE}"], names=kernels, kernels=kernels,
                                  board=("-b", "blackhole", "--at", "ttsim:" + path))
    expect(counts(trace) == wanted(60, 2) and lost_words(done) == 0, f"{counts(trace)} {done.stdout}")
    print(f"ttsim: {sum(counts(trace).values())} zones, none lost")


def cores_that_wait_for_the_relay_lose_nothing(directory):
    """The ring is filled several times over, as often as the relay comes, and the agent looks more often."""
    trace, done = record_launches(directory, PAUSE, [f"900,0,{PAUSE}"])
    found = counts(trace)
    stalls = {name: n for name, n in found.items() if name not in wanted(0, 0)}
    expect({**found, **{name: 0 for name in stalls}} == {**wanted(900, 1), **{name: 0 for name in stalls}}, f"{found}")
    expect(lost_words(done) == 0 and info(trace)["lost_zones"] == 0, done.stdout)
    expect(sum(stalls.values()) == waits(done) > 0 and f"waits {waits(done)}\n" in done.stdout, f"{stalls} {done.stdout}")
    print(f"with a relay: {sum(found.values())} zones, {waits(done)} of them waits, none lost")


def words_that_were_written_over_are_counted(directory):
    zones = 6000
    trace, done = record_launches(directory, 0, [f"20,0,{PAUSE}", f"{zones},0,{PAUSE}", f"20,0,{PAUSE}"])
    found, lost = counts(trace), info(trace)["lost_zones"]
    read = sum(found.values())
    all_zones = sum(wanted(zones + 40, 3).values())
    expect(read < all_zones and read + lost <= all_zones, f"{read} read, at least {lost} lost, of {all_zones}")
    expect("at least" in done.stdout, done.stdout)
    # A zone has two or three words here. Launches have two or three more, and up to three of the clock. Up to a ring of zones
    # that were read, and end at a distance from the one before, are lost with it.
    words = lost_words(done)
    expect(2 * (all_zones - read) - RING_WORDS * CORES <= words <= 3 * (all_zones - read) + 30 * CORES, f"{words} words, {all_zones - read} zones")
    print(f"without a relay: {read} zones of {all_zones}, {words} words lost")


def zones_without_a_name_are_shown(directory):
    none = os.path.join(directory, "none")
    os.mkdir(none)
    trace, _ = record_launches(directory, 0, [f"10,0,{PAUSE}"], names=none)
    expect(all(re.fullmatch(r"zone \d+", name) for name in counts(trace)), f"{counts(trace)}")


def ids_are_those_of_loaded_kernels(directory):
    """Releases that give ids as a kernel is loaded leave two ELFs: as it was linked, and as it was loaded."""
    names = os.path.join(directory, "loaded")
    os.mkdir(names)
    for name in os.listdir(KERNELS):
        for ids, end in (("0x6800000", ""), ("0x10", ".xip.elf")):
            if not name.endswith(".elf"):
                continue
            run([OBJCOPY, "--add-section", ".tt_zone_ids=" + os.path.join(KERNELS, name), "--change-section-address",
                 ".tt_zone_ids=" + ids, os.path.join(KERNELS, name), os.path.join(names, name + end)])
    trace, _ = record_launches(directory, 0, [f"20,0,{PAUSE}"], names=names)
    expect(counts(trace) == wanted(20, 1), f"{counts(trace)}")
    for name in os.listdir(names):
        if name.endswith(".xip.elf"):
            os.remove(os.path.join(names, name))
    trace, _ = record_launches(directory, 0, [f"20,0,{PAUSE}"], names=names)
    expect(all(re.fullmatch(r"zone \d+", name) for name in counts(trace)), f"{counts(trace)}")


def a_recording_that_is_killed_is_recovered(directory):
    """From the journal alone: names of zones too."""
    trace, moved = os.path.join(directory, "killed.tracy"), os.path.join(directory, "moved")
    names = os.path.join(directory, "elfs")
    shutil.copytree(KERNELS, names)
    line = f"{HOST} {KERNELS} 0 40,3,{PAUSE} 20,0,{PAUSE}; kill -9 $PPID"
    run([TENDRIL, "record", "-q", "-o", trace, "-b", "tensix_sim", "--grid", "2x1", "--tt-buffers", "auto", "--tt-zones", names,
         "--", "sh", "-c", line], check=False)
    os.rename(names, moved)
    expect(not os.path.exists(trace), "the recorder was killed")
    run([TENDRIL, "recover", "-q", trace])
    expect(counts(trace) == wanted(60, 2), f"recovered: {counts(trace)}")


def main():
    with folder() as directory:
        what_fits_is_read_exactly(directory)
        the_vendors_simulator_does_the_same(directory)
        cores_that_wait_for_the_relay_lose_nothing(directory)
        words_that_were_written_over_are_counted(directory)
        zones_without_a_name_are_shown(directory)
        ids_are_those_of_loaded_kernels(directory)
        a_recording_that_is_killed_is_recovered(directory)


main()
