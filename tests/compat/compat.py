"""Compares with stock Tracy: reading, writing and tables of every release that is found, over every trace.

    compat.py [--bin FOLDER] [--quick] [--thorough] [--record] [--write-docs docs/compatibility.md] [--only RELEASE]...
              [--trace TEXT] [--extra FILE]...

Stock programs are those in $TD_STOCK_DIR/RELEASE/bin (csvexport, update); missing releases are left out, with a message.
Traces are those of $TD_CORPUS, else of tests/data/trace. Without stock programs two checks remain: our model and walker.py
find the same content, before and after writing every format, and our tables are the recorded ones.
"""
import argparse
import concurrent.futures
import glob
import json
import os
import re
import sys
import tempfile

import matrix
import stock
import walker
from carried import carried, differ
from model import Model, loads, normal
from stock import Answer, BETWEEN, FORMATS, RELEASES, number
from test_walker import known_content

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))


VERSIONS = {**FORMATS, **BETWEEN}
# Traces that cover nothing more of the formats than others do are written in these only, unless --thorough is given.
SOME = ("0.9.1", "0.10.0", "0.11.1", "0.14.0")
TELLING = re.compile(r"/(features|gpu|killed|synthetic)\.tracy$")
# The same content as another trace, in another packing.
PACKED = re.compile(r"(features|many)\.(fast|lz4|hc|extreme|z\d+|j\d+)[.\w]*tracy$")


class Results:
    """For each check and release: how often it passed, and a line for each failure."""

    def __init__(self):
        self.counts, self.failures = {}, []

    def check(self, key, holds, text):
        self.counts.setdefault(key, [0, 0])[0 if holds else 1] += 1
        if not holds:
            self.failures.append(f"{' '.join(key)}: {text}")
        return holds

    def add(self, other):
        for key, (good, bad) in other.counts.items():
            count = self.counts.setdefault(key, [0, 0])
            count[0] += good
            count[1] += bad
        self.failures += other.failures


class Ours:
    """Our programs, and their output for each trace so far."""

    def __init__(self, folder, scratch):
        self.tendril = os.path.join(folder, "bin", "tendril")
        self.dump = os.path.join(folder, "tests", "trace_dump")
        self.folder, self.scratch = folder, scratch

    def table(self, style, mode, path):
        return Answer([self.tendril, "csvexport", "--style", style, *mode.split(), path])

    def write(self, path, form):
        name = f"{os.path.basename(os.path.dirname(path))}-{os.path.basename(path)}-{form}.tracy"
        made = os.path.join(self.scratch, name)
        return made, Answer([self.tendril, "update", "--format", form, path, made])

    def record(self, results):
        """Recordings of the simulated board, with cores as threads and as GPU contexts."""
        program = os.path.join(self.folder, "examples", "hello", "hello")
        made = []
        for tracks in ("threads", "contexts"):
            path = os.path.join(self.scratch, f"{tracks}.tracy")
            answer = Answer([self.tendril, "record", "-o", path, f"--tracks={tracks}", "--", program])
            if results.check(("record", tracks), answer.status == 0, answer.error):
                made.append(path)
        return made

    def content(self, path):
        answer = Answer([self.dump, path])
        return normal(Model(loads(answer.out)).content) if answer.status == 0 else None


def same_lines(a, b):
    return sorted(a.split(b"\n")) == sorted(b.split(b"\n"))


def plain(content):
    """The content after a conversion to JSON and back."""
    return json.loads(json.dumps(content))


def title(path):
    return "/".join(path.split("/")[-2:])


