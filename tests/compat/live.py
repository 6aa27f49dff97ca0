"""Compares live recordings with stock Tracy: programs with the client of every release that is found, recorded by `tendril
capture`, and programs with our client, recorded by the capture of every release.

    live.py [--bin FOLDER] [--quick] [--only RELEASE]... [--mode MODE]... [--write-docs docs/compatibility.md] [--control]

One program (program/features.cpp) is compiled unchanged with the headers of every release and with ours. Each trace is
compared with what the program marks (live_facts.py) and with what a second reader finds in the file (walker.py). The
release's own csvexport and update must accept it. Releases are the folders of $TD_STOCK_DIR: RELEASE/bin has capture,
csvexport and update, RELEASE/src/public the client's sources. Missing ones are left out, with a message.
--control records stock clients with the capture of the same release, for comparison.
"""
import argparse
import concurrent.futures
import os
import shutil
import sys
import tempfile
import time

import live_facts
import live_matrix
import stock
import walker
from carried import carried, differ
from compat import Results, plain
from live_peers import Client, OURS, Recorder, ended, free_port
from model import Model, loads, normal
from stock import Answer, RELEASES

MODES = ("features", "many", "images", "gpu", "killed", "crash")
# Modes whose files get all checks; of other modes only zones are compared.
TELLING = ("features", "gpu", "killed")


class Session:
    """One program, one recorder, and the checks of their trace."""

    def __init__(self, run, way, release, client, recorder):
        self.run, self.way, self.release = run, way, release
        self.client, self.recorder = client, recorder
        self.ours = client.release == OURS

    def check(self, feature, holds, text):
        return self.run.results.check((self.way, self.release.name, feature), holds, text)

    def record(self, mode):
        out = os.path.join(self.run.scratch, f"{self.way.split()[0]}-{self.release.name}-{mode}.tracy")
        more = ["--set", "parameter=43"] if mode == "features" and self.recorder.release == OURS else []
        port = free_port()
        process = self.client.start(mode, port, recorder=self.recorder.release, folder=self.run.scratch)
        status, log = self.recorder.record(port, out, self.client.release, more=more)
        bad, said = ended(process, mode, 60 if status == 0 else 1)
        feature = {"killed": "killed program", "crash": "crashed program"}.get(mode, "sessions")
        if self.check(feature, status == 0 and not bad, f"{mode}: capture {status}, {bad or ''}: {log[-600:]}"):
            self.look(mode, out)
        if more:
            self.check("parameters", said.split() == ["parameter", "0", "is", "43"], f"the program says {said!r}")

    def look(self, mode, out):
        """All checks of a file."""
        answer = Answer([self.run.dump, out])
        if not self.check("file", answer.status == 0, f"{mode}: {answer.error}"):
            return
        found, expected = live_facts.MODES[mode]
        facts = found(loads(answer.out))
        for feature, wanted in expected(self.release.name, self.ours).items():
            for name, value in wanted.items():
                is_so = facts[feature][name] == value
                self.check(feature, is_so, f"{mode}: {name}: {live_facts.brief(facts[feature][name], value)}")
        self.look_at_tables(mode, out)
        if mode in TELLING:
            self.look_at_file(mode, out, answer)

    def look_at_tables(self, mode, out):
        style = self.release.style
        for table in [t for t in self.release.modes if "-f" not in t and (not t or mode in TELLING)]:
            ours = Answer([self.run.tendril, "csvexport", "--style", style, *table.split(), out])

            def same(text, ours=ours.out):
                return sorted(text.split(b"\n")) == sorted(ours.split(b"\n"))

            theirs = stock.stock_table(self.release, table, out, same)
            self.check("its csvexport", theirs.status == 0 and same(theirs.out),
                       f"{mode}: {theirs.command}: status {theirs.status}")

    def look_at_file(self, mode, out, dumped):
        second = walker.read(out)
        content = plain(second.content)
        self.check("file", not second.problems, f"{mode}: {'; '.join(second.problems[:3])}")
        difference = differ(normal(content), normal(Model(loads(dumped.out)).content))
        self.check("file", not difference, f"{mode}: {difference}")
        updated = out + ".updated"
        answer = Answer([self.release.program("update"), out, updated])
        if self.check("its update", answer.status == 0, f"{mode}: {answer.command}: status {answer.status}"):
            back = walker.read(updated)
            difference = differ(carried(content, back.version), plain(back.content))
            self.check("its update", not difference, f"{mode}: {difference}")
            os.unlink(updated)

    def on_demand(self, recorders):
        """One program, to which several recorders connect one after another."""
        port = free_port()
        process = self.client.start("ondemand", port, [str(len(recorders))], self.release.name, self.run.scratch)
        for part, recorder in enumerate(recorders):
            out = os.path.join(self.run.scratch, f"{self.way.split()[0]}-{self.release.name}-part{part}.tracy")
            for _ in range(20):  # the program may not listen yet
                status, log = recorder.record(port, out, self.client.release, 2)
                if status == 0 and os.path.exists(out):
                    break
                time.sleep(.2)
            if not self.check("on demand", status == 0, f"part {part}: capture {status}: {log[-600:]}"):
                break
            self.look_at_part(part, recorder, out)
        bad, _ = ended(process, "ondemand", 20)
        self.check("on demand", not bad, bad)

    def look_at_part(self, part, recorder, out):
        answer = Answer([self.run.dump, out])
        facts = live_facts.ondemand(loads(answer.out))["on demand"] if answer.status == 0 else {}
        for name, value in live_facts.ondemand_expected(recorder.release, self.ours)["on demand"].items():
            self.check("on demand", facts.get(name) == value,
                       f"part {part}: {name}: {live_facts.brief(facts.get(name), value)}")
        problems = walker.read(out).problems
        self.check("on demand", not problems, f"part {part}: {'; '.join(problems[:3])}")


