"""Stock Tracy's capture records a Python program, with fibers and threads. Needs TD_STOCK_DIR."""
import os
import subprocess
import sys
import tempfile

import kit
from kit import PROGRAMS, check

RELEASES = ("0.11.1", "0.14.0")


def records_with(release):
    tools = os.path.join(os.environ["TD_STOCK_DIR"], release, "bin")
    port = kit.free_port()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "t.tracy")
        program = subprocess.Popen([kit.PYTHON, "-m", "tracy", "-t", str(port), PROGRAMS + "/server.py"],
                                   env=kit.environment(TRACY_NO_EXIT="1"), stdout=subprocess.PIPE, text=True)
        subprocess.run([os.path.join(tools, "capture"), "-o", path, "-p", str(port)], stdout=subprocess.DEVNULL, timeout=120,
                       check=True)
        out, _ = program.communicate(timeout=60)
        check(program.returncode == 0 and "you asked for /page/19" in out, out)
        rows = subprocess.run([os.path.join(tools, "csvexport"), path], stdout=subprocess.PIPE, text=True, check=True).stdout
        found = [row.split(",")[5] for row in rows.splitlines() if row.startswith("PY_FUNC_handle,")]
        check(found == ["20"], f"{release}: {found} zones of handle() instead of 20")


def main():
    if "TD_STOCK_DIR" not in os.environ:
        print("skipped: TD_STOCK_DIR is not set")
        return 0
    for release in RELEASES:
        if os.path.exists(os.path.join(os.environ["TD_STOCK_DIR"], release, "bin", "capture")):
            records_with(release)
    return 1 if kit.failures() else print("ok") or 0


if __name__ == "__main__":
    sys.exit(main())
