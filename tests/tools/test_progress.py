#!/usr/bin/env python3
"""Work that takes long shows on a terminal how far it is; Ctrl-C stops it and leaves no file; without a terminal,
nothing is shown. The trace comes slowly through a pipe, so that the work takes as long as the test wants."""
import os
import pty
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time

from common import TENDRIL, TRACE, check, exit_status

with open(TRACE, "rb") as f:
    DATA = f.read()


def feed(pipe, stop, seconds):
    """Writes the trace in small pieces over that many seconds, or until the test stops it."""
    pieces = 10
    size = len(DATA) // pieces + 1
    try:
        for i in range(0, len(DATA), size):
            pipe.write(DATA[i:i + size])
            pipe.flush()
            if stop.wait(seconds / pieces):
                break
        pipe.close()
    except (BrokenPipeError, ValueError):
        pass


def start(arguments, seconds, stderr):
    child = subprocess.Popen([TENDRIL, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr)
    stop = threading.Event()
    feeder = threading.Thread(target=feed, args=(child.stdin, stop, seconds))
    feeder.start()
    return child, stop, feeder


def on_terminal(arguments, seconds, interrupt_at=None):
    """Exit status and the terminal's output. The command is interrupted when it shows that text."""
    master, slave = pty.openpty()
    child, stop, feeder = start(arguments, seconds, slave)
    os.close(slave)
    drain = threading.Thread(target=child.stdout.read)
    drain.start()
    seen, end = b"", time.monotonic() + 90
    while time.monotonic() < end:
        if select.select([master], [], [], 0.2)[0]:
            try:
                seen += os.read(master, 65536)
            except OSError:
                break
        if interrupt_at and interrupt_at in seen:
            child.send_signal(signal.SIGINT)
            interrupt_at = None
        if child.poll() is not None:
            break
    if child.poll() is None:
        child.kill()
        child.wait()
    # The output between the last read and the end is still in the terminal.
    while select.select([master], [], [], 0)[0]:
        try:
            seen += os.read(master, 65536)
        except OSError:
            break
    stop.set()
    feeder.join()
    drain.join()
    os.close(master)
    return child.wait(), seen.decode(errors="replace")


def main():
    code, seen = on_terminal(["info", "-"], 4)
    check("reading slowly ends well", code == 0, (code, seen))
    check("it is shown what is done", "reading standard input" in seen, repr(seen))
    check("the line is cleared", seen.endswith("\r\x1b[K"), repr(seen))

    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out.tracy")
        with open(out, "wb") as f:
            f.write(b"old")
        code, seen = on_terminal(["update", "-", out], 60, interrupt_at=b"reading standard input")
        check("Ctrl-C stops", code == 130, (code, seen))
        check("one line says so", seen.rstrip().splitlines()[-1].count("tendril update: ") == 1, repr(seen))
        with open(out, "rb") as f:
            check("the old file stays", f.read() == b"old")
        check("nothing is left behind", os.listdir(folder) == ["out.tracy"], os.listdir(folder))

    child, stop, feeder = start(["info", "-"], 2, subprocess.PIPE)
    out, err = child.communicate() if feeder.join() else (child.stdout.read(), child.stderr.read())
    stop.set()
    child.wait()
    check("without a terminal nothing is shown", err == b"" and out, err)
    return exit_status()


sys.exit(main())
