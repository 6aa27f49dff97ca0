#!/usr/bin/env python3
"""bench/python with few calls: every line is an object of the five keys, and all figures are there. Sizes are not looked
at. Usage: test_quick.py BENCH"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from quick import run  # noqa: E402

NAMES = {"call_ns", "loop_ns", "call_callback_ns", "loop_callback_ns", "off_call_ns", "off_loop_ns"}
assert set(run(sys.argv[1], dict(os.environ))) == NAMES
