"""Several boards in one trace: their chips are numbered over all boards, and the counts are those of each board alone."""
import os

from kit import BINARY, dump, expect, folder, info, record

MATMUL = os.path.join(BINARY, "examples", "matmul", "matmul")
NAMED = ("board", "clock_error_ns")


def cores(trace):
    return sorted(t["name"] for t in dump(trace)["tracks"] if t["name"].startswith("chip"))


def main():
    if not os.access(MATMUL, os.X_OK):
        print("skipped: the examples are not built")
        return
    with folder() as scratch:
        one, two = os.path.join(scratch, "one.tracy"), os.path.join(scratch, "two.tracy")
        record(one, "--grid", "2x2", "--", MATMUL, "64", "2")
        alone = info(one)
        expect(alone["boards"] == ["tensix_sim 2x2"] and not alone["processes"], "alone: %s" % alone["boards"])
        # The second program finds the second board by its variable.
        both = "TENDRIL_BOARD=$TENDRIL_BOARD_1 %s 64 2 & %s 64 2; code=$?; wait $! && exit $code" % (MATMUL, MATMUL)
        out = record(two, "--grid", "2x2", "-b", "tensix_sim", "-b", "tensix_sim", "--policy", "block", "--", "sh", "-c", both)
        together = info(two)
        expect("cores        40 of 40 wrote markers" in out, out)
        expect(together["boards"] == ["tensix_sim 2x2"] * 2, "boards: %s" % together["boards"])
        expect(together["zones"] == 2 * alone["zones"], "%d zones, %d alone" % (together["zones"], alone["zones"]))
        expect(together["messages"] == 2 * alone["messages"], "%d messages" % together["messages"])
        expect(together["lost_zones"] == together["lost_other"] == 0, "lost: %s" % together)
        chips = [name.replace("chip 0", "chip 1") for name in cores(one)]
        expect(cores(two) == sorted(cores(one) + chips), "cores: %s" % cores(two))
        out = record(two, "-b", "tensix_sim", "-b", "no_such_board", "--", "true", code=1)
        expect("no_such_board" in out and out.count("\n") == 1, out)


main()
