"""A viewer follows `tendril record --serve`: it gets the zones and messages of the cores and of the program."""
import os
import subprocess
import sys
import tempfile

import serving
from serving import BINARY, info, ports, run

TENDRIL = os.path.join(BINARY, "bin", "tendril")
HELLO = os.environ.get("TD_HELLO", os.path.join(BINARY, "examples", "hello", "hello"))


def follow(folder, *clock):
    recorded, seen = os.path.join(folder, "recorded.tracy"), os.path.join(folder, "seen.tracy")
    port = ports.free_port()
    # It tries to connect until the recorder serves.
    with subprocess.Popen([TENDRIL, "capture", "-q", "-o", seen, "-p", str(port), "--no-sources"],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as viewer:
        result = run([TENDRIL, "record", "-q", "-o", recorded, "--serve", str(port), *clock, "--", HELLO])
        out, _ = viewer.communicate(timeout=serving.WAIT_S)
    assert result.returncode == 0, result
    assert viewer.returncode == 0, out
    a, b = info(TENDRIL, recorded), info(TENDRIL, seen)
    for key in ("zones", "messages", "cores", "threads", "frame_sets"):
        assert a[key] == b[key], (clock, key, a[key], b[key])
    return a["zones"], a["cores"]


def main():
    with tempfile.TemporaryDirectory() as folder:
        assert follow(folder) == (12, 1)
    # In virtual time the zones of cores come all at the end.
    with tempfile.TemporaryDirectory() as folder:
        assert follow(folder, "--clock", "insn") == (11, 1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
