#!/usr/bin/env python3
"""bench/ttsim with few zones: every line is an object of the five keys, and all figures are there. Sizes are not looked
at. Usage: test_quick.py BENCH"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir))
sys.path.insert(0, os.path.join(HERE, os.pardir, os.pardir, "tests", "boards"))
from quick import run  # noqa: E402
from ttsim_libraries import LIBRARIES, find_library  # noqa: E402

if not find_library(LIBRARIES["wormhole"]):
    sys.exit(0)
NAMES = {"ttsim_zones_a_second_block", "ttsim_zones_a_second_drop", "ttsim_draining_block_percent", "ttsim_draining_drop_percent",
         "ttsim_400_lanes_exact"}
lines = run(sys.argv[1], dict(os.environ))
assert set(lines) == NAMES, lines
assert lines["ttsim_400_lanes_exact"]["ours"] == 1, lines