class Run:
    def __init__(self, options, scratch):
        self.options, self.scratch, self.results = options, scratch, Results()
        self.tendril = os.path.join(options.bin, "bin", "tendril")
        self.dump = os.path.join(options.bin, "tests", "trace_dump")

    def client(self, release):
        return Client(release, self.options.bin, os.path.join(self.options.bin, "tests", "live"))

    def session(self, way, release, client, recorder):
        session = Session(self, way, release, client, recorder)
        began = time.monotonic()
        try:
            for mode in [m for m in MODES if not self.options.mode or m in self.options.mode]:
                session.record(mode)
            if not self.options.mode or "ondemand" in self.options.mode:
                tendril, other = Recorder(OURS, self.options.bin), session.recorder
                session.on_demand([other, other] if other.release == OURS or not session.ours else
                                  [other, tendril, other])
        except Exception as error:  # a failed build or an unreadable file is a result; the other sessions still run
            session.check("sessions", False, repr(error))
        print(f"{session.way}, {release.name}: {len(self.results.failures)} failures so far, "
              f"{time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)

    def build_ours(self):
        """Builds our program before several sessions need it at once. A failure is reported by each session."""
        try:
            self.client(OURS).program(False)
        except RuntimeError as error:
            print(error, file=sys.stderr)

    def release(self, release):
        stock_client, stock_recorder = self.client(release.name), Recorder(release.name, self.options.bin)
        ours, tendril = self.client(OURS), Recorder(OURS, self.options.bin)
        if stock_client.found():
            self.session("stock client", release, stock_client, tendril)
        if stock_recorder.found():
            self.session("our client", release, ours, stock_recorder)
        if self.options.control and stock_client.found() and stock_recorder.found():
            self.session("control", release, stock_client, stock_recorder)


def try_release(options, scratch, release):
    run = Run(options, scratch)
    run.release(release)
    return run.results


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=os.environ.get("TD_BINARY_DIR", "build"), help="build folder")
    parser.add_argument("--quick", action="store_true", help="the oldest and the newest release only")
    parser.add_argument("--only", action="append", default=[], help="release")
    parser.add_argument("--mode", action="append", default=[], help="mode of the program")
    parser.add_argument("--control", action="store_true", help="stock clients with stock captures as well")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--write-docs", metavar="FILE")
    options = parser.parse_args()
    options.bin = os.path.abspath(options.bin)

    releases = [r for r in RELEASES if r.found() and (not options.only or r.name in options.only)]
    if options.quick:
        releases = releases[:1] + releases[1:][-1:]
    if not shutil.which("g++"):
        print("skipped: no g++ to compile the program with")
        releases = []
    elif not releases:
        print("skipped: TD_STOCK_DIR names no folder with stock programs")
    with tempfile.TemporaryDirectory(prefix="tendril-live-") as scratch, \
            concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        run = Run(options, scratch)
        if releases:
            run.build_ours()
        for done in [pool.submit(try_release, options, scratch, release) for release in releases]:
            run.results.add(done.result())
    for failure in run.results.failures:
        print("FAILED", failure)
    print(live_matrix.summary(run.results))
    if options.write_docs:
        live_matrix.write_docs(options.write_docs, run.results)
    sys.exit(1 if run.results.failures else 0)


if __name__ == "__main__":
    main()
