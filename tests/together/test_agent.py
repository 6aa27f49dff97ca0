"""Boards that `tendril agent` drains for a recorder: the trace is that of a board of this machine; who goes away, lies or is
slow loses nothing of what the others have."""
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import threading
import time

from kit import BINARY, SOURCE, TENDRIL, dump, expect, finish, folder, info, record, start_record, wait_for

sys.path.insert(0, os.path.join(SOURCE, "tests", "tools"))
import bombs  # noqa: E402

MATMUL = os.path.join(BINARY, "examples", "matmul", "matmul")
BOARD = ("-b", "tensix_sim", "--grid", "2x2")


class Agent:
    def __init__(self, scratch, *words):
        self.out = open(os.path.join(scratch, "agent.out"), "w+", encoding="utf-8")
        self.process = subprocess.Popen([TENDRIL, "agent", "--listen", "0", *words], stdout=self.out, stderr=subprocess.STDOUT)
        wait_for(lambda: "agent at port" in self.said(), "the agent")
        self.at = "127.0.0.1:" + re.search(r"agent at port (\d+)", self.said()).group(1)

    def said(self):
        with open(self.out.name, encoding="utf-8") as file:
            return file.read()

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.process.kill()
        self.process.wait()
        self.out.close()


def facts(trace):
    """What does not depend on time."""
    all_facts = info(trace)
    return {"zones": all_facts["zones"], "messages": all_facts["messages"],
            "names": {n["name"]: n["count"] for n in all_facts["names"]},
            "tracks": sorted(t["name"] for t in dump(trace)["tracks"])}


def wait_for_zones(trace):
    """Until the recorder's journal has ELFs, about 340,000 bytes, and zones."""
    path = trace + ".journal"
    wait_for(lambda: os.path.exists(path) and os.path.getsize(path) > 450000, "zones in the journal")


def one(out, word):
    """One line of the recorder, which has the word."""
    return len([line for line in out.splitlines() if line.startswith("tendril record:")]) == 1 and word in out


def same_as_here(scratch):
    """Two recordings by one agent equal one of a board of this machine."""
    here, there = os.path.join(scratch, "here.tracy"), os.path.join(scratch, "there.tracy")
    record(here, *BOARD, "--", MATMUL, "64", "2")
    wanted = facts(here)
    wanted["tracks"] = [name for name in wanted["tracks"] if name.startswith("chip")]
    with Agent(scratch, *BOARD, "--", MATMUL, "64", "2") as agent:
        for _ in range(2):
            record(there, "--agent", agent.at)
            got = facts(there)
            expect(got["tracks"] == wanted["tracks"], "tracks: %s" % got["tracks"])
            for name, count in got["names"].items():
                expect(wanted["names"].get(name) == count, "%s: %d here, %d there" % (name, wanted["names"].get(name, 0), count))
            bound = [line for line in info(there)["processes"] if line.startswith("agent ")]
            expect(len(bound) == 1 and bound[0].endswith(" ns"), "bound: %s" % bound)
        expect(agent.said().count("ended:") == 2, agent.said())


def next_to_a_board_here(scratch):
    """Chips are numbered over the boards of all machines."""
    trace = os.path.join(scratch, "both.tracy")
    with Agent(scratch, *BOARD, "--", MATMUL, "64", "2") as agent:
        out = record(trace, "--agent", agent.at, *BOARD, "--", "sh", "-c", MATMUL + " 64 2; sleep 2")
    expect("cores        40 of 40 wrote markers" in out, out)
    chips = {t["name"].split()[1] for t in dump(trace)["tracks"] if t["name"].startswith("chip")}
    expect(chips == {"0", "1"}, "chips: %s" % chips)
    maps = info(trace)["chip_maps"]
    expect([m["chip"] for m in maps] == [0, 1], "maps: %s" % maps)
    expect(all(len(m["tiles"]) == m["height"] == 12 and m["tiles"][2][16] == "R" for m in maps), "maps: %s" % maps)


def slow_recorder(scratch):
    """A recorder that does not run for a while, in which all is over: cores wait, nothing is lost, no time changes. An agent
    that serves one recorder waits for it."""
    trace = os.path.join(scratch, "slow.tracy")
    for once in ([], ["--once"]):
        with Agent(scratch, *BOARD, *once, "--policy", "block", "--", MATMUL, "64", "4") as agent:
            recorder = start_record(trace, "--agent", agent.at)
            wait_for(lambda: "draining for" in agent.said(), "the session")
            recorder.send_signal(signal.SIGSTOP)
            time.sleep(2)
            recorder.send_signal(signal.SIGCONT)
            finish(recorder)
            there = info(trace)
            expect(there["lost_zones"] == there["lost_other"] == 0, "lost: %s" % there)
            expect("clock_error_ns" in there, "the clocks are related: %s" % there)
            expect(there["zones"] > 1000, "zones")
            expect(not once or agent.process.wait(20) == 0, "the agent ends")


