#!/usr/bin/env python3
"""`tendril import` of profiles: folded stacks. Every stack, number and name of the file is in the trace."""
import subprocess
import sys

from common import TENDRIL, check, exit_status
from imported import TRACE, Imported, expect


def folded_again(form="zones"):
    """What `export` makes of the imported trace: numbers by stack."""
    out = subprocess.run([TENDRIL, "export", "--to", "folded", "--stacks", form, "-o", "-", TRACE], stdout=subprocess.PIPE, check=True).stdout.decode()
    return {line.rpartition(" ")[0].partition(";")[2]: int(line.rpartition(" ")[2]) for line in out.splitlines()}


def folded_stacks_become_zones_as_wide_as_their_numbers():
    done = Imported("# made by hand\nmain;a;b 10\nmain;a 5\r\nother 3\n\nmain;c 2\nmain;a;b 7\n", "f.folded")
    expect("zones", (done.code, done.said, done.tracks),
           (0, "", {"folded stacks": [(0, "main", 0, 24), (1, "a", 0, 22), (2, "b", 0, 17), (1, "c", 22, 2), (0, "other", 24, 3)]}))
    expect("the scale", done.facts, ["1 ns is 1 of the numbers in the file"])
    expect("the same again", folded_again(), {"main;a;b": 17, "main;a": 5, "main;c": 2, "other": 3})
    done = Imported("a;b 0.5\na 1.25\nb c (d) [k];e f 1e1\n", "f.folded")
    expect("numbers with a point", (done.facts, folded_again()), (["1 ns is 0.001 of the numbers in the file"], {"a;b": 500, "a": 1250, "b c (d) [k];e f": 10000}))
    done = Imported("a;b %d\na;c %d\n" % (3 * 10 ** 15, 10 ** 15), "f.folded")
    expect("large numbers", (done.facts, folded_again()), (["1 ns is 100 of the numbers in the file"], {"a;b": 3 * 10 ** 13, "a;c": 10 ** 13}))
    deep = ";".join("f%d" % i for i in range(3000))
    done = Imported(deep + " 9\n", "f.folded")
    expect("3000 levels", (sum(map(len, done.tracks.values())), folded_again()), (3000, {deep: 9}))


def a_line_that_is_not_understood_costs_one_line():
    done = Imported("a;b 10\nno number\na;b -5\na;b 99999999999999999999\n;;; 4\n%s 1\na;b nan\nc 1" % ("x" * 1100000), "f.folded")
    expect("lines", (done.code, done.said, folded_again()), (0, "6 items are left out: 6 lines that are not understood\n", {"a;b": 10, "c": 1}))
    for text in "no number at all\n", "a;b x\nc 1\n", "a;\0b 5\n":
        done = Imported(text, "f.folded")
        check("no folded stacks: %r" % text, done.code == 1 and done.said.count("\n") == 1 and "no format" in done.said, done.said)


def main():
    for test in (folded_stacks_become_zones_as_wide_as_their_numbers, a_line_that_is_not_understood_costs_one_line):
        test()
    sys.exit(exit_status())


main()
