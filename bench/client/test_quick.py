#!/usr/bin/env python3
"""bench/client with tiny counts, with and without a stock client: every line is an object of the five keys, nothing that
can be counted is missing. Times are not looked at. Usage: test_quick.py BENCH"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from quick import run

NEEDED = ["clock_pair_ns", "zone_ns_cpp_1", "zone_ns_c_1", "zone_ns_cpp_2", "zone_ns_c_2", "message_ns", "plot_ns",
          "zone_text_ns", "memory_pair_ns", "lock_pair_ns", "frame_ns", "idle_connected_us", "idle_unconnected_us",
          "flood_zone_ns_cpp_2", "waiting_bytes_a_zone", "send_ns_a_zone", "off_zone_ns_c"]


def run_complete(bench, environment):
    lines = run(bench, environment)
    missing = [name for name in NEEDED if name not in lines]
    assert not missing, missing
    return lines


def main():
    without = {name: value for name, value in os.environ.items() if name != "TD_STOCK_DIR"}
    lines = run_complete(sys.argv[1], without)
    assert lines["zone_ns_c_1"]["baseline"] > 0, "a recorded ratio replaces stock"
    if "TD_STOCK_DIR" in os.environ:
        run_complete(sys.argv[1], dict(os.environ))
    else:
        print("skipped: the same against stock, TD_STOCK_DIR is not set")


main()
