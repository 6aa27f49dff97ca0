#!/usr/bin/env python3
"""tendril record through tendril probe gives the trace that it gives without: over a socket, TCP and a pty."""
import contextlib
import os
import subprocess
import sys
import tempfile

BIN = os.path.join(os.environ["TD_BINARY_DIR"], "bin")
PROGRAM = os.path.join(os.environ["TD_BINARY_DIR"], "examples/hello/hello")
TENDRIL = os.path.join(BIN, "tendril")


@contextlib.contextmanager
def running(*command):
    """Runs a program that prints one line when it is ready; yields the line's last word. The program ends with the block."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            line = process.stdout.readline()
            assert line, "%s ended early" % command[1]
            yield line.split()[-1]
            process.terminate()
            assert process.wait(100) == 0, "%s ended with %d" % (process.args, process.returncode)
        finally:
            process.kill()


def zones(where, folder, name):
    trace = os.path.join(folder, name + ".tracy")
    run = subprocess.run([TENDRIL, "record", "--at", where, "-o", trace, "--", PROGRAM], capture_output=True,
                         text=True, timeout=200, check=False)
    assert run.returncode == 0, run.stderr
    assert "lost         0 zones, 0 other packets" in run.stdout, run.stdout
    csv = subprocess.run([TENDRIL, "csvexport", "-u", trace], capture_output=True, text=True, check=False)
    assert csv.returncode == 0, csv.stderr
    return csv.stdout


def record(folder, serve):
    """Records on a separate board, in virtual time. serve None: without a probe."""
    with running(os.path.join(BIN, "tensix_sim"), "--clock", "insn") as board:
        if serve is None:
            return zones(board, folder, "direct")
        with running(TENDRIL, "probe", "--board", board, "--serve", serve) as where:
            return zones(where, folder, "probed")


def main():
    with tempfile.TemporaryDirectory() as folder:
        direct = record(folder, None)
        assert len(direct.splitlines()) > 5, direct
        for serve in ("unix:" + os.path.join(folder, "socket"), "tcp:0", "pty", "pty:" + os.path.join(folder, "link")):
            assert record(folder, serve) == direct, "over %s the trace is another one" % serve
            print("the same over", serve.split(":")[0])


if __name__ == "__main__":
    sys.exit(main())