class Trace:
    """The checks of one trace; their outcome goes to `results`."""

    def __init__(self, path, releases, ours, quick, thorough):
        self.path, self.releases, self.ours, self.results = path, releases, ours, Results()
        self.own = walker.read(path)
        self.content = plain(self.own.content)
        self.folder = os.path.basename(os.path.dirname(path))
        packed = PACKED.search(path)
        self.modes = {r.name: r.modes[:3] if quick or packed else r.modes for r in releases}
        self.thorough = thorough or TELLING.search(path)
        self.before = {}

    def check(self, key, holds, text):
        return self.results.check(key, holds, f"{title(self.path)}: {text}")

    def run(self):
        self.check_read()
        self.check_tables()
        if PACKED.search(self.path):
            return self.results
        for form in [*FORMATS, *(BETWEEN if "synthetic" in self.path else ())] if self.thorough else SOME:
            made, answer = self.ours.write(self.path, form)
            if self.check(("write", form), answer.status == 0, f"{answer.command}: {answer.error.strip()}"):
                self.check_written(form, made)
                os.unlink(made)
        return self.results

    def check_read(self):
        self.check_model(("read", self.folder), self.content, self.path)
        if self.path.endswith("/synthetic.tracy"):
            self.check_model(("read", self.folder), known_content(self.path[:-6] + ".json"), self.path)
        for file in sorted(glob.glob(self.path[:-6] + ".*.csv")) + \
                (sorted(glob.glob(os.path.join(os.path.dirname(self.path), "*.csv")))
                 if os.path.basename(self.path) == "features.tracy" else []):
            mode = {"zones": "", "zones_self": "-e", "zones_unwrap": "-u", "messages": "-m", "plots": "-u -p",
                    "gpu": "-g"}.get(os.path.basename(file).split(".")[-2])
            of_features = "." not in os.path.basename(file)[:-4]
            if mode is None or (of_features != (os.path.basename(self.path) == "features.tracy")):
                continue
            style = "tt" if self.folder == "ttfork" else self.folder
            answer = self.ours.table(style, mode, self.path)
            with open(file, "rb") as table:
                self.check(("recorded tables", self.folder), answer.out == table.read(),
                           f"{os.path.basename(file)}: {answer.command}")

    def check_model(self, key, content, path):
        """Our model of the file has the content that the second reader found, or that the trace was made with."""
        ours = self.ours.content(path)
        difference = differ(normal(content), ours) if ours else "is not read"
        self.check(key, not difference, f"{title(path)}: {difference}")

    def check_tables(self):
        """For each release that opens the trace, our tables in its style are those that it prints itself."""
        for release in self.releases:
            if not release.accepts(self.own.version, self.own.container.form):
                self.check_refused(release, self.path)
                continue
            for mode in self.modes[release.name]:
                answer = self.ours.table(release.style, mode, self.path)
                # Without counts of GPU locations (0.10 and older) the order of -g depends on how stock finds them.
                any_order = "-g" in mode and not self.own.gpu_counts

                def equal(out, ours=answer.out, any_order=any_order):
                    return same_lines(ours, out) if any_order else ours == out

                theirs = stock.stock_table(release, mode, self.path, equal)
                self.before[release.name, mode] = theirs.out
                how = "other order" if same_lines(answer.out, theirs.out) else "differs"
                self.check(("tables", release.name), theirs.status == 0 and equal(theirs.out),
                           f"{answer.command}: {how}: status {answer.status}, {len(answer.out)} bytes; "
                           f"stock: status {theirs.status}, {len(theirs.out)} bytes")

    def check_refused(self, release, path):
        answer = Answer([release.program("csvexport"), path])
        self.check(("refused", release.name), answer.status in (1, -6), f"{answer.command}: status {answer.status}")

    def check_written(self, form, made):
        written = walker.read(made)
        content, expected = plain(written.content), carried(self.content, number(VERSIONS[form]))
        for context in expected["gpu"]:
            if self.own.version == (0, 10, 0) and context[4] == 6 and form != "tt":  # a device; only the fork has these
                context[4] = 2 if written.version < (0, 12, 0) else 7
        self.check(("write", form), written.version == number(VERSIONS[form]), f"version {written.version}")
        if self.own.version < (0, 11, 1):  # writing gives cores of devices their places in the order anew
            for before, after in zip(expected["threads"], content["threads"]):
                before[4] = after[4]
        difference = differ(expected, content)
        self.check(("write", form), not difference, f"--format {form}: {difference}")
        lost = sorted(set(self.own.names_of.items()) - set(written.names_of.items()))
        self.check(("write", form), not lost, f"--format {form}: names of threads are lost: {lost[:3]}")
        new = [p for p in written.problems if p not in self.own.problems]
        self.check(("rules", form), not new, f"--format {form}: {'; '.join(new[:3])}")
        self.check_model(("read", "ours"), content, made)
        for release in self.releases:
            if release.accepts(written.version, written.container.form):
                self.check_opened(release, form, made, content)
            else:
                self.check_refused(release, made)

    def table_before(self, release, mode):
        """The release's own table of the trace. If it cannot open the trace: our table in its style."""
        key = release.name, mode
        if key not in self.before:
            opens = release.accepts(self.own.version, self.own.container.form)
            self.before[key] = (stock.stock_table(release, mode, self.path) if opens
                                else self.ours.table(release.style, mode, self.path)).out
        return self.before[key]

    def check_opened(self, release, form, made, content):
        for mode in [m for m in self.modes[release.name] if "-f" not in m]:
            before = self.table_before(release, mode)
            theirs = stock.stock_table(release, mode, made, lambda out, before=before: same_lines(out, before))
            self.check(("opens", release.name, form), theirs.status == 0 and same_lines(theirs.out, before),
                       f"csvexport {mode} of --format {form}: status {theirs.status}")
        updated = made + f".{release.name}.tracy"
        answer = Answer([release.program("update"), made, updated])
        if not self.check(("updates", release.name, form), answer.status == 0, f"{answer.command}: {answer.status}"):
            return
        back = walker.read(updated)
        difference = differ(carried(content, back.version), plain(back.content))
        self.check(("updates", release.name, form), not difference, f"of --format {form}: {difference}")
        self.check_model(("read", "updated by " + release.name), plain(back.content), updated)
        os.unlink(updated)


