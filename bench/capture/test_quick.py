#!/usr/bin/env python3
"""bench/capture with few zones: every line is an object of the five keys, all figures of our own client are there, and
with TD_STOCK_DIR those of a stock client and the baselines, too. Sizes are not looked at. Usage: test_quick.py BENCH"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from quick import run

OWN = ["own_client_cpu_seconds", "own_client_peak_bytes"]
STOCK = ["capture_cpu_seconds", "capture_peak_bytes"]


def run_positive(bench, environment):
    lines = run(bench, environment)
    # The system counts time in user mode in ticks, and so short a run may have none.
    assert all(line["ours"] > 0 for name, line in lines.items() if not name.endswith("_user_seconds")), lines
    return lines


def main():
    without = {name: value for name, value in os.environ.items() if name != "TD_STOCK_DIR"}
    lines = run_positive(sys.argv[1], without)
    assert all(name in lines for name in OWN), lines
    if "TD_STOCK_DIR" not in os.environ:
        print("skipped: the same against stock, TD_STOCK_DIR is not set")
        return
    lines = run_positive(sys.argv[1], dict(os.environ))
    assert all(lines[name]["baseline"] > 0 for name in OWN + STOCK), lines


main()
