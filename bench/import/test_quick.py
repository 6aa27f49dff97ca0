#!/usr/bin/env python3
"""bench/import with few zones: every line is an object of the five keys, and all figures are there. Times are not looked
at. Usage: test_quick.py BENCH"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from quick import run

lines = run(sys.argv[1], dict(os.environ))
assert list(lines) == ["import_fxt_rows_a_second"], lines
