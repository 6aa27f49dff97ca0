#!/usr/bin/env python3
"""tendril.conf of the working folder, which another person may have put there: it chooses only how results look, and is
not read at all where others may write. Each option of each command has a decision in tests/data/local-options.txt.

Usage: test_config_local.py [--update]: writes that file anew, for a person to read.
"""
import os
import re
import stat
import subprocess
import sys
import tempfile

from common import BINARY, SOURCE, TENDRIL, TRACE, check, exit_status
from config_place import Place

GOLDEN = os.path.join(SOURCE, "tests/data/local-options.txt")
REFUSED = "may change more than how results look"
VALUES = {"flag": "yes", "number": "7", "text": "7", "texts": "7", "areas": "all"}
OTHER = 65534  # a user


def lines_of(*words):
    return subprocess.run([TENDRIL, *words], capture_output=True, text=True, timeout=100, check=False,
                          env={**os.environ, "TENDRIL_CONFIG": "none"}).stdout.splitlines()


def options():
    """Lines `COMMAND NAME TYPE VALUE yes|no` of the commands of this build."""
    return [line for command in lines_of("commands") for line in lines_of(command, "--td-describe=options")]


def every_option_has_a_decision(found, update):
    if update:
        with open(GOLDEN, "w", encoding="ascii") as f:
            f.write("".join(line + "\n" for line in sorted(found)))
    with open(GOLDEN, encoding="ascii") as f:
        golden = f.read().splitlines()
    commands = {line.split()[0] for line in found}
    expected = {line for line in golden if line.split()[0] in commands}
    check("the options are those of tests/data/local-options.txt; after a decision: test_config_local.py --update",
          set(found) == expected, "only there:", sorted(expected - set(found)), "only here:", sorted(set(found) - expected))


def the_page_lists_what_is_taken():
    with open(os.path.join(SOURCE, "docs/commands/tendril-conf.md"), encoding="utf-8") as f:
        table = f.read().split("| command | options of the working folder's file |")[1].split("\n\n")[0]
    listed = {(row[0], name) for row in re.findall(r"^\| `(\w+)` \| (.*) \|$", table, re.M)
              for name in re.findall(r"`([\w-]+)`", row[1])}
    with open(GOLDEN, encoding="ascii") as f:
        taken = {tuple(line.split()[:2]) for line in f if line.split()[4] == "yes"}
    check("docs/commands/tendril-conf.md lists the options that are taken", listed == taken, listed ^ taken)


def each_option_is_taken_or_refused(place, found):
    by_command = {}
    for line in found:
        by_command.setdefault(line.split()[0], []).append(line.split()[1:])
    for command, rows in by_command.items():
        if command in ("help", "completion", "commands"):
            continue
        entries = [(name, VALUES.get(kind, "text"), verdict) for name, kind, _, verdict in rows]
        place.write(local=f"[{command}]\n" + "".join(f"{name} = {value}\n" for name, value, _ in entries))
        r = place.run(command, "--print-config")
        check(f"{command} --print-config", r.returncode == 0 and not r.stderr, r.stderr)
        lines = r.stdout.splitlines()
        for number, (name, value, verdict) in enumerate(entries, start=2):
            refused = f"; refused: {name} = {value} ; tendril.conf:{number}: it {REFUSED}" in lines
            taken = any(text.startswith(f"{name} = ") and text.endswith(f"; tendril.conf:{number}") for text in lines)
            check(f"{command} {name}", (taken, refused) == (verdict == "yes", verdict == "no"), r.stdout)


def dangerous(place):
    cases = [("capture", "output = /etc/passwd"), ("capture", "address = 10.0.0.1"), ("capture", "force = yes"),
             ("capture", "set = a=1"), ("capture", "keep-age = 1h"), ("capture", "keep-size = 1"), ("capture", "port = 1"),
             ("capture", "filter = x"), ("capture", "no-journal = yes"), ("record", "board = ./evil.board"),
             ("capture", "system = yes"), ("capture", "pid = 1"), ("record", "policy = drop"), ("merge", "align = first")]
    for command, line in cases:
        for section in (command, "all"):
            place.write(local=f"[{section}]\n{line}\n")
            r = place.run(command, "-o", "x.tracy", "a", "b")
            check(f"[{section}] {line}", r.returncode == 2 and "is not taken from the working folder" in r.stderr and
                  r.stderr.count("\n") == 1, r.stderr)
        place.write(user=f"[{command}]\n{line}\n")
        listed = place.run(command, "--print-config").stdout
        check(f"{line} of the user", f"; {place.user}:2" in listed and "refused" not in listed, listed)
        place.write(local=f"[{command}]\n{line}\n")
        listed = place.run(command, "--print-config", TENDRIL_CONFIG="./tendril.conf").stdout
        check(f"{line} of a file that is named", "; ./tendril.conf:2" in listed and "refused" not in listed, listed)


