"""`tendril record` with --keep, --trigger, --rotate and --strict. In virtual time what is kept is known exactly: it is
what a recording of everything has in the same window."""
import glob
import os

from kit import BUILD, TENDRIL, dump, example, expect, folder, info, record, run

SIZE = "128"
LAUNCH = os.path.join(BUILD, "tests/e2e/launch")
FLOOD, ZONES = os.path.join(BUILD, "tests/stress_kernels/again.BRISC.elf"), 30000


def notes(trace, key):
    lines = run([TENDRIL, "info", trace]).stdout.splitlines()
    return [line.split(": ", 1)[1] for line in lines if line.strip().startswith(key + ": ")]


def window(trace):
    return [int(time) for time in notes(trace, "tendril.window")[0].replace(" ns", "").split(" .. ")]


def zones_of(facts, begin, end):
    """Zones that overlap a window, by thread."""
    found = {}
    for track in facts["tracks"]:
        zones = [(depth, location[0], start, length, text) for depth, _, location, start, length, _, text, *_ in
                 track["zones"] if start <= end and (length < 0 or start + length > begin)]
        if zones:
            found[track["thread"]] = zones
    return found


def messages_of(facts, begin, end):
    return sorted(str(row) for row in facts["MESSAGE"] if begin <= row[0] <= end)


def virtual_time_is_exact(directory):
    everything = os.path.join(directory, "all.tracy")
    record(everything, [example("matmul"), SIZE, "3"], "--clock", "insn")
    facts = dump(everything)
    for keep in ("0.0005", "0.003", "1"):
        trace = os.path.join(directory, keep + ".tracy")
        record(trace, [example("matmul"), SIZE, "3"], "--clock", "insn", "--keep", keep)
        kept, (begin, end) = dump(trace), window(trace)
        expect(end == facts["last_time"] and end - begin == round(float(keep) * 1e9), f"the window of --keep {keep}")
        all_zones = zones_of(facts, begin, end)
        expect(zones_of(kept, begin, end) == all_zones and zones_of(kept, -1 << 62, 1 << 62) == all_zones,
               f"--keep {keep}: the zones of the window and no others")
        expect(sum(map(len, all_zones.values())) > 50, "the window is not empty")
        expect(messages_of(kept, -1 << 62, 1 << 62) == messages_of(facts, begin, end), f"--keep {keep}: messages")


def a_zone_of_a_core_is_a_trigger(directory):
    trace = os.path.join(directory, "rotate.tracy")
    done = record(trace, [example("matmul"), SIZE, "3"], "--keep", "5", "--rotate", "--trigger", "zone:BRISC-*>1us",
                  "--trigger", "zone:*>1us")
    files = sorted(glob.glob(os.path.join(directory, "rotate-*.tracy")))
    expect(files and not os.path.exists(trace), f"files of triggers: {files} {done.stderr}")
    expect("trigger" in done.stderr, done.stderr)
    cores = sum(location[0] != "" for file in files for track in dump(file)["tracks"] for _, _, location, *_ in
                track["zones"])
    expect(cores > 1000, f"zones of cores are in the files: {cores}")


def a_fault_is_a_trigger(directory):
    trace = os.path.join(directory, "fault.tracy")
    kernel = os.path.join(BUILD, "tests", "kernels", "e2e_open.elf") + ":1"
    program = [os.path.join(BUILD, "tests", "e2e", "launch"), "stay=4000", kernel]
    done = record(trace, program, "--keep", "10", "--trigger", "fault", check=False)
    expect(done.returncode != 0 and "stopped by" in done.stderr, f"the fault ends the recording: {done.stderr}")
    expect("stopped by a fault" in notes(trace, "tendril.trigger")[0], "the reason is in the trace")
    names = [location[0] for track in dump(trace)["tracks"] for _, _, location, *_ in track["zones"]]
    expect(names.count("closed") >= 4 and "inner" in names, f"zones before the fault are there: {names}")


def a_fault_on_the_second_board_names_its_chip(directory):
    trace = os.path.join(directory, "second.tracy")
    kernel = os.path.join(BUILD, "tests", "kernels", "e2e_open.elf") + ":1"
    program = ["/bin/sh", "-c", f"TENDRIL_BOARD=$TENDRIL_BOARD_1 exec {LAUNCH} stay=4000 {kernel}"]
    done = record(trace, program, "-b", "tensix_sim", "-b", "tensix_sim", "--keep", "10", "--trigger", "fault", check=False)
    expect(done.returncode != 0 and "stopped by" in done.stderr, f"the fault ends the recording: {done.stderr}")
    expect(notes(trace, "tendril.trigger")[0].startswith("the core chip 1 tile 0,0 "), notes(trace, "tendril.trigger"))


def a_crash_is_a_trigger(directory):
    trace = os.path.join(directory, "crash.tracy")
    done = record(trace, ["/bin/sh", "-c", f"{example('hello')}; kill -SEGV $$"], "--keep", "10", "--trigger", "crash",
                  "--rotate", check=False)
    files = sorted(glob.glob(os.path.join(directory, "crash-*.tracy")))
    expect(done.returncode != 0 and len(files) == 1, f"{files} {done.stderr}")
    expect("signal 11" in notes(files[0], "tendril.trigger")[0], "the reason is in the trace")
    expect(sum(len(track["zones"]) for track in dump(files[0])["tracks"]) >= 11, "zones before the crash are there")


def strict_is_content_without_a_loss(directory):
    trace = os.path.join(directory, "strict.tracy")
    done = record(trace, [example("matmul"), SIZE, "2"], "--strict", check=False)
    expect(done.returncode == 0, f"nothing is lost: {done.stderr}")


def strict_fails_at_a_loss(directory, policy):
    trace = os.path.join(directory, "strict.tracy")
    done = record(trace, [LAUNCH, f"{FLOOD}:{ZONES}"], "--strict", "--policy", policy, "--drain", "poll", check=False)
    lost = info(trace)["lost_zones"]
    expect(lost > 0, f"{policy}: a core that only marks zones fills its lane")
    expect(done.returncode == 1, f"exit code {done.returncode}: {done.stdout}{done.stderr}")
    expect(f"--strict: not everything was recorded: {lost} zones" in done.stderr, "one line names the loss")


def main():
    with folder() as directory:
        virtual_time_is_exact(directory)
        a_zone_of_a_core_is_a_trigger(directory)
        a_fault_is_a_trigger(directory)
        a_fault_on_the_second_board_names_its_chip(directory)
        a_crash_is_a_trigger(directory)
        strict_is_content_without_a_loss(directory)
        for policy in ("drop", "overwrite"):
            strict_fails_at_a_loss(directory, policy)


main()
