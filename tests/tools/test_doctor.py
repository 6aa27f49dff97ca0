"""tendril doctor reports what is missing with a cure, and fails then."""
import json
import os
import shutil
import socket
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TD_SOURCE_DIR"], "tests", "e2e"))
from kit import TENDRIL, expect, folder  # noqa: E402

WITHOUT = ("DISPLAY", "WAYLAND_DISPLAY", "TRACY_PORT", "TENDRIL_BOARDS")


def doctor(program, *options, **variables):
    env = {name: value for name, value in os.environ.items() if name not in WITHOUT}
    env.update(variables)
    return subprocess.run([program, "doctor", *options], stdout=subprocess.PIPE, text=True, env=env, timeout=300)


def parts(program=TENDRIL, **variables):
    done = doctor(program, "--json", **variables)
    found = {}
    for part in json.loads(done.stdout)["parts"]:
        found.setdefault(part["part"], []).append(part)
        expect(part["works"] == (part["cure"] is None), f"a cure for what is missing: {part}")
    good = all(part["works"] for same in found.values() for part in same)
    expect(done.returncode == (not good), f"exit status {done.returncode}")
    return found


def works(found, part):
    return all(one["works"] for one in found[part])


def main():
    found = parts()
    expect(works(found, "boards") and int(found["boards"][0]["text"].split()[0]) >= 10, f"boards {found['boards']}")
    expect(works(found, "simulator") and works(found, "kernels"), f"simulator and kernels of the build: {found}")
    expect(not works(found, "display"), "no display")
    if "no viewer" not in found["display"][0]["text"]:
        expect(works(parts(DISPLAY=":1"), "display"), "a display")

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        found = parts(TRACY_PORT=port)
        expect(not works(found, "ports") and port in found["ports"][0]["text"], f"a taken port: {found['ports']}")
    expect(works(parts(TRACY_PORT=port), "ports"), "the port is free again")

    with folder() as directory:
        expect(not works(parts(PATH=directory), "kernels"), "no compiler in PATH")
        os.mkdir(os.path.join(directory, "bin"))
        alone = shutil.copy(TENDRIL, os.path.join(directory, "bin", "tendril"))
        found = parts(alone, PATH=directory)
        expect(not works(found, "simulator"), f"a program without a simulator: {found}")
        text = doctor(alone, PATH=directory).stdout
        expect("missing  simulator" in text and "-> install Tendril as a whole" in text, text)


main()