ZONES = ((500, 10000), (600, 20000), (700, 30000))  # lengths and ends in ticks of a ns


def recorded_zones(scratch, host_ns=None):
    """The track of a board whose core has written ZONES, as its agent sends it. host_ns: the agent's clock at tick 0; None: it
    sends no clock sample."""
    trace, journal = os.path.join(scratch, "sent.tracy"), bombs.Journal()
    with open(os.path.join(SOURCE, "boards/tensix_sim/tensix_sim.board"), "rb") as f:
        journal.record(32, 1, struct.pack("<IBdIIII", 0, 0, 1e9, 2, 2, 0, 0) + f.read())
    slots = [(0xfc000000 | 3 << 20, 0)] + [(0x80000000 | 7 << 16 | length, end) for length, end in ZONES]
    journal.record(33, 1, struct.pack("<IBBIIII", 2, 0, 0, 0, 0, 0, 0) + b"".join(struct.pack("<II", *s) for s in slots))
    for second in range(5 if host_ns else 0):
        ticks = second * 1000000000
        journal.record(34, 1, struct.pack("<IQQQ", 0, host_ns + ticks - 50, ticks, host_ns + ticks + 50))
    out = finish(start_record(trace, "--agent", bombs.Agent(journal).at, "-b", "none", "--", "sleep", "1"))
    expect("changed" not in out, out)
    track, = [t for t in dump(trace)["tracks"] if t["name"].startswith("chip")]
    return track


def board_without_clock(scratch):
    """Zones keep their lengths, and the track's name says what is missing."""
    track = recorded_zones(scratch)
    expect(track["name"].endswith("(clock not related to the host's)"), track["name"])
    got = tuple((length, begin + length) for _, _, _, begin, length, *_ in track["zones"])
    expect(got == ZONES, "zones: %s" % (got,))


def zones_before_the_recorder(scratch):
    """The trace begins with the first of them."""
    track = recorded_zones(scratch, time.monotonic_ns() - 10000000000)
    zones = [zone[3:5] for zone in track["zones"]]
    expect(len(zones) == len(ZONES) and zones[0][0] == 0, "zones: %s" % zones)
    for (begin, length), (wanted, end) in zip(zones, ZONES):
        moved = begin + length - (end - (ZONES[0][1] - ZONES[0][0]))
        expect(abs(length - wanted) <= 2 and abs(moved) <= 2, "zones: %s" % zones)


def killed_recorder(scratch):
    """The agent serves the next recorder."""
    trace = os.path.join(scratch, "killed.tracy")
    with Agent(scratch, *BOARD, "--", MATMUL, "64", "200") as agent:
        recorder = start_record(trace, "--agent", agent.at)
        wait_for(lambda: "draining for" in agent.said(), "the session")
        wait_for_zones(trace)
        recorder.kill()
        recorder.communicate()
        wait_for(lambda: agent.said().count("ended:") == 1, "the end of the session")
        out = subprocess.run([TENDRIL, "recover", "-f", "-o", trace, trace + ".journal"], stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True, check=False, timeout=60)
        expect(out.returncode == 0 and info(trace)["zones"] > 0, "recover: %s" % out.stdout)
        recorder = start_record(trace, "--agent", agent.at)
        wait_for(lambda: agent.said().count("draining for") == 2, "the second session")
        wait_for_zones(trace)
        recorder.send_signal(signal.SIGINT)
        recorder.communicate(timeout=60)
        expect(info(trace)["zones"] > 0, "the second recording")


def killed_agent(scratch):
    trace = os.path.join(scratch, "gone.tracy")
    with Agent(scratch, *BOARD, "--", MATMUL, "64", "2000") as agent:
        recorder = start_record(trace, "--agent", agent.at)
        wait_for(lambda: "draining for" in agent.said(), "the session")
        wait_for_zones(trace)
        agent.process.kill()
        out = finish(recorder, code=1)
    expect(one(out, "is gone"), out)
    expect(info(trace)["zones"] > 0, "what was sent before is in the trace")


