#!/usr/bin/env python3
"""bench/ttsim with few zones: every line is an object of the five keys, and all figures are there. Sizes are not looked
at. Usage: test_quick.py BENCH"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from quick import run  # noqa: E402

if not os.path.exists(os.path.join(os.environ.get("TD_TTSIM_DIR", ""), "libttsim_wh.so")):
    print("not run: TD_TTSIM_DIR names no folder with libttsim_wh.so")
    sys.exit(0)
NAMES = {"ttsim_zones_a_second_block", "ttsim_zones_a_second_drop", "ttsim_draining_block_percent", "ttsim_draining_drop_percent",
         "ttsim_400_lanes_exact"}
lines = run(sys.argv[1], dict(os.environ))
assert set(lines) == NAMES, lines
assert lines["ttsim_400_lanes_exact"]["ours"] == 1, lines
