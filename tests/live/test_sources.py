#!/usr/bin/env python3
"""A program names files that it may not read, and claims that it was built in the future. Of these files `tendril capture`
and `tendril update -c` store only texts with a source language's suffix, and only where --sources allows."""
import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import time

import live

NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
TEXT = b"int secret;\n"
BIG = 16 << 20


def write(path, text):
    with open(path, "wb") as f:
        f.write(text)
    os.utime(path, (1, 1))


def make_files(folder):
    """Makes the files. Returns the names that the program uses, the sources in the folder `in`, and the sources elsewhere."""
    inside, outside = os.path.join(folder, "in"), os.path.join(folder, "out")
    for path in (folder, inside, outside):
        os.mkdir(path, 0o700)
    named = [os.path.join(place, name) for place in (inside, outside)
             for name in ("s.c", "s.RS", "s.txt", "s", ".c/x", "zero.c", "empty.c", "big.c", "most.c")]
    for place in (inside, outside):
        os.mkdir(os.path.join(place, ".c"))
        for name, text in (("s.c", TEXT), ("s.RS", TEXT), ("s.txt", TEXT), ("s", TEXT), (".c/x", TEXT),
                           ("zero.c", b"ELF\0" + TEXT), ("empty.c", b""), ("big.c", b"x" * (BIG + 1)),
                           ("most.c", b"x" * BIG)):
            write(os.path.join(place, name), text)
    for name, target in (("text.c", "s.txt"), ("code", "s.c"), ("away.c", "../out/s.c"), ("shadow.c", "/etc/shadow"),
                         ("device.c", "/dev/zero"), ("status.c", "/proc/self/status")):
        os.symlink(target, os.path.join(inside, name))
        named.append(os.path.join(inside, name))
    os.mkfifo(os.path.join(inside, "pipe.c"))
    os.mkdir(os.path.join(inside, "folder.c"))
    named += [os.path.join(inside, name) for name in ("pipe.c", "folder.c", "none.c", "../out/s.RS", "../in/s.c")]
    named += ["in/s.c", "../" * 40 + outside[1:] + "/most.c", "/etc/shadow", "/dev/tty", "/proc/self/environ"]
    allowed = {os.path.join(inside, name) for name in ("s.c", "s.RS", "most.c", "code", "../in/s.c")} | {"in/s.c"}
    elsewhere = {os.path.join(outside, name) for name in ("s.c", "s.RS", "most.c")}
    elsewhere |= {os.path.join(inside, name) for name in ("away.c", "../out/s.RS")} | {named[-4]}
    return named, allowed, elsewhere


def info(trace, *words):
    return subprocess.run([live.TENDRIL, "info", trace, *words], stdout=subprocess.PIPE, check=True).stdout.decode()


def stored(trace):
    return {row["name"] for row in json.loads(info(trace, "--json"))["source_files"]}


def update(*words):
    return subprocess.run([live.TENDRIL, "update", "-q", *words], stderr=subprocess.PIPE, check=False,
                          universal_newlines=True, timeout=100)


def check_all(check, scratch):
    program, trace = os.path.join(scratch, "name_files"), os.path.join(scratch, "t.tracy")
    shutil.copy(os.path.join(live.BINARY, "tests", "live_name_files"), program)
    os.chmod(program, stat.S_IRWXU | stat.S_IXGRP | stat.S_IRGRP | stat.S_IXOTH | stat.S_IROTH)
    future = time.time() + 1e8
    os.utime(program, (future, future))
    folder = os.path.join(scratch, "files")
    named, allowed, elsewhere = make_files(folder)
    os.chdir(folder)
    inside = os.path.join(folder, "in")
    os.symlink(inside, os.path.join(scratch, "way"))
    for options, wanted in (((), allowed | elsewhere), (("--sources", inside), allowed),
                            (("--sources", os.path.join(scratch, "way") + "/"), allowed),
                            (("--sources", inside, "--sources", folder + "/out"), allowed | elsewhere),
                            (("--sources", inside + "/.c"), set()), (("--no-sources",), set())):
        run = live.Run("tendril", live.TENDRIL, [*NOBODY, program, *named], trace, options=options)
        what = " ".join(options) or "by default"
        check.same(what, run.fault(), None)
        found = stored(trace)
        check.same(what + ": not to be stored", sorted(found - wanted), [])
        check.same(what + ": missing", sorted(wanted - found), [])
        said = info(trace)
        check.same(what + ": told", [name for name in wanted if "\n  %s, " % name not in said], [])
        check.same(what + ": table", "source file, bytes" in said, bool(wanted))
    for options, wanted in ((("-c",), allowed | elsewhere), (("-c", "--sources", inside), allowed)):
        out = os.path.join(scratch, "u.tracy")
        done = update(*options, trace, out)
        check.same("update: exit code", (done.returncode, done.stderr), (0, ""))
        check.same("update " + " ".join(options), sorted(stored(out) ^ wanted), [])


def check_errors(check, scratch):
    trace = os.path.join(scratch, "t.tracy")
    for words in (("--sources", "/none/such"), ("--sources", "/etc/passwd"), ("--sources", "/", "--no-sources")):
        done = subprocess.run([live.TENDRIL, "capture", "-f", "-o", trace, *words], stderr=subprocess.PIPE,
                              universal_newlines=True, timeout=100, check=False)
        check.same(" ".join(words), (done.returncode, done.stderr.count("\n")), (2, 1))
    done = update("--sources", "/", trace)
    check.same("--sources without -c", (done.returncode != 0, done.stderr.count("\n")), (True, 1))


def main():
    check = live.Check()
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        print("skipped: only root can run a program with fewer rights")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as scratch:
        os.chmod(scratch, 0o755)
        check_all(check, scratch)
        check_errors(check, scratch)
        os.chdir("/")
    check.leave()


main()
