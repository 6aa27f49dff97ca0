"""The flame graph of the viewer has the sums that `tendril query` counts: of a trace and of a range."""
import json
import os
import subprocess
import sys
import tempfile

from driven import start

sys.path.insert(0, os.path.join(os.environ["TD_SOURCE_DIR"], "tests/tools"))
from common import TENDRIL, check, exit_status  # noqa: E402

FROM, TO = 1_000_000, 2_500_000
WHOLE = "SELECT name, sum(self_ns) AS ns FROM zones GROUP BY name"
# Of each zone what lies in the range, without what lies there of the zones in it.
RANGE = f"""SELECT name, sum(own - coalesce((SELECT sum(max(0, min(c.start_ns + c.duration_ns, {TO}) - max(c.start_ns, {FROM})))
                                     FROM zones c WHERE c.parent = z.id), 0)) AS ns
    FROM (SELECT id, name, max(0, min(start_ns + duration_ns, {TO}) - max(start_ns, {FROM})) AS own FROM zones) z GROUP BY name"""
SAMPLES = "SELECT sum(samples) AS n FROM stacks"


def answer(trace, question):
    got = subprocess.run([TENDRIL, "query", "--format", "json", trace, question], capture_output=True, text=True, check=True)
    return json.loads(got.stdout)


def names_of(text):
    """The sum of each innermost name."""
    sums = {}
    for line in text.splitlines():
        stack, number = line.rsplit(" ", 1)
        name = stack.rsplit(";", 1)[-1]
        sums[name] = sums.get(name, 0) + int(number)
    return sums


def check_trace(client, trace):
    whole, part, samples = (answer(trace, question) for question in (WHOLE, RANGE, SAMPLES))
    for commands, rows in (((), whole), (("mark", f"{FROM}ns..{TO}ns"), part)):
        if commands:
            check("mark", client.ask(*commands)["ok"] and client.ask("limit", "marked")["ok"])
        check("open", client.ask("flame", "zones")["ok"])
        copy = client.ask("copy", "flame")
        wanted = {row["name"]: row["ns"] for row in rows if row["ns"]}
        check(f"sums {commands}", copy["ok"] and names_of(copy["text"]) == wanted, copy, wanted)
    check("limit", client.ask("limit", "all")["ok"])
    if samples[0]["n"]:
        check("samples", client.ask("flame", "samples")["ok"])
        copy = client.ask("copy", "flame")
        check("samples", sum(names_of(copy["text"]).values()) == samples[0]["n"], copy, samples)


def main():
    with tempfile.TemporaryDirectory() as folder:
        demo = os.path.join(folder, "demo.tracy")
        subprocess.run([os.path.join(os.environ["TD_BINARY_DIR"], "tests", "write_demo"), "demo", demo], check=True,
                       stdout=subprocess.DEVNULL)
        viewer, client = start(os.path.join(folder, "socket"), demo)
        if not client:
            print("skipped:", viewer.stderr.read().strip())
            return 0
        check_trace(client, demo)
        client.send({"command": "quit"})
        viewer.wait(20)
        viewer.stderr.close()
    return exit_status()


if __name__ == "__main__":
    raise SystemExit(main())
