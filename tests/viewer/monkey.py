"""Random input to the viewer (monkey.c) over five traces, in a folder of its own. Usage: monkey.py [-s SEED] [-n EVENTS]
[-t SECONDS]; without arguments: 300 events for each trace, of seed 1."""
import os
import subprocess
import sys
import tempfile

TESTS = os.path.join(os.environ["TD_BINARY_DIR"], "tests")
DATA = os.path.join(os.environ["TD_SOURCE_DIR"], "tests", "data", "trace")


def main():
    with tempfile.TemporaryDirectory() as folder:
        traces = {name: os.path.join(folder, name + ".tracy") for name in ("demo", "noc", "made_up")}
        for name, path in traces.items():
            words = ["write_made_up", path] if name == "made_up" else ["write_demo", name, path]
            subprocess.run([os.path.join(TESTS, words[0]), *words[1:]], check=True, timeout=100)
        paths = [*traces.values(), os.path.join(DATA, "0.11.1", "features.tracy"), os.path.join(DATA, "0.14.0", "synthetic.tracy")]
        env = {**os.environ, "HOME": folder, "XDG_DATA_HOME": folder, "XDG_CONFIG_HOME": folder, "XDG_STATE_HOME": folder,
               "XDG_CACHE_HOME": folder}
        for name in ("DISPLAY", "WAYLAND_DISPLAY"):
            env.pop(name, None)
        return subprocess.run([os.path.join(TESTS, "viewer_monkey"), *(sys.argv[1:] or ["-n", "300"]), *paths], cwd=folder, env=env,
                              check=False).returncode


sys.exit(main())
