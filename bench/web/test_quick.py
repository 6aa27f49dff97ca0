#!/usr/bin/env python3
"""bench/web with small traces: every line is an object of the five keys, and all figures are there; that of the browser where
there is one. Sizes are not looked at. Usage: test_quick.py BENCH"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from quick import run

lines = run(sys.argv[1], dict(os.environ))
assert all(lines[name]["ours"] > 0 for name in ("web_bytes_a_frame", "web_most_bytes", "web_frame_ms")), lines
for name in ("web_input_ms", "web_shown_a_second"):
    assert lines.get(name, {"ours": 1})["ours"] > 0, lines
