#!/usr/bin/env python3
"""The page of tendril report --html: it is well-formed and refers to nothing outside, has the numbers of the trace,
shows hostile names as text, and stays small for large traces."""
import html.parser
import os
import subprocess
import sys
import tempfile

from pages import HOSTILE, OP_NAME_BYTES, SOURCE, TENDRIL, check, failures, make_page

VOID = {"meta", "input", "br"}


class Page(html.parser.HTMLParser):
    """Elements in their nesting; rows of tables by the table's id; texts."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.tags, self.attributes, self.texts, self.rows, self.table = [], {}, [], {}, {}, None
        self.feed(text)
        self.close()
        check(not self.open, "elements are open at the end: %s" % self.open)

    def handle_starttag(self, tag, attrs):
        self.tags[tag] = self.tags.get(tag, 0) + 1
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)
        if tag == "table":
            self.table = dict(attrs)["id"]
            self.rows[self.table] = []
        if tag == "tr":
            self.rows[self.table].append([])
        if tag in ("td", "th"):
            self.rows[self.table][-1].append("")

    def handle_startendtag(self, tag, attrs):
        self.tags[tag] = self.tags.get(tag, 0) + 1
        self.attributes += attrs

    def handle_endtag(self, tag):
        check(self.open and self.open[-1] == tag, "</%s> ends %s" % (tag, self.open[-1:]))
        self.open.pop()

    def handle_data(self, data):
        data = data.replace("\u00a0", " ")
        inside = self.open[-1] if self.open else ""
        self.texts.setdefault(inside, []).append(data)
        if "td" in self.open or "th" in self.open:
            self.rows[self.table][-1][-1] += data


def read_page(path):
    with open(path, encoding="utf-8") as f:
        text = f.read()
    page = Page(text)
    for name, value in page.attributes:
        check(name not in ("src", "href") or value.startswith("#"), "the page refers to %s" % value)
        check(not name.startswith("on"), "an attribute that runs: %s" % name)
    check(page.tags["script"] == 1 and page.tags["style"] == 1, "a script and a style of its own")
    check("url(" not in text and "@import" not in text, "the style refers to nothing")
    return text, page


def check_numbers(folder):
    _, page = read_page(make_page(folder, "some", 100, 10))
    rows = page.rows["op-table"]
    check(len(rows) == 11, "rows of operations: %d" % len(rows))
    check(rows[0][:3] == ["Operation", "Calls", "Total"], "headings: %s" % rows[0])
    by_name = {row[0]: row for row in rows[1:]}
    op9 = by_name["op 9"]
    # 109 us on each core; the last of its 32 tiles begins 3.1 us after the first one, the last core 1.2 us.
    check(op9[1] == "10" and op9[6] == "113.30 \u00b5s" and op9[9] == "8 to 32", "op 9: %s" % op9)
    check(109 < float(op9[4].split()[0]) < 113.3 and float(op9[5].split()[0]) <= 113.3, "its mean and percentile: %s" % op9)
    check(op9[7] == "25.0 %", "a quarter is waits: %s" % op9)
    totals = [float(row[3].split()[0]) for row in rows[1:]]
    check(totals == sorted(totals, reverse=True) and 99 < sum(totals) < 101, "shares: %s" % totals)
    check(by_name["op 0"][10] != "0" and by_name["op 1"][10] == "0", "stragglers: %s" % by_name["op 0"])
    check(len(page.rows["core-table"]) == 321, "rows of cores: %d" % len(page.rows["core-table"]))
    check([row[0] for row in page.rows["straggler-table"][1:]] == ["chip 0 tile 0,1"], "tiles that straggle")
    check(page.rows["wait-table"][1][:2] == ["in full", "%d" % (5 * sum(4 * (n % 8 + 1) for n in range(100)))], "waits")
    check(page.rows["loss-table"][1][0] == "waited for room", "stalls")
    curves = [t for t in page.texts["title"] if t.startswith("chip") and "at most" in t]
    check(curves == ["chip 0: at most 518 ns", "chip 1: at most 958 ns"], "clock error over time: %s" % curves)
    facts = dict(zip(page.texts["dt"], page.texts["dd"]))
    for name, value in (("Operations", "100"), ("Cores", "320"), ("Boards", "two_chips 8x4"), ("Machine", "OS: any; CPU: any"),
                        ("Lost", "12 zones, 0 other packets"), ("Clock error", "below 550 ns"), ("Program", "program")):
        check(facts.get(name) == value, "%s: %r" % (name, facts.get(name)))


def check_hostile(folder):
    text, page = read_page(make_page(folder, "hostile", 60, 3, "hostile"))
    check("img" not in page.tags, "a name made an element")
    check(page.rows["op-table"][1][0] == HOSTILE[:OP_NAME_BYTES], "the operation: %r" % page.rows["op-table"][1][0])
    check(page.rows["wait-table"][1][0] == HOSTILE + "in full", "the wait: %r" % page.rows["wait-table"][1][0])
    check(HOSTILE in page.texts["dd"], "the program: %s" % page.texts["dd"])
    check("\x01" not in text, "no control characters")


def check_limits(folder):
    text, page = read_page(make_page(folder, "many", 1500, 1500))
    check(len(page.rows["op-table"]) == 501, "rows are limited: %d" % len(page.rows["op-table"]))
    left_out = [t for t in page.texts["p"] if t.startswith("Left out")]
    check("Left out: 1000 more names of operations, with less time." in left_out, "what was left out: %s" % left_out)
    check(len(text) < 600000, "the page's size: %d" % len(text))


def check_op_tracks(folder):
    """A trace that was imported from a report of operations has them as zones of a track."""
    path = make_page(folder, "ops", 60, 2, "report")
    rows = read_page(path)[1].rows["op-table"][1:]
    check([row[:3] for row in rows] == [["op 1", "30", "3.03 ms"], ["op 0", "30", "3.00 ms"]], "operations: %s" % rows)
    # Before each but the first one: 300 us less the length of the one before.
    check([row[8:10] for row in rows] == [["6.00 ms", "-"], ["5.77 ms", "-"]], "gaps: %s" % rows)
    got = subprocess.run([TENDRIL, "compare", "--by", "op", "--csv", path[:-5] + ".tracy"], stdout=subprocess.PIPE, check=True)
    check(got.stdout.decode().splitlines()[1].startswith("op 1,,"), "compare --by op: %s" % got.stdout)


def check_command(folder):
    def run(*words):
        got = subprocess.run([TENDRIL, "report", *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        return got.returncode, got.stdout.decode("utf-8", "replace")
    features, page = os.path.join(SOURCE, "tests/data/trace/0.11.1/features.tracy"), os.path.join(folder, "f.html")
    check(run("--html", page, features) == (0, ""), "a trace without cores")
    text, _ = read_page(page)
    check("There are no operations" in text and "The trace has no cores" in text, "it says that there are none")
    check(os.listdir(folder).count("reports") == 0, "the page alone is written")
    got, out = run("--html", page + "2", "-o", folder, "--only", "ops", features)
    check(got == 0 and os.path.exists(page + "2") and os.path.isdir(os.path.join(folder, "reports")), "with files: %s" % out)
    got, out = run("--html", "/nowhere/at/all.html", features)
    check(got == 1 and "/nowhere/at/all.html" in out, "a page that cannot be written: %d %s" % (got, out))
    log = os.path.join(folder, "profile_log_device.csv")
    with open(log, "w", encoding="ascii") as f:
        f.write("ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1000\nPCIe slot, core_x, core_y, RISC processor type, timer_id, "
                "time[cycles since reset], data, run host ID, trace id, trace id counter, zone name, type, source line, "
                "source file, meta data\n")
        for at, kind in ((1000, "ZONE_START"), (6000, "ZONE_END")):
            f.write("0,1,2,BRISC,1,%d,0,1024,,,BRISC-KERNEL,%s,1,a.cc,\n" % (at, kind))
    got, out = run("--html", page, log)
    _, shown = read_page(page)
    check(got == 0 and shown.rows["op-table"][1][:3] == ["unnamed, 1 tile", "1", "5.00 \u00b5s"], "a log: %d %s" % (got, out))


def main():
    with tempfile.TemporaryDirectory() as folder:
        check_numbers(folder)
        check_hostile(folder)
        check_limits(folder)
        check_op_tracks(folder)
        check_command(folder)
    return 1 if failures() else 0


sys.exit(main())
