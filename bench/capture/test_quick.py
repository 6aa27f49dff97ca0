#!/usr/bin/env python3
"""bench/capture with few zones: every line is an object of the five keys, all figures of our own client are there, and
with TD_STOCK_DIR those of a stock client and the baselines, too. Sizes are not looked at. Usage: test_quick.py BENCH"""
import json
import os
import subprocess
import sys

OWN = ["own_client_cpu_seconds", "own_client_peak_bytes"]
STOCK = ["capture_cpu_seconds", "capture_peak_bytes"]


def run(bench, environment):
    done = subprocess.run([bench, "--quick", "--json", "--no-limits"], env=environment, stdout=subprocess.PIPE,
                          timeout=240, check=True, text=True)
    lines = {}
    for line in done.stdout.splitlines():
        values = json.loads(line)
        assert set(values) == {"name", "unit", "ours", "baseline", "limit"}, line
        assert values["ours"] > 0, line
        lines[values["name"]] = values
    return lines


def main():
    without = {name: value for name, value in os.environ.items() if name != "TD_STOCK_DIR"}
    lines = run(sys.argv[1], without)
    assert all(name in lines for name in OWN), lines
    if "TD_STOCK_DIR" not in os.environ:
        print("skipped: the same against stock, TD_STOCK_DIR is not set")
        return
    lines = run(sys.argv[1], dict(os.environ))
    assert all(lines[name]["baseline"] > 0 for name in OWN + STOCK), lines


main()
