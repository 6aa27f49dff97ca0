#!/usr/bin/env python3
"""`tendril import`: recorded sessions give the zones and messages of the traces that were captured of them; what a
program saves itself is whole; what is no session costs one line and leaves nothing."""
import csv
import glob
import io
import os
import subprocess
import tempfile

import live

CORPUS = os.environ.get("TD_CORPUS", os.path.join(live.SOURCE, "..", "shared", "corpus"))
if not os.path.isdir(CORPUS):
    print("no corpus at %s (set TD_CORPUS): recordings of tests/data" % CORPUS)
    CORPUS = os.path.join(live.SOURCE, "tests", "data", "session")


def tendril(*words, stdin=None):
    return subprocess.run([live.TENDRIL, *words], stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          universal_newlines=True, timeout=120, check=False)


def table(trace, *options):
    rows = list(csv.reader(io.StringIO(tendril("csvexport", "--style", "0.11.1", *options, trace).stdout)))
    return rows[0], sorted(row[:5] for row in rows[1:])  # behind that: numbers of threads


def check_recordings(check, trace):
    streams = sorted(glob.glob(os.path.join(CORPUS, "*", "*.stream")))
    check.true("there are recordings", streams)
    for stream in streams:
        done = tendril("import", "-f", "-o", trace, stream)
        check.same(stream, done.returncode, 0)
        told = "breaks off" in done.stderr
        check.same(stream + ": says that it breaks off", told, os.path.basename(stream) == "killed.stream")
        captured = stream[:-len("stream")] + "tracy"
        if os.path.exists(captured):
            for options in (["-u"], ["-m"]):
                check.same("%s %s" % (stream, options), table(trace, *options), table(captured, *options))
    print("%d recordings" % len(streams))


def check_saved(check, scratch, trace):
    saved = os.path.join(scratch, "saved.stream")
    subprocess.run([os.path.join(live.BINARY, "tests", "client_marked"), "all"], check=True, timeout=60,
                   env=dict(os.environ, TENDRIL_SAVE=saved))
    with open(saved, "rb") as file:
        done = tendril("import", "-f", "-o", trace, "-", stdin=file)
    check.same("a saved session", (done.returncode, done.stderr), (0, ""))
    check.true("a saved session: zones", "zones        80," in done.stdout)
    check.true("a saved session: messages", "messages     81," in done.stdout)
    for name, capture in live.captures()[1:]:
        exporter = os.path.join(os.path.dirname(capture), "csvexport")
        if not os.access(exporter, os.X_OK):
            continue
        wanted = {"ttfork": "tt", "0.10": "0.10.0"}.get(name, name)
        tendril("import", "-q", "-f", "--format", wanted, "-o", trace, saved)
        out = subprocess.run([exporter, trace], stdout=subprocess.PIPE, universal_newlines=True, timeout=60, check=False)
        counts = {line.split(",")[0]: line.split(",")[5] for line in out.stdout.splitlines()[1:]}
        check.same(name + " reads it", (counts.get("named"), counts.get("made")), ("20", "20"))
    done = tendril("import", "-o", trace, saved)
    check.same("not over another file", (done.returncode, done.stderr.count("\n")), (2, 1))
    return saved


def check_refused(check, scratch, saved):
    out = os.path.join(scratch, "none.tracy")
    with open(saved, "rb") as file:
        whole = bytearray(file.read())
    protocol = bytearray(whole)
    protocol[13] = 3
    for name, content in (("empty", b""), ("text", b"no session\n" * 100), ("protocol", protocol), ("zeros", bytes(4096)),
                          ("damaged", whole[:1500] + b"\xff" * 500 + whole[2000:])):
        path = os.path.join(scratch, name)
        with open(path, "wb") as file:
            file.write(content)
        done = tendril("import", "-o", out, path)
        check.same(name, (done.returncode, done.stderr.count("\n"), done.stdout), (1, 1, ""))
    for words in ((out,), ("-o", out), ("-o", out, "a", "b"), ("-o", out, "--format", "0.8", saved)):
        check.same(" ".join(words), tendril("import", *words).returncode in (1, 2), True)
    check.same("no such file", tendril("import", "-o", out, os.path.join(scratch, "nothing")).returncode, 1)
    check.same("a folder", tendril("import", "-o", out, scratch).returncode, 1)
    check.true("nothing is left", not os.path.exists(out))


def main():
    check = live.Check()
    with tempfile.TemporaryDirectory() as scratch:
        trace = os.path.join(scratch, "imported.tracy")
        check_recordings(check, trace)
        check_refused(check, scratch, check_saved(check, scratch, trace))
    check.leave()


main()
