"""Writes the live matrix of docs/compatibility.md from the results of the checks that ran."""
from matrix import cell, table, wrap_prose
from stock import RELEASES

BEGIN, END = "<!-- live matrix: tests/compat/live.py --write-docs -->\n", "<!-- end of live matrix -->\n"
FEATURES = ("sessions", "zones", "texts, values, colours", "names at run time", "frames", "frame images", "plots", "messages",
            "severities", "locks", "shared locks", "memory", "memory pools", "memory discards", "GPU zones", "call stacks",
            "fibers", "sections", "application info", "thread names", "group hints", "parameters", "source callback",
            "many events", "on demand", "killed program", "crashed program", "file", "its csvexport", "its update")
WAYS = (("stock client", "**Program with the release's client, `tendril capture`.**"),
        ("our client", "**Program with our client, the release's capture.**"),
        ("control", "**Program with the release's client, the release's capture.**"))


def matrix(results):
    ran = [r for r in RELEASES if any(key[1] == r.name for key in results.counts)]
    text = f"Releases that ran: {', '.join(r.name for r in ran) or 'none'}. Numbers are facts that held exactly.\n\n"
    for way, title in WAYS:
        if not any(key[0] == way for key in results.counts):
            continue
        rows = [[feature] + [cell(results, (way, r.name, feature)) for r in ran] for feature in FEATURES
                if any((way, r.name, feature) in results.counts for r in ran)]
        text += title + "\n\n" + table(["feature"] + [r.name for r in ran], rows) + "\n"
    return wrap_prose(text)


def summary(results):
    good = sum(c[0] for c in results.counts.values())
    bad = sum(c[1] for c in results.counts.values())
    return f"{matrix(results)}{good} facts held, {bad} did not"


def write_docs(path, results):
    with open(path, encoding="utf-8") as file:
        before, rest = file.read().split(BEGIN)
    with open(path, "w", encoding="utf-8") as file:
        file.write(before + BEGIN + "\n" + matrix(results) + END + rest.split(END)[1])
