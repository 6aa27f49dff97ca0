"""Two programs with the same numbers and names are kept apart: a recorded session, sent from two ports at once, gives a
trace with everything twice, and no thread, address, plot, frame set, pool or lock of one is the other's.

    test_same_session_twice.py     the sessions of tests/data/session, and of the corpus if it is there
"""
import os
import sys

from kit import SOURCE, dump, expect, folder, record

sys.path.insert(0, os.path.join(SOURCE, "tests", "collect"))
from test_replay import CORPUS, RELEASES  # noqa: E402
from test_served import Client, recorded  # noqa: E402

# Reports about the machine are taken from one program; a source file is stored once. PLOT_RANGE has a list for each plot
# of the file, TRACK_MESSAGE repeats MESSAGE, and the locations are those of zones.
MACHINE = {"TOPOLOGY", "CPU_SWITCH", "CPU_TOTAL", "THREAD_PROCESS", "FOREIGN_THREAD", "SOURCE"}
OTHER = {"ZONE_LOCATION", "GPU_LOCATION", "STACK", "EXTRA", "APP_INFO", "IMAGE_DICTIONARY", "POINT", "PLOT_RANGE", "FRAME"}
ADDRESS = (1 << 48) - 1


def rows(table):
    return sum(len(row) if not row or isinstance(row[0], list) else 1 for row in table)


def serve(said, protocol, out, count):
    clients = [Client(said, protocol, None) for _ in range(count)]
    for client in clients:
        client.start()
    record(out, *(word for client in clients for word in ("-a", "127.0.0.1:%d" % client.port)))
    return dump(out)


def by_name(things):
    return sorted(str(thing[-1] if isinstance(thing, list) else thing) for thing in things)


def check_names(one, two, name):
    plots = [plot[-1] for plot in one["plots"] if plot[0] == 0]
    expect(by_name(p for p in two["plots"] if p[0] == 0) == sorted(plots + [p + " (%s 2)" % name for p in plots]),
           "plots: %s" % two["plots"])
    sets = [s[0] for s in one["frame_sets"]]
    frames = rows([r for r in one["FRAME"][:1]])
    own = [(s or "Frame") + " (%s 2)" % name for s in sets if s or frames > 2]
    expect(sorted(map(str, [s[0] for s in two["frame_sets"]])) == sorted(map(str, sets + own)),
           "frame sets: %s" % two["frame_sets"])
    pools = [pool[0] for pool in one["POOL"]]
    own = [(pool or "memory") + " (%s 2)" % name for pool in pools]
    expect(sorted(map(str, [p[0] for p in two["POOL"]])) == sorted(map(str, pools + own)), "pools: %s" % two["POOL"])


def check_threads(one, two, name):
    cores = [(track["thread"], track["context"]) for track in two["tracks"]]
    expect(len(cores) == len(set(cores)) == 2 * len(one["tracks"]), "%d tracks" % len(cores))
    threads = [t for t in two["tracks"] if not t["context"]]
    for track in one["tracks"]:
        if track["context"]:
            continue
        for label in (name, name + " 2"):
            same = [t for t in threads if t["name"] == "%s: %s" % (label, track["name"]) and t["count"] == track["count"]]
            expect(same, "no track '%s: %s' with %d zones" % (label, track["name"], track["count"]))
    ids = {t["thread"] for t in one["tracks"] if t["thread"]}
    moved = {t["thread"] for t in two["tracks"] if t["thread"]} - ids
    expect({t & ((1 << 40) - 1) for t in moved} == ids, "threads %s became %s" % (ids, moved))
    known = {t["thread"] for t in two["tracks"]} | {row[0] for row in two["THREAD_NAME"]} | {0}
    users = [row[0] for lock in two["LOCK_THREAD"] for row in lock]
    expect(set(users) <= known, "locks of unknown threads: %s" % (set(users) - known))
    moved_users = [user for user in users if user >> 40]
    expect(2 * len(moved_users) == len(users), "%d users of locks, %d of the second program" % (len(users), len(moved_users)))


def check_addresses(one, two):
    for table, column in (("STACK_FRAME", 0), ("SYMBOL", 0), ("CODE", 0), ("SYMBOL_OF", 0), ("HW_ADDRESS", 0)):
        before = [row[column] for row in one[table]]
        after = [row[column] for row in two[table]]
        expect(len(set(before)) == len(before), "%s: the session itself has an address twice" % table)
        expect(len(set(after)) == len(after) == 2 * len(before), "%s: %d addresses became %d, %d of them different" % (table, len(before), len(after), len(set(after))))
        expect(set(before) <= set(after), "%s: the first program's addresses are changed" % table)
        own = {address & ADDRESS for address in set(after) - set(before) if not address >> 62 & 1}
        expect(own == {address & ADDRESS for address in before if not address >> 62 & 1}, "%s: other addresses" % table)
    frames = {row[0] for row in two["STACK_FRAME"]}
    entries = {row[0] for row in two["STACK_ENTRY"]}
    lost = {row[0] for row in one["STACK_ENTRY"]} - {row[0] for row in one["STACK_FRAME"]}
    expect(len(entries - frames) == 2 * len(lost), "entries of call stacks without their frames")


def check(path, out):
    said, protocol = recorded(path)
    one, two = serve(said, protocol, out, 1), serve(said, protocol, out, 2)
    name = one["program"]
    for table in sorted(set(one) - MACHINE - OTHER):
        if table.isupper():
            expect(rows(two[table]) == 2 * rows(one[table]),
                   "%s: %d rows became %d" % (table, rows(one[table]), rows(two[table])))
    for table in MACHINE:
        # When the first program has ended, the second one may report.
        most = rows(one[table]) * (1 if table in ("TOPOLOGY", "SOURCE") else 2)
        expect(rows(one[table]) <= rows(two[table]) <= most, "%s: %d rows became %d" % (table, rows(one[table]), rows(two[table])))
    expect(len(two["STACK"]) in (2 * len(one["STACK"]), 2 * len(one["STACK"]) - 1), "stacks: %d" % len(two["STACK"]))
    locks = [row[0] for row in two["LOCK"]]
    expect(len(set(locks)) == len(locks), "two locks with one number: %s" % locks)
    check_names(one, two, name)
    check_threads(one, two, name)
    check_addresses(one, two)


def main():
    done = 0
    with folder() as scratch:
        for release in RELEASES:
            for name in ("features", "gpu", "sampling"):
                path = os.path.join(CORPUS, release, name + ".stream")
                if os.path.exists(path):
                    print(release, name, flush=True)
                    check(path, os.path.join(scratch, "trace.tracy"))
                    done += 1
    expect(done, "there are no sessions")
    print("%d sessions, each twice in a trace" % done)


main()
