#!/usr/bin/env python3
"""`tendril capture --set`: programs with our client, and with stock's of every release that is found, get the settings in
order. Unknown names and invalid values are reported."""
import glob
import os
import subprocess
import tempfile

import live

OURS = os.path.join(live.BINARY, "tests", "live_parameters")
SETTINGS = ("speed=-2147483648", "verbose=true", "speed=0x10", "a=b go=1", "no such=1")
SAID = "set 0 -2147483648\nset 1 1\nset 0 16\nset 7 1\n"


def stock_programs(scratch):
    """(release, program) for each stock release with which the program can be built."""
    for library in sorted(glob.glob(os.path.join(live.STOCK, "*", "lib", "libTracyClient.a"))) if live.STOCK else []:
        release = library.split(os.sep)[-3]
        program = os.path.join(scratch, "parameters")
        subprocess.run(["g++", "-x", "c++", "-std=c++17", "-w", "-DTRACY_ENABLE", "-DSTOCK",
                        "-I" + os.path.join(live.STOCK, release, "src", "public"),
                        os.path.join(live.SOURCE, "tests", "live", "parameters.c"), "-x", "none", library,
                        "-lpthread", "-ldl", "-o", program], check=True)
        yield release, program


def check_run(check, name, program, trace):
    options = [word for setting in SETTINGS for word in ("--set", setting)]
    run = live.Run("tendril", live.TENDRIL, [program, "4"], trace, options=options,
                   env={"TRACY_NO_EXIT": "1", "TRACY_ONLY_LOCALHOST": "1"})
    check.same(name, run.fault(), None)
    check.same(name + ": what came", run.out, SAID)
    check.true(name + ": unknown ones are told",
               "the program has no parameter 'no such'; it has 'speed', 'verbose', 'a=b go'" in run.capture_out)
    for line in ("speed = 16\n", "verbose = 1 (yes or no)\n", "a=b go = 1 ("):
        check.true("%s: %s is told" % (name, line.strip()), "parameter    " + line in run.capture_out)


def main():
    check = live.Check()
    with tempfile.TemporaryDirectory() as scratch:
        trace = os.path.join(scratch, "parameters.tracy")
        check_run(check, "ours", OURS, trace)
        for release, program in stock_programs(scratch):
            check_run(check, release, program, trace)
            print("%s: all settings came" % release)
        plain = live.Run("tendril", live.TENDRIL, [OURS, "0"], trace)
        check.same("none set", (plain.fault(), plain.out), (None, ""))
        for wrong in ("speed", "=1", "speed=", "speed=fast", "speed=2147483648"):
            done = subprocess.run([live.TENDRIL, "capture", "-o", trace, "--set", wrong], stderr=subprocess.PIPE,
                                  universal_newlines=True, timeout=200, check=False)
            check.same(wrong + ": exit code and lines", (done.returncode, done.stderr.count("\n")), (2, 1))
    check.leave()


main()