def nothing_is_run_or_removed(place):
    if "view" not in lines_of("commands"):
        return
    ran = os.path.join(place.work, "ran")
    program, trace = os.path.join(place.work, "run.tracy"), os.path.join(place.work, "trace.tracy")
    with open(program, "w", encoding="ascii") as f:
        f.write(f"#!/bin/sh\ntouch {ran}\n")
    os.chmod(program, 0o755)
    with open(trace, "w", encoding="ascii") as f:
        f.write("mine")
    place.write(local="[view]\nlive = yes\n")
    r = place.run("view", "./run.tracy")
    with open(trace, encoding="ascii") as f:
        check("a trace that is viewed is not run", r.returncode == 2 and not os.path.exists(ran) and f.read() == "mine",
              r.stderr)
    os.unlink(trace)
    os.unlink(program)


def left_out(place, what, says, read=False, path="./tendril.conf", **variables):
    """The file has [info] json = yes."""
    r = place.run("info", TRACE, **variables)
    if read:
        check(what, r.returncode == 0 and not r.stderr and r.stdout.startswith("{"), r.stdout[:80], r.stderr)
        return
    line = f"tendril info: {path} is not read: {says} ("
    check(what, r.returncode == 0 and r.stderr.startswith(line) and r.stderr.count("\n") == 1 and
          not r.stdout.startswith("{"), r.stdout[:80], r.stderr)
    listed = place.run("info", "--print-config", **variables).stdout
    check(what + ", listed", f"\n; refused: {path} is not read: {says}" in listed and "\njson = no" in listed, listed)


def where_others_write(place):
    text = "[info]\njson = yes\n"
    place.write(local=text)
    left_out(place, "a file of the user in a folder of the user", "", read=True)
    for mode in (0o775, 0o757, 0o777, 0o1777, 0o2775):
        os.chmod(place.work, mode)
        left_out(place, f"a folder with mode {mode:o}", "other users may write its folder")
    os.chmod(place.work, 0o755)
    for mode in (0o664, 0o646, 0o666):
        os.chmod(place.local, mode)
        left_out(place, f"a file with mode {mode:o}", "other users may write it")
    place.write(local="not a configuration\n")
    os.chmod(place.work, 0o1777)
    left_out(place, "a file is not even parsed", "other users may write its folder")
    os.chmod(place.work, 0o755)
    other = os.path.join(place.work, "other.conf")
    place.write(local=text)
    os.rename(place.local, other)
    os.symlink("other.conf", place.local)
    left_out(place, "a link", "it is a symbolic link")
    os.unlink(place.local)
    os.symlink("/dev/stdin", place.local)
    left_out(place, "a link to a descriptor", "it is a symbolic link")
    os.unlink(place.local)
    os.symlink("missing", place.local)
    left_out(place, "a link to nothing", "it is a symbolic link")
    os.unlink(place.local)
    os.mkfifo(place.local, 0o644)
    r = place.run("info", TRACE)
    check("a pipe", r.returncode == 2 and "is not a configuration" in r.stderr, r.stderr)
    os.unlink(place.local)
    os.mkdir(place.local, 0o755)
    r = place.run("info", TRACE)
    check("a folder", r.returncode == 2 and "is not a configuration" in r.stderr, r.stderr)
    os.rmdir(place.local)


def the_viewer(place):
    """It is a program of its own, which tendril becomes: a line is said once."""
    if "view" not in lines_of("commands"):
        return
    place.write(local="[view]\nscale = 2\n")
    os.chmod(place.work, 0o775)
    r = place.run("view", "--settings")
    check("a file that the viewer does not read", r.returncode == 0 and r.stderr.count("\n") == 1 and
          r.stderr.startswith("tendril view: ./tendril.conf is not read: other users may write its folder ("), r.stderr)
    os.chmod(place.work, 0o755)
    os.unlink(place.local)


def of_another_user(place):
    if os.geteuid() != 0:
        return
    place.write(local="[info]\njson = yes\n")
    os.chown(place.local, OTHER, OTHER)
    left_out(place, "another user's file", "it belongs to another user")
    os.chmod(place.local, 0o600)
    left_out(place, "another user's private file", "it belongs to another user")
    place.write(local="[info]\njson = yes\n")
    os.chown(place.work, OTHER, OTHER)
    left_out(place, "another user's folder", "its folder belongs to another user")
    os.chown(place.work, 0, 0)
    place.write(user="[info]\njson = yes\n")
    os.chown(place.user, OTHER, OTHER)
    left_out(place, "another user's file in the user's place", "it belongs to another user", path=place.user)


