"""Writes the live matrix of docs/compatibility.md from the results of the checks that ran."""
from matrix import cell, runs, table, wrap_prose
from stock import RELEASES

BEGIN, END = "<!-- live matrix: tests/compat/live.py --write-docs -->\n", "<!-- end of live matrix -->\n"
FEATURES = ("sessions", "zones", "texts, values, colours", "names at run time", "frames", "frame images", "plots", "messages",
            "severities", "locks", "shared locks", "memory", "memory pools", "memory discards", "GPU zones", "call stacks",
            "fibers", "sections", "application info", "thread names", "group hints", "parameters", "source callback",
            "many events", "on demand", "killed program", "crashed program", "file", "its csvexport", "its update")
WAYS = (("stock client", "release's client, `tendril capture`"), ("our client", "our client, release's capture"),
        ("control", "release's client and capture"))


def matrix(results):
    ran = [r.name for r in RELEASES if any(key[1] == r.name for key in results.counts)]
    ways = [(way, title) for way, title in WAYS if any(key[0] == way for key in results.counts)]
    text = f"Releases that ran: {', '.join(ran) or 'none'}. Numbers are facts that held exactly; one alone is that of each "
    text += "release.\n\n"
    rows = [[feature] + [runs(ran, [cell(results, (way, name, feature)) for name in ran], "-") for way, _ in ways]
            for feature in FEATURES if any((way, name, feature) in results.counts for way, _ in ways for name in ran)]
    return wrap_prose(text + table(["feature"] + [title for _, title in ways], rows) + "\n")


def summary(results):
    good = sum(c[0] for c in results.counts.values())
    bad = sum(c[1] for c in results.counts.values())
    return f"{matrix(results)}{good} facts held, {bad} did not"


def write_docs(path, results):
    with open(path, encoding="utf-8") as file:
        before, rest = file.read().split(BEGIN)
    with open(path, "w", encoding="utf-8") as file:
        file.write(before + BEGIN + "\n" + matrix(results) + END + rest.split(END)[1])