def check(path, releases, ours, quick, thorough):
    try:
        return Trace(path, releases, ours, quick, thorough).run()
    except Exception as error:  # a file that breaks the second reader is a finding, not the end
        results = Results()
        results.check(("read", os.path.basename(os.path.dirname(path))), False, f"{title(path)}: {error!r}")
        return results


def traces(options):
    corpus = os.environ.get("TD_CORPUS", os.path.join(SOURCE, "..", "shared", "corpus"))
    found = sorted(glob.glob(os.path.join(corpus, "*", "*.tracy")))
    if not found or options.quick:
        if not found:
            print(f"no corpus at {corpus}: traces of tests/data", flush=True)
        found = sorted(glob.glob(os.path.join(SOURCE, "tests", "data", "trace", "*", "*.tracy")))
    return [os.path.normpath(f) for f in found + options.extra if options.trace in title(f)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=os.environ.get("TD_BINARY_DIR", "build"), help="build folder")
    parser.add_argument("--quick", action="store_true", help="traces of tests/data and three tables only")
    parser.add_argument("--thorough", action="store_true", help="every trace in every format")
    parser.add_argument("--record", action="store_true", help="two recordings of the simulated board as well")
    parser.add_argument("--only", action="append", default=[], help="release")
    parser.add_argument("--trace", default="", help="part of the name of the traces to try")
    parser.add_argument("--extra", action="append", default=[], help="one more trace")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--write-docs", metavar="FILE")
    options = parser.parse_args()

    releases = [r for r in RELEASES if r.found() and (not options.only or r.name in options.only)]
    absent = [r.name for r in RELEASES if not r.found()]
    if absent:
        print(f"not found in $TD_STOCK_DIR, left out: {' '.join(absent)}", flush=True)
    results, paths = Results(), traces(options)
    with tempfile.TemporaryDirectory(prefix="tendril-compat-") as scratch:
        ours = Ours(options.bin, scratch)
        if options.record:
            paths += ours.record(results)
        with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
            running = [pool.submit(check, p, releases, ours, options.quick, options.thorough) for p in paths]
            for done in concurrent.futures.as_completed(running):
                results.add(done.result())
                print(f"{sum(r.done() for r in running)} of {len(running)} traces, {len(results.failures)} failures",
                      file=sys.stderr, flush=True)
    for failure in results.failures:
        print("FAILED", failure)
    print(matrix.summary(results, len(paths)))
    if options.write_docs:
        matrix.write_docs(options.write_docs, results, len(paths))
    sys.exit(1 if results.failures else 0)


if __name__ == "__main__":
    main()
