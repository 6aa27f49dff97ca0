"""Zones of a kernel that overlap without being in each other keep their times, on a track of their own: as recorded, and
when the trace is written again, for each release, and merged."""
import os

from kit import BUILD, TENDRIL, csvexport, dump, expect, folder, info, record, run

LAUNCH = os.path.join(BUILD, "tests/e2e/launch")
KERNEL = os.path.join(BUILD, "tests/kernels/e2e_crossing.elf")


def zones(trace):
    return sorted((row["name"], int(row["ns_since_start"]), int(row["exec_time_ns"])) for row in csvexport(trace, "-u")
                  if row["name"] in ("first", "second"))


def check(trace):
    found = zones(trace)
    first, second = ([z[1:] for z in found if z[0] == name] for name in ("first", "second"))
    expect(len(first) == len(second) == 10, f"all zones: {found}")
    for (begin, length), (begin2, length2) in zip(first, second):
        expect(begin < begin2 < begin + length < begin2 + length2, f"they overlap: {begin} {length}, {begin2} {length2}")
        # Each part of it takes as long.
        expect(abs(length - length2) < 0.2 * length, f"with the times that they had: {length}, {length2}")
    tracks = [track for track in dump(trace)["tracks"] if track["zones"]]
    expect(len(tracks) == 2, f"two tracks: {len(tracks)}")
    return found


def main():
    with folder() as directory:
        trace, again = os.path.join(directory, "t.tracy"), os.path.join(directory, "again.tracy")
        record(trace, [LAUNCH, KERNEL], "--clock", "insn", "--grid", "1x1")
        found = check(trace)
        for release in ("0.9.1", "0.11.1", "0.14.0"):
            run([TENDRIL, "update", "-q", "--format", release, trace, again])
            expect(zones(again) == found, f"as of {release}: {zones(again)} instead of {found}")
            info(again)
        run([TENDRIL, "merge", trace, again, "-o", os.path.join(directory, "both.tracy")])
        expect(len(zones(os.path.join(directory, "both.tracy"))) == 40, "both are in the merged trace")


main()