def in_the_users_place(place):
    folder = os.path.dirname(place.user)
    place.write(user="[info]\njson = yes\n")
    os.chmod(folder, 0o775)
    os.chmod(place.user, 0o664)
    left_out(place, "the user's group, which is often the user", "", read=True)
    os.chmod(folder, 0o1777)
    left_out(place, "a HOME such as /tmp", "other users may write its folder", path=place.user)
    os.chmod(folder, 0o755)
    os.chmod(place.user, 0o666)
    left_out(place, "a file that all may write", "other users may write it", path=place.user)
    os.chmod(place.user, 0o644)
    r = place.run("info", TRACE, XDG_CONFIG_HOME=None, HOME=None)
    check("without HOME", r.returncode == 0 and not r.stdout.startswith("{") and not r.stderr, r.stderr)
    r = place.run("info", TRACE, XDG_CONFIG_HOME="../home", HOME="../home")
    check("relative homes", r.returncode == 0 and not r.stdout.startswith("{") and not r.stderr, r.stderr)
    # The working folder is the user's: its file is the user's, with all options, once.
    os.chmod(folder, 0o775)
    place.write(user="[capture]\nport = 1001\nset = a=1\n")
    work, place.work = place.work, folder
    listed = place.run("capture", "--print-config")
    check("the user's folder as working folder", listed.stdout.count("set = a=1 ") == 1 and not listed.stderr and
          "refused" not in listed.stdout, listed.stdout, listed.stderr)
    place.work = work
    os.chmod(folder, 0o755)


def named(place):
    """TENDRIL_CONFIG is the user's own word: all options, any place; nothing else is looked at."""
    text = "[info]\njson = yes\n"
    place.write(local=text)
    os.chmod(place.work, 0o1777)
    os.chmod(place.local, 0o666)
    left_out(place, "a file that is named", "", read=True, TENDRIL_CONFIG="tendril.conf")
    r = place.run("info", TRACE, TENDRIL_CONFIG="none")
    check("none", r.returncode == 0 and not r.stderr and not r.stdout.startswith("{"), r.stderr)
    left_out(place, "an empty TENDRIL_CONFIG", "other users may write it", TENDRIL_CONFIG="")
    with open(place.local, encoding="ascii") as f:
        r = subprocess.run([TENDRIL, "info", TRACE], capture_output=True, text=True, timeout=100, stdin=f, check=False,
                           env={**os.environ, "TENDRIL_CONFIG": "/dev/fd/0"})
    check("a descriptor of a file", r.returncode == 0 and r.stdout.startswith("{"), r.stderr)
    r = subprocess.run([TENDRIL, "info", TRACE], input=text, capture_output=True, text=True, timeout=100, check=False,
                       env={**os.environ, "TENDRIL_CONFIG": "/dev/stdin"})
    check("a descriptor of a pipe", r.returncode == 2 and "is not a configuration: it is not a file" in r.stderr, r.stderr)
    for path, code, says in ((place.work, 2, "is not a file"), ("/dev/zero", 2, "is not a file"), ("/nothing", 1, "no file")):
        r = place.run("info", TRACE, TENDRIL_CONFIG=path)
        check(f"TENDRIL_CONFIG={path}", r.returncode == code and says in r.stderr, r.stderr)
    os.chmod(place.work, 0o755)


def a_folder_that_is_gone():
    with tempfile.TemporaryDirectory() as folder:
        gone = os.path.join(folder, "gone")
        script = f"mkdir {gone}; cd {gone}; rmdir {gone}; exec {TENDRIL} info {TRACE}"
        r = subprocess.run(["sh", "-c", script], capture_output=True, text=True, timeout=100, check=False,
                           env={**os.environ, "TENDRIL_CONFIG": ""})
        check("a working folder that is gone", r.returncode == 0 and not r.stderr, r.stderr)


def the_simulator(place):
    """It is a program of its own, which reads its section itself."""
    if not os.path.exists(os.path.join(BINARY, "bin", "tensix_sim")):
        return
    place.write(local="[sim]\nnative = ./evil.so\n")
    r = place.run("sim", "--bar", "x.bar")
    check("[sim]", r.returncode == 2 and "is not taken from the working folder" in r.stderr, r.stderr)
    check("[sim], no board", not os.path.exists(os.path.join(place.work, "x.bar")))


def main():
    found = options()
    every_option_has_a_decision(found, "--update" in sys.argv)
    the_page_lists_what_is_taken()
    with tempfile.TemporaryDirectory() as folder:
        check("the folder of the test is private", stat.S_IMODE(os.stat(folder).st_mode) == 0o700)
        place = Place(folder)
        each_option_is_taken_or_refused(place, found)
        dangerous(place)
        nothing_is_run_or_removed(place)
        where_others_write(place)
        the_viewer(place)
        of_another_user(place)
        place.write()
        in_the_users_place(place)
        place.write()
        named(place)
        the_simulator(place)
    a_folder_that_is_gone()
    return exit_status()


if __name__ == "__main__":
    raise SystemExit(main())
