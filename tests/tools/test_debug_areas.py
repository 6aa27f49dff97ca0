#!/usr/bin/env python3
"""The debug log's areas: listed, documented, refused when there is no such area; nothing is logged by default."""
import os
import re
import subprocess
import sys

TENDRIL = os.path.join(os.environ["TD_BINARY_DIR"], "bin", "tendril")
SOURCE = os.environ["TD_SOURCE_DIR"]


def run(*words, debug=None):
    env = {name: value for name, value in os.environ.items() if name != "TENDRIL_DEBUG"}
    if debug is not None:
        env["TENDRIL_DEBUG"] = debug
    return subprocess.run([TENDRIL, *words], capture_output=True, text=True, timeout=200, env=env, check=False)


def check_table():
    """The table of the page agrees with that of the header."""
    with open(os.path.join(SOURCE, "host", "base", "debug_log.h"), encoding="utf-8") as f:
        header = re.findall(r'^    X\((\w+), "(.*)"\)', f.read(), re.M)
    with open(os.path.join(SOURCE, "docs", "commands", "debug-log.md"), encoding="utf-8") as f:
        section = f.read()
    page = re.findall(r"^\| `(\w+)` \| (.*) \|$", section, re.M)
    assert header and page == header, "docs/commands/debug-log.md: %s\nhost/base/debug_log.h: %s" % (page, header)
    listed = [tuple(line.split(None, 1)) for line in run("boards", "--debug", "help").stdout.splitlines()]
    assert listed == header, "--debug help: %s" % listed
    return [area for area, _ in header]


def main():
    areas = check_table()
    for refused in (run("boards", "--debug", "board,nonsense"), run("boards", debug="nonsense,board")):
        lines = refused.stderr.splitlines()
        assert refused.returncode == 2 and not refused.stdout and len(lines) == 1, refused
        assert "'nonsense'" in lines[0] and all(area in lines[0] for area in areas), lines
    asked = run("info", "there-is-no-such-file", debug="help")
    assert asked.returncode == 0 and asked.stdout == run("boards", "--debug", "help").stdout, asked
    for quiet in (run("boards"), run("boards", debug=""), run("boards", debug=",")):
        assert quiet.returncode == 0 and not quiet.stderr, quiet
    line = re.compile(r"\d\d:\d\d:\d\d\.\d{6} tendril\[\d+\] client: 127\.0\.0\.1:1\b.*")
    refused = subprocess.Popen([TENDRIL, "capture", "--debug", "client", "-p", "1", "-o", os.devnull, "-f"],
                               stderr=subprocess.PIPE, text=True)
    with refused:
        first = refused.stderr.readline()
        refused.terminate()
        refused.stderr.read()
    assert line.match(first), first


if __name__ == "__main__":
    sys.exit(main())
