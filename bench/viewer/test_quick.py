#!/usr/bin/env python3
"""bench/viewer with small traces: every line is an object of the five keys, and all figures are there. Sizes are not
looked at. Skipped where there is no OpenGL. Usage: test_quick.py BENCH"""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from quick import run

NAMES = ["frame_ms_50m", "search_ms_50m", "bytes_beside_model", "first_window_seconds", "first_picture_seconds",
         "frame_ms_650_closed", "frame_ms_650_closed_4k", "frame_ms_650_open", "frame_ms_650_open_4k", "frame_ms_7680",
         "frame_ms_7680_4k", "frame_ms_7680_open", "frame_ms_7680_open_4k", "frame_ms_60m_closed", "frame_ms_60m_closed_4k",
         "frame_ms_60m_open", "frame_ms_60m_open_4k", "frame_ms_50m_4k", "frame_ms_flame_50m", "frame_ms_flame_50m_4k", "frame_ms_plots", "frame_ms_plots_4k",
         "frame_ms_switches", "frame_ms_switches_4k", "histogram_ms_10m", "instances_bytes_zone", "sums_ms_50m",
         "flame_ms_50m",         "live_bytes_beside_recorder"]


def main():
    try:
        lines = run(sys.argv[1], dict(os.environ))
    except subprocess.CalledProcessError as error:
        if "OpenGL" not in error.stderr and "SDL" not in error.stderr:
            raise
        print("skipped")
        return
    assert all(lines[name]["ours"] > 0 for name in NAMES), lines


main()
