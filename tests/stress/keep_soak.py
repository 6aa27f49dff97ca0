#!/usr/bin/env python3
"""Soak: `tendril capture --keep 2` of a program that sends as fast as it can. Prints the capture's memory every few
seconds; fails if it grows after the first third.
Usage: TD_BINARY_DIR=build tests/stress/keep_soak.py [SECONDS] [KIND of live_flood]"""
import os
import signal
import subprocess
import sys
import tempfile
import time

from kit import BINARY, TENDRIL, growth, resident_mib
from ports import free_port

STEP_S = 5


def main():
    seconds, kind = int(sys.argv[1]) if len(sys.argv) > 1 else 120, sys.argv[2] if len(sys.argv) > 2 else "zones"
    port, seen = free_port(), []
    env = dict(os.environ, TRACY_PORT=str(port), TENDRIL_WAIT_CONNECT_MS="20000", TENDRIL_EXIT_WAIT_MS="100")
    with tempfile.TemporaryDirectory(prefix="tendril-soak-") as folder:
        trace = os.path.join(folder, "t.tracy")
        flood = subprocess.Popen([os.path.join(BINARY, "tests", "live_flood"), kind, "1000000000000"], env=env,
                                 stdout=subprocess.DEVNULL)
        capture = subprocess.Popen([TENDRIL, "capture", "-o", trace, "-p", str(port), "--keep", "2"])
        began = time.time()
        while time.time() - began < seconds and capture.poll() is None:
            time.sleep(STEP_S)
            seen.append(resident_mib(capture.pid, ("RssAnon", "RssShmem")))
            print(f"{time.time() - began:5.0f} s {seen[-1]:7.1f} MB", flush=True)
        capture.send_signal(signal.SIGINT)
        code = capture.wait(timeout=200)
        flood.kill()
        flood.wait()
        early, late, grows = growth(seen)
        print(f"at most {early:.1f} MB in the first third, {late:.1f} MB later; exit code {code}, "
              f"trace of {os.path.getsize(trace)} bytes")
        sys.exit(code != 0 or grows)


main()
