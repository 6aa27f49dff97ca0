#!/usr/bin/env python3
"""bench/query with few zones: every line is an object of the five keys, and all figures are there. Times are not looked
at. Usage: test_quick.py BENCH"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from quick import run

NEEDED = ["query_count_50m_ms", "query_group_50m_ms", "query_group_mb", "query_name_ms", "query_order_ms", "query_range_ms",
          "query_slowest_ms", "query_track_ms"]

lines = run(sys.argv[1], dict(os.environ))
assert sorted(lines) == sorted(NEEDED), lines
