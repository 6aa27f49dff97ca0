"""Eight ranks of an MPI program, each with a simulated board: a trace for each, and one of all, made by `tendril merge`, by
`tendril-mpi merge` with one, three and eight ranks, and as shards. All have the same contents, on one clock."""
import os
import sys
import tempfile

from kit import BUILD, TENDRIL, example, fail, info, run

RANKS = 8
STEPS = 5  # of examples/mpi/mpi.c
SUMS = 20  # zones of a kernel
MPI = os.path.join(BUILD, "bin", "tendril-mpi")
MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n"]


def check(what, ok, *detail):
    if not ok:
        fail(f"{what}: {detail}")


def zone_counts(trace):
    table = {}
    for line in run([TENDRIL, "csvexport", trace]).stdout.splitlines()[1:]:
        cells = line.split(",")
        table[cells[0]] = table.get(cells[0], 0) + int(cells[5])
    return table


def check_causality(trace, way):
    """No rank leaves the barrier before all have come: their clocks are one."""
    came, left = [], []
    for line in run([TENDRIL, "csvexport", "-m", trace]).stdout.splitlines()[1:]:
        text, _, time = line.rpartition(",")
        (came if text.startswith("rank ") else left).append(int(time))
    check(f"{way}: all ranks came and left", len(came) == len(left) == RANKS, came, left)
    check(f"{way}: nothing leaves before all came", max(came) <= min(left), came, left)


def check_whole(trace, way):
    check_causality(trace, way)
    facts, zones = info(trace), zone_counts(trace)
    check(f"{way}: zones of the program", zones.get("step") == zones.get("exchange") == RANKS * STEPS, zones)
    check(f"{way}: zones on the boards", zones.get("sum") == RANKS * STEPS * SUMS, zones)
    check(f"{way}: cores", facts["cores"] == RANKS, facts["cores"])
    check(f"{way}: two messages a rank", facts["messages"] == 2 * RANKS, facts["messages"])
    check(f"{way}: sources", len(facts["sources"]) == RANKS, facts["sources"])
    for line in facts["sources"]:
        check(f"{way}: one machine is exact", "by its machine's clock, within" in line, line)
    names = {t["name"] for t in facts["tracks"]}
    for rank in range(RANKS):
        check(f"{way}: rank {rank} has its thread", f"mpi rank {rank}: Main thread" in names, names)
        check(f"{way}: rank {rank} has a chip", f"chip {rank} tile 0,0 BRISC" in names, names)
    return zones, facts


def main():
    with tempfile.TemporaryDirectory() as folder:
        ranks, one = os.path.join(folder, "ranks"), os.path.join(folder, "one.tracy")
        run([*MPIRUN, str(RANKS), TENDRIL, "record", "-q", "--rank-output", ranks, "--grid", "2x2", "--", example("mpi")],
            timeout=120)
        files = sorted(os.listdir(ranks))
        check("a file for each rank", files == [f"rank-{r:04}.tracy" for r in range(RANKS)], files)
        run([TENDRIL, "merge", "-q", *(os.path.join(ranks, f) for f in files), "-o", one])
        zones, facts = check_whole(one, "merge")
        for n in (1, 3, 8):
            many = os.path.join(folder, f"many{n}.tracy")
            run([*MPIRUN, str(n), MPI, "merge", "-q", ranks, "-o", many], timeout=60)
            again, facts_again = check_whole(many, f"{n} ranks")
            check(f"{n} ranks: the same zones as one process", again == zones, again, zones)
            check(f"{n} ranks: the same length", facts_again["last_time_ns"] == facts["last_time_ns"])
            check(f"{n} ranks: the same clocks", facts_again["sources"] == facts["sources"])
        shards = os.path.join(folder, "shards")
        run([*MPIRUN, "3", MPI, "merge", "-q", ranks, "--shards", shards], timeout=60)
        again, _ = check_whole(shards, "shards")
        check("shards: the same zones", again == zones)
        check("no launcher is an error", run([TENDRIL, "record", "--rank-output", folder, "--", "true"], check=False,
                                             env={"PATH": os.environ["PATH"]}).returncode == 2)
        with open(os.path.join(ranks, "rank-0005.tracy"), "r+b") as f:
            f.truncate(100)
        broken = run([*MPIRUN, "3", MPI, "merge", "-q", ranks, "-o", os.path.join(folder, "x.tracy")], check=False, timeout=60)
        check("a damaged file is an error that names it", broken.returncode != 0 and "rank-0005" in broken.stderr, broken.stderr)
        check("nothing is written then", not os.path.exists(os.path.join(folder, "x.tracy")))
    print("ok")


if __name__ == "__main__":
    sys.exit(main())
