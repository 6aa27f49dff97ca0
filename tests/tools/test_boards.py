"""tendril boards lists descriptions, a simulator that runs, one that does not answer, and one that has ended."""
import json
import os
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TD_SOURCE_DIR"], "tests", "e2e"))
from kit import TENDRIL, expect, folder, run  # noqa: E402


def listed(directory, *options):
    facts = json.loads(run([TENDRIL, "boards", "--json", *options], env={"TMPDIR": directory}).stdout)
    expect(facts["schema"] == 1, "schema 1")
    names = [b["name"] for b in facts["boards"]]
    expect(len(set(names)) == len(names) and {"tensix_sim", "wormhole", "blackhole"} <= set(names), f"boards: {names}")
    expect(not [b for b in facts["boards"] if b["error"]], "every description is sound")
    here = [p for p in facts["present"] if directory in p["where"]]
    return facts["boards"], here


def main():
    with folder() as directory:
        bar = os.path.join(directory, "n300.bar")
        sim = subprocess.Popen([TENDRIL, "sim", "--bar", bar, "-b", "tensix_sim_n300", "--grid", "2x1"])
        try:
            while listed(directory)[1] == []:
                expect(sim.poll() is None, "the simulator runs")
            boards, here = listed(directory, "--probe")
            n300 = [b for b in boards if b["name"] == "tensix_sim_n300"][0]
            expect(n300["simulated"] and n300["chips"] == [{"columns": 8, "rows": 8}] * 2, f"{n300}")
            expect(here == [{"where": "shm:" + bar, "board": "tensix_sim_n300", "what": "simulator, 2 chips of 2x1 tiles",
                             "opens": True, "why_not": None}], f"{here}")
            text = run([TENDRIL, "boards", "--probe"], env={"TMPDIR": directory}).stdout
            expect("opens: tensix_sim_n300, 2 chips of 2x1 tiles, clock at " in text, text)

            sim.send_signal(signal.SIGSTOP)
            here = listed(directory, "--probe")[1]
            expect(len(here) == 1 and here[0]["opens"] is False and "does not answer" in here[0]["why_not"], f"{here}")
        finally:
            sim.kill()
            sim.wait()
        expect(listed(directory, "--probe")[1] == [], "one that has ended is not there")


main()
