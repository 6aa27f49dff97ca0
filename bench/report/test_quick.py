#!/usr/bin/env python3
"""bench/report with few zones: every line is an object of the five keys, and all figures are there. Times are not looked
at. Usage: test_quick.py BENCH"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from quick import run

NEEDED = ["report_peak_bytes", "report_rows_a_second", "report_trace_zones_a_second"]

environment = {name: value for name, value in os.environ.items() if name != "TD_TT_METAL_DIR"}
lines = run(sys.argv[1], environment)
assert sorted(lines) == NEEDED, lines
assert all(line["ours"] > 0 for line in lines.values()), lines
