#!/usr/bin/env python3
"""bench/serve with few messages: every line is an object of the five keys, and all figures are there. Times are not looked
at. Usage: test_quick.py BENCH"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from quick import run

NEEDED = ["serve_latency_median_ms", "serve_latency_ms", "serve_latency_worst_ms"]

lines = run(sys.argv[1], dict(os.environ))
assert sorted(lines) == sorted(NEEDED), lines
assert 0 < lines[NEEDED[0]]["ours"] <= lines[NEEDED[1]]["ours"] <= lines[NEEDED[2]]["ours"], lines