def failing_program(scratch):
    """The recorder says so. A program that was asked to end has not failed."""
    trace = os.path.join(scratch, "failed.tracy")
    with Agent(scratch, *BOARD, "--", "sh", "-c", MATMUL + " 64 1; exit 7") as agent:
        out = record(trace, "--agent", agent.at, code=1)
        expect(one(out, "failed with exit code 7"), out)
        expect(info(trace)["zones"] > 100, "what ran is in the trace")
    with Agent(scratch, *BOARD, "--", "sh", "-c", MATMUL + " 64 1; exec sleep 60") as agent:
        out = record(trace, "--agent", agent.at, "-b", "none", "--", "sleep", "2")
        expect("tendril record:" not in out, out)


def fault(scratch):
    """The trigger `fault` notices cores of an agent's board, and names the chip as the trace does."""
    trace = os.path.join(scratch, "fault.tracy")
    launch = [os.path.join(BINARY, "tests", name) for name in ("e2e/launch", "kernels/e2e_open.elf")]
    with Agent(scratch, *BOARD, "--", launch[0], "stay=9000", launch[1] + ":1") as agent:
        out = record(trace, "--agent", agent.at, "-b", "tensix_sim", "--keep", "20", "--trigger", "fault", "--", "sleep", "5",
                     code=1)
        expect("stopped by the core chip 1 tile 0,0 BRISC stopped by a fault" in out, out)
    shown = subprocess.run([TENDRIL, "info", trace], stdout=subprocess.PIPE, text=True, timeout=60, check=True).stdout
    expect("tendril.trigger: the core chip 1 tile 0,0 " in shown and "stopped by a fault" in shown, shown)
    names = [location[0] for track in dump(trace)["tracks"] for _, _, location, *_ in track["zones"]]
    expect("inner" in names, "zones before the fault are there: %s" % names)


def refused(scratch):
    """One recorder at a time, with one line for the other."""
    trace, other = os.path.join(scratch, "first.tracy"), os.path.join(scratch, "second.tracy")
    with Agent(scratch, *BOARD, "--", "sleep", "60") as agent:
        recorder = start_record(trace, "--agent", agent.at)
        wait_for(lambda: "draining for" in agent.said(), "the session")
        out = record(other, "--agent", agent.at, code=1)
        expect(one(out, "refuses"), out)
        recorder.send_signal(signal.SIGINT)
        recorder.communicate(timeout=60)


def liars(scratch):
    """A server that is no agent, one that says nothing, and none at all."""
    trace = os.path.join(scratch, "liar.tracy")
    for says in (b"HTTP/1.0 200 OK\r\n" * 20, b"TDAGENT\n" + b"\xff" * 200):
        with socket.socket() as server:
            server.bind(("127.0.0.1", 0))
            server.listen(4)

            def serve(at=server, text=says):
                connection = at.accept()[0]
                connection.sendall(text)
                time.sleep(3)
                connection.close()
            threading.Thread(target=serve, daemon=True).start()
            out = record(trace, "--agent", "127.0.0.1:%d" % server.getsockname()[1], code=1)
            expect(one(out, "agent"), out)
    out = record(trace, "--agent", "127.0.0.1:x", code=2)
    expect(one(out, "HOST:PORT"), out)


def stray_connections(scratch):
    """Connections to an agent that say nothing, or garbage, disturb no session."""
    trace = os.path.join(scratch, "stray.tracy")
    with Agent(scratch, *BOARD, "--", MATMUL, "64", "2") as agent:
        host, port = agent.at.split(":")
        strays = [socket.create_connection((host, int(port))) for _ in range(60)]
        for number, stray in enumerate(strays):
            if number % 2:
                stray.sendall(b"garbage that is long enough for a hello" * 3)
        recorder = None
        for _ in range(20):  # the agent drops what says no hello within 5 s
            recorder = start_record(trace, "--agent", agent.at)
            if recorder.wait(60) == 0:
                break
        expect(recorder.returncode == 0, recorder.communicate()[0])
        expect(info(trace)["zones"] > 1000, "zones")


def main():
    if not os.access(MATMUL, os.X_OK):
        print("skipped: the examples are not built")
        return
    only = sys.argv[1:]
    for part in (same_as_here, next_to_a_board_here, slow_recorder, board_without_clock, zones_before_the_recorder, killed_recorder, killed_agent, failing_program, fault, refused, liars,
                 stray_connections):
        if only and part.__name__ not in only:
            continue
        print(part.__name__, flush=True)
        with folder() as scratch:
            part(scratch)


main()
