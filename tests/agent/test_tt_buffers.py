"""Zones of tt-metal's own device profiler, read from its buffers while the program runs: a firmware of this tree writes them in
each layout, on the simulated board. Counts are exact; what a full buffer or an unseen launch has lost is counted."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.environ["TD_SOURCE_DIR"], "tests", "e2e"))
from kit import BUILD, csvexport, expect, folder, info, record, run, TENDRIL

KERNELS = os.path.join(BUILD, "tests", "tt_kernels")
HOST = os.path.join(BUILD, "tests", "tt_host")
LAYOUTS = 4
ZONES = [(kind + end, line) for kind in ("BRISC", "NCRISC", "TRISC") for end, line in (("-FW", 1), ("-KERNEL", 2))]
ZONES += [("outer", 10), ("inner", 11), ("value", 12)]
PAUSE = 1500 # ms, in which the agent looks at each tile also on a busy machine
FULL = 125 # zones of a core for which there is room


def write_names(directory, names):
    path = os.path.join(directory, "zone_src_locations.log")
    with open(path, "w", encoding="utf-8") as log:
        for name, line in names:
            log.write(f"tt_marks.c:{line}: note: '#pragma message: {name},tt_marks.c,{line},KERNEL_PROFILER'\n")
    return path


def record_launches(directory, layout, launches, place="auto", names=None, check=True):
    trace = os.path.join(directory, "trace.tracy")
    done = record(trace, [HOST, KERNELS, str(layout), *launches], "-b", "tensix_sim", "--grid", "2x1", "--tt-buffers", place,
                  "--tt-zones", names or directory, check=check)
    return trace, done


def counts(trace):
    found = {}
    for row in csvexport(trace):
        found[row["name"]] = found.get(row["name"], 0) + int(row["counts"])
    return found


def wanted():
    """Of two launches on two tiles, with 20 and 10 zones of each name."""
    each = {name: 4 * (3 if name.startswith("TRISC") else 1) for name, _ in ZONES[:6]}
    return {**each, "outer": 300, "inner": 300}


def every_layout_is_found_and_read_exactly(directory):
    for layout in range(LAYOUTS):
        trace, done = record_launches(directory, layout, [f"40,3,{PAUSE}", f"20,0,{PAUSE}"])
        expect(counts(trace) == wanted(), f"layout {layout}: {counts(trace)}")
        facts = info(trace)
        expect(facts["lost_zones"] == 0 and "4 of tiles read" in done.stdout and "0 missed; 0 buffers" in done.stdout,
               f"layout {layout}: {done.stdout}")
        values = sorted(row["MessageName"] for row in csvexport(trace, "-m"))
        expect(values == sorted([f"value: {0x80000001 << 32 | i}" for i in range(3)] * 10), f"layout {layout}: {values}")
        texts = run([os.path.join(BUILD, "tests", "trace_dump"), trace]).stdout
        expect("op 3072" in texts and "op 4096" in texts, "operations by the host's id")
        print(f"layout {layout}: {sum(counts(trace).values())} zones, none lost")


def a_place_may_be_given(directory):
    trace, _ = record_launches(directory, 2, [f"0,0,{PAUSE}", f"10,0,{PAUSE}"], place="0x7000,2025")
    expect(counts(trace)["outer"] == 50, f"{counts(trace)}")


def full_buffers_are_counted(directory):
    trace, done = record_launches(directory, 2, [f"300,0,{PAUSE}"])
    found = counts(trace)
    expect(found["outer"] + found["inner"] == 10 * FULL, f"what has room is there: {found}")
    expect("10 buffers were full" in done.stdout and "at least" in done.stdout, done.stdout)


def launches_that_nobody_saw_are_counted(directory):
    launches = [f"20,0,{PAUSE}"] + ["20,0,0"] * 30 + [f"20,0,{PAUSE}"]
    trace, done = record_launches(directory, 3, launches)
    zones = sum(counts(trace).values())
    expect(zones + info(trace)["lost_zones"] == 32 * 10 * 22, f"{zones} zones and {info(trace)['lost_zones']} lost")
    read, missed = (int(n) for n in re.search(r"launches +(\d+) of tiles read.* (\d+) missed", done.stdout).groups())
    expect(read + missed == 64, done.stdout)


def zones_without_a_name_are_shown(directory):
    os.mkdir(os.path.join(directory, "none"))
    trace, _ = record_launches(directory, 2, [f"10,0,{PAUSE}"], names=os.path.join(directory, "none"))
    expect(all(re.fullmatch(r"zone \d+", name) for name in counts(trace)), f"{counts(trace)}")


def a_recording_that_is_killed_is_recovered(directory):
    """From the journal alone: names of zones too."""
    trace = os.path.join(directory, "killed.tracy")
    line = f"{HOST} {KERNELS} 2 40,3,{PAUSE} 20,0,{PAUSE}; kill -9 $PPID"
    run([TENDRIL, "record", "-q", "-o", trace, "-b", "tensix_sim", "--grid", "2x1", "--tt-buffers", "auto", "--tt-zones", directory,
         "--", "sh", "-c", line], check=False)
    expect(not os.path.exists(trace), "the recorder was killed")
    run([TENDRIL, "recover", "-q", trace])
    expect(counts(trace) == wanted(), f"recovered: {counts(trace)}")


def a_program_without_the_profiler_is_one_line(directory):
    for program, options, words in ((["true"], ("--tt-buffers", "auto"), "TT_METAL_DEVICE_PROFILER=1"),
                                    (["true"], ("--tt-buffers", "0x7001"), "no place"),
                                    (["true"], ("--tt-buffers", "0x7000,1999"), "no place"),
                                    (["true"], ("--tt-buffers", ""), "no place")):
        done = run([TENDRIL, "record", "-q", "-o", os.path.join(directory, "no.tracy"), *options, "--", *program], check=False)
        lines = [line for line in done.stderr.splitlines() if line.startswith("tendril")]
        expect(done.returncode != 0 and len(lines) == 1 and words in lines[0], f"{options}: {done.stderr}")


def main():
    with folder() as directory:
        write_names(directory, ZONES)
        every_layout_is_found_and_read_exactly(directory)
        a_place_may_be_given(directory)
        full_buffers_are_counted(directory)
        launches_that_nobody_saw_are_counted(directory)
        zones_without_a_name_are_shown(directory)
        a_recording_that_is_killed_is_recovered(directory)
        a_program_without_the_profiler_is_one_line(directory)


main()
