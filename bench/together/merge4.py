#!/usr/bin/env python3
"""What it costs to record four programs into one trace, against one program with the same number of zones.

    merge4.py [--build BUILD] [--zones N] [--rounds N] [--json]

The zones wait in the programs until `tendril record` connects, so the recorder is never idle. Printed are user and system
seconds and the peak memory of `tendril record`, the best of several rounds, and the ratio of four programs to one.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir, "tests"))
from ports import free_port  # noqa: E402


def run(build, programs, zones, scratch):
    """Seconds of the processor and peak bytes of the recorder."""
    ports, clients = [free_port() for _ in range(programs)], []
    for port in ports:
        env = dict(os.environ, TRACY_PORT=str(port), TRACY_NO_EXIT="1")
        clients.append(subprocess.Popen([os.path.join(build, "bench", "together_zones"), str(zones // programs)], env=env,
                                        stdout=subprocess.PIPE, text=True))
    for client in clients:
        client.stdout.readline()
    trace = os.path.join(scratch, "trace.tracy")
    command = [os.path.join(build, "bin", "tendril"), "record", "-q", "-o", trace]
    recorder = subprocess.Popen(command + [word for port in ports for word in ("-a", ":%d" % port)])
    _, status, usage = os.wait4(recorder.pid, 0)
    for client in clients:
        client.wait(60)
    if status:
        sys.exit("record ended with status %d" % status)
    found = json.loads(subprocess.run([command[0], "info", "--json", trace], stdout=subprocess.PIPE, check=True).stdout)
    if found["zones"] != zones // programs * programs:
        sys.exit("%d zones instead of %d" % (found["zones"], zones))
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "build"))
    parser.add_argument("--zones", type=int, default=8000000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tendril-bench-") as scratch:
        rounds = [[run(options.build, n, options.zones, scratch) for n in (1, 4)] for _ in range(options.rounds)]
    one, four = (min(r[i][0] for r in rounds) for i in (0, 1))
    one_bytes, four_bytes = (min(r[i][1] for r in rounds) for i in (0, 1))
    if options.json:
        print(json.dumps({"merge4_ratio": round(four / one, 3), "merge4_cpu_seconds": round(four, 3),
                          "merge1_cpu_seconds": round(one, 3), "merge4_peak_bytes": four_bytes,
                          "merge1_peak_bytes": one_bytes}))
        return
    print("%d zones     processor      memory" % options.zones)
    print("one program   %8.2f s  %7d MB" % (one, one_bytes >> 20))
    print("four          %8.2f s  %7d MB" % (four, four_bytes >> 20))
    print("ratio         %8.2f    %7.2f" % (four / one, four_bytes / one_bytes))


main()
