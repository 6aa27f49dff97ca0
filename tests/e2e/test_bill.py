"""What markers cost is known: the bill of a recording equals what the simulator counts between kernels with and without
markers, and with --compensate the zones around others last as long as in a kernel that has no others."""
import os
import re

from kit import BUILD, TENDRIL, csvexport, expect, folder, info, run

TURNS = 100
LOOPS = {"flat": 0, "nested": 1, "mixed": 2}


def kernel(name):
    return os.path.join(BUILD, "tests", "kernels", f"e2e_loops{name}.elf")


def record(trace, name, loop, *options, turns=TURNS, clock="insn"):
    """Ticks that main took: instructions, in virtual time."""
    launch = os.path.join(BUILD, "tests", "e2e", "launch")
    done = run([TENDRIL, "record", "--clock", clock, *options, "-o", trace, "--", launch,
                f"{kernel(name)}:{LOOPS[loop] << 16 | turns}"])
    return int(re.search(r"exit code (\d+)", done.stdout).group(1))


def compensated(trace):
    return info(trace, "--compensate")


def outer(of):
    return next(n for n in of["names"] if n["name"] == "outer")


def near(is_, wanted, percent, what):
    expect(abs(is_ - wanted) <= wanted * percent / 100, f"{what}: {is_}, expected {wanted} within {percent} %")


def check_loop(directory, loop, without):
    trace, plain = os.path.join(directory, loop), os.path.join(directory, loop + "_outer")
    marked = record(trace, "", loop)
    record(plain, "_outer", loop)
    found = info(trace)
    expect(len(found["bill"]) == 1 and found["lost_zones"] == 0, f"{loop}: {found['bill']}")
    bill = found["bill"][0]
    places = [bill[k] for k in ("chip", "x", "y", "core", "launches")]
    expect(places == [0, 0, 0, 0, 1], f"{loop}: {bill}")
    expect(bill["zones"] == found["zones"] - bill["waits"] - 1, f"{loop}: {bill} of {found['zones']} zones")
    expect(bill["waits"] == found["stalls"] and bill["bytes"] > 8 * bill["zones"], f"{loop}: {bill}")
    # The time around main is that of the launch.
    launch = info(plain)["bill"][0]["instructions"] - marker_cost(info(plain))
    near(bill["instructions"] - launch + bill["wait_ns"], marked - without, 3, f"{loop}: cost of markers")
    wanted, whole, short = outer(info(plain)), outer(found), outer(compensated(trace))
    expect(whole["mean_ns"] > 1.3 * wanted["mean_ns"] and whole["count"] == short["count"] == TURNS, f"{loop}: {whole}")
    near(short["mean_ns"], wanted["mean_ns"], 2, f"{loop}: mean of the outer zones")
    rows = {r["name"]: r for r in csvexport(trace, "--compensate")}
    expect(int(rows["outer"]["total_ns"]) == short["total_ns"], f"{loop}: csvexport {rows['outer']}, info {short}")
    expect(compensated(trace)["compensated"] and not found["compensated"], "the field compensated")
    lengths = [{n["name"]: n["total_ns"] for n in of["names"]}["inner"] for of in (found, compensated(trace))]
    expect((lengths[0] == lengths[1]) == (loop != "mixed"), f"{loop}: only zones with markers inside change: {lengths}")
    return trace


def marker_cost(found):
    """Instructions of the zones of a core that has nothing else."""
    return round(found["bill"][0]["zone_ns"] * found["bill"][0]["zones"])


def check_policies(directory, without):
    for policy, percent in (("drop", 5), ("overwrite", 5)):
        trace = os.path.join(directory, policy)
        marked = record(trace, "", "flat", "--policy", policy)
        found = info(trace)
        expect(found["lost_zones"] > 0 and found["bill"][0]["waits"] == 0, f"{policy}: {found['bill']}")
        near(found["bill"][0]["instructions"] - 1820, marked - without, percent, f"{policy}: cost of markers")


def check_copies(directory, trace):
    again, both = os.path.join(directory, "again"), os.path.join(directory, "both")
    run([TENDRIL, "update", "--format", "0.11.1", trace, again])
    expect(info(again)["bill"] == info(trace)["bill"], "update keeps the bill")
    run([TENDRIL, "merge", "-o", both, trace, again])
    merged = info(both)["bill"]
    expect([b.pop("chip") for b in merged] == [0, 1] and merged[0] == merged[1], f"merged: {merged}")
    expect(outer(compensated(both))["total_ns"] == 2 * outer(compensated(trace))["total_ns"], "a merged trace can be compensated")
    text = run([TENDRIL, "info", trace]).stdout
    expect("cost of markers: " in text and "tendril.bill" not in text, text)


def check_refusal(directory):
    trace = os.path.join(directory, "real")
    record(trace, "", "flat", clock="host", turns=5)
    expect(info(trace)["bill"][0]["zone_ns"] is None, "in real time the simulator's instructions have no length")
    for command in (["info"], ["info", "--json"], ["csvexport"]):
        done = run([TENDRIL, *command, "--compensate", trace], check=False)
        expect(done.returncode != 0 and done.stderr.count("\n") == 1 and "does not say how long" in done.stderr,
               f"{command}: {done.stderr}")


def main():
    with folder() as directory:
        for loop in LOOPS:
            without = record(os.path.join(directory, "off"), "_off", loop)
            trace = check_loop(directory, loop, without)
            if loop == "flat":
                check_policies(directory, without)
                check_copies(directory, trace)
        check_refusal(directory)


main()
