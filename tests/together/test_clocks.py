"""Programs whose clock is not that of this machine (recorded sessions): the bound on the error of their times is that of the
greeting's round trip where the greeting has their clock, and else about a second. It is printed, stored and shown."""
import os
import re
import subprocess
import sys

from kit import SOURCE, TENDRIL, expect, folder, info, record

sys.path.insert(0, os.path.join(SOURCE, "tests", "collect"))
from test_replay import CORPUS  # noqa: E402
from test_served import Client, recorded  # noqa: E402


def bound(scratch, session):
    """In ns, by the note; checks that summary and `info` say the same."""
    trace = os.path.join(scratch, "trace.tracy")
    said, protocol = recorded(os.path.join(CORPUS, "0.11.1", session + ".stream"))
    client = Client(said, protocol, None)
    client.start()
    out = record(trace, "-a", "127.0.0.1:%d" % client.port)
    lines = info(trace)["processes"]
    expect(len(lines) == 1 and re.fullmatch(r"\S+: \d+ ns", lines[0]), "processes: %s" % lines)
    shown = subprocess.run([TENDRIL, "info", trace], stdout=subprocess.PIPE, text=True, timeout=60, check=True).stdout
    expect("process   " + lines[0] in shown, shown)
    ns = int(lines[0].split()[-2])
    printed = re.search(r"clocks .* right to ([0-9.]+) us", out)
    expect(printed and abs(float(printed.group(1)) * 1000 - ns) <= 10, out)
    return ns


def main():
    with folder() as scratch:
        by_greeting = bound(scratch, "ondemand")
        expect(0 < by_greeting < 1e9, "on demand: %d ns" % by_greeting)
        if not os.path.exists(os.path.join(CORPUS, "0.11.1", "features.stream")):
            print("skipped: the clock of the time of day, as there is no corpus (TD_CORPUS)")
            return
        by_day = bound(scratch, "features")
        expect(by_day == 1e9, "by the time of day: %d ns" % by_day)
    print("on demand %d ns" % by_greeting)


main()
