#!/usr/bin/env python3
"""bench/export with few zones: every line is an object of the five keys, and all figures are there. Times are not looked
at. Usage: test_quick.py BENCH"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from quick import run

NEEDED = ["export_parquet_mb", "export_parquet_rows_a_second", "export_perfetto_bytes_a_second", "export_perfetto_mb"]

lines = run(sys.argv[1], dict(os.environ))
assert sorted(lines) == sorted(NEEDED), lines
