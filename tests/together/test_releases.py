"""Programs with clients of other releases and with Tendril's, recorded together: the counts are those of each alone.

Needs TD_STOCK_DIR (a folder with RELEASE/src); says so and passes without.
"""
import os
import sys

from kit import BINARY, SOURCE, dump, expect, finish, folder, free_port, info, record, start_record

sys.path.insert(0, os.path.join(SOURCE, "tests", "compat"))
from live_peers import OURS, Client  # noqa: E402

RELEASES = ["0.9.1", "0.11.1", "0.12.2", "0.14.0"]


def labels(trace):
    return {t["name"].split(": ")[0] for t in dump(trace)["tracks"] if t["name"]}


def check_children(client, alone, scratch):
    """Children with a client of Tracy, at the same time."""
    trace, program = os.path.join(scratch, "children.tracy"), client.program(False)
    # They wait for a recorder at their end, because they do not live long.
    env = {"TRACY_NO_EXIT": "1", "TRACY_NO_SYS_TRACE": "1"}
    record(trace, "-b", "none", "--tracy-children", "--", "sh", "-c", "%s features & %s features & %s features; wait" %
           (program, program, program), env=env)
    found = info(trace)
    expect(len(found["processes"]) == 3, "processes: %s" % found["processes"])
    for key in ("zones", "messages"):
        expect(found[key] == 3 * alone[key], "children: %s: %d, %d alone" % (key, found[key], alone[key]))


def main():
    clients = [Client(release, BINARY, os.path.join(BINARY, "tests", "compat-builds")) for release in RELEASES]
    clients = [client for client in clients if client.found()]
    if not clients:
        print("skipped: TD_STOCK_DIR names no folder with sources of Tracy")
        return
    clients += [Client(OURS, BINARY, os.path.join(BINARY, "tests", "compat-builds"))] * 2
    with folder() as scratch:
        alone = []
        for client in clients[:-1]:
            trace, port = os.path.join(scratch, "alone.tracy"), free_port()
            program = client.start("features", port)
            record(trace, "-a", ":%d" % port)
            program.wait(60)
            alone.append(info(trace))
            expect(alone[-1]["zones"] > 100, "%s has %d zones" % (client.release, alone[-1]["zones"]))
        alone.append(alone[-1])
        trace, ports = os.path.join(scratch, "together.tracy"), [free_port() for _ in clients]
        recorder = start_record(trace, *(word for port in ports for word in ("-a", "127.0.0.1:%d" % port)))
        programs = [client.start("features", port) for client, port in zip(clients, ports)]
        for program in programs:
            program.wait(60)
        finish(recorder)
        together = info(trace)
        for key in ("zones", "messages", "gpu_zones"):
            total = sum(one[key] for one in alone)
            expect(together[key] == total, "%s: %d, %d alone" % (key, together[key], total))
        for key in ("locks", "memory"):
            total = sum(len(one.get(key) or []) for one in alone)
            expect(len(together.get(key) or []) == total, "%s: %d, %d alone" % (key, len(together.get(key) or []), total))
        expect(len(labels(trace)) == len(clients), "labels: %s" % labels(trace))
        expect(all(line.endswith(": 0 ns") for line in together["processes"]), "clocks: %s" % together["processes"])
        check_children(clients[0], alone[0], scratch)
        print("%d programs of %s" % (len(clients), ", ".join(client.release for client in clients)))


main()
