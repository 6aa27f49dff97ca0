#!/usr/bin/env python3
"""Files that are found by their place, not by their name on the command line, are used only if they belong to the user, to
root, or to the owner of what they are next to: in a folder such as /tmp, another user may have put them there. The
working folder has no say at all. tendril.conf: test_config_local.py."""
import os
import shutil
import subprocess
import tempfile

from common import BINARY, SOURCE, TENDRIL, check, exit_status

OTHER = 65534  # a user


def run(*words, cwd=None, **variables):
    return subprocess.run(words, cwd=cwd, capture_output=True, text=True, timeout=100, check=False, stdin=subprocess.DEVNULL,
                          env={**os.environ, "TENDRIL_CONFIG": "none", **variables})


def give_away(path):
    for root, folders, files in os.walk(path):
        for name in [root] + [os.path.join(root, name) for name in folders + files]:
            os.chown(name, OTHER, OTHER)
    os.chown(path, OTHER, OTHER)


def write(path, text, mode=0o644):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="ascii") as f:
        f.write(text)
    os.chmod(path, mode)


def names_of_boards_are_not_files_of_the_working_folder(folder):
    work = os.path.join(folder, "work")
    write(os.path.join(work, "evil.board"), "[board]\nbase=tensix_sim\nname=evil\n")
    write(os.path.join(work, "evil", "evil.board"), "[board]\nbase=tensix_sim\nname=evil\n")
    for variables in ({}, {"TENDRIL_BOARDS": ""}, {"TENDRIL_BOARDS": ":"}):
        r = run(TENDRIL, "record", "-o", "x.tracy", "-b", "evil", "--", "true", cwd=work, **variables)
        check(f"-b evil, {variables}", r.returncode != 0 and "no board 'evil'" in r.stderr, r.stderr)
        r = run(TENDRIL, "boards", cwd=work, **variables)
        check(f"boards, {variables}", r.returncode == 0 and "evil" not in r.stdout, r.stdout)


def next_to_the_program(folder):
    """A program in /tmp/bin has its boards in /tmp/share."""
    home = os.path.join(folder, "home")
    os.makedirs(os.path.join(home, "bin"))
    program = shutil.copy(TENDRIL, os.path.join(home, "bin", "tendril"))
    share, ran = os.path.join(home, "share"), os.path.join(folder, "ran")
    write(os.path.join(share, "tendril/boards/evil/evil.board"), "[board]\nbase=tensix_sim\nname=evil\n")
    check("boards of the user", "evil" in run(program, "boards").stdout.split(), run(program, "boards").stdout)
    write(os.path.join(home, "bin", "tensix_sim"), f"#!/bin/sh\ntouch {ran}\n", 0o755)
    run(program, "sim", "--version")
    check("a program of the user is run", os.path.exists(ran))
    if os.geteuid() != 0:
        return
    os.unlink(ran)
    give_away(share)
    os.chown(os.path.join(home, "bin", "tensix_sim"), OTHER, OTHER)
    check("boards of another user", "evil" not in run(program, "boards").stdout.split())
    r = run(program, "sim", "--version", PATH="/nothing")
    check("a program of another user is not run", not os.path.exists(ran) and r.returncode == 1, r.stderr)
    os.chown(program, OTHER, OTHER)
    check("all of one owner: boards", "evil" in run(program, "boards").stdout.split())


def next_to_a_description(folder):
    """base=NAME"""
    if not os.path.exists(os.path.join(BINARY, "bin", "tensix_sim")):
        return
    place = os.path.join(folder, "place")
    write(os.path.join(place, "mine.board"), "[board]\nbase=tensix_sim\nname=mine\n")
    write(os.path.join(place, "tensix_sim.board"), "nonsense")
    r = run(TENDRIL, "sim", "--check", "mine.board", cwd=place)
    check("a base of the user", r.returncode != 0, r.stderr)
    if os.geteuid() == 0:
        os.chown(os.path.join(place, "tensix_sim.board"), OTHER, OTHER)
        for path in ("mine.board", "./mine.board", os.path.join(place, "mine.board")):
            r = run(TENDRIL, "sim", "--check", path, cwd=place)
            check(f"a base of another user, {path}", r.returncode == 0, r.stderr)
        os.chown(os.path.join(place, "mine.board"), OTHER, OTHER)
        r = run(TENDRIL, "sim", "--check", "mine.board", cwd=place)
        check("description and base of one other user", r.returncode != 0, r.stderr)


def next_to_the_package(folder):
    packages = os.path.join(folder, "a/b")
    package = os.path.join(packages, "tracy")
    os.makedirs(package)
    for name in ("report.py", "messages.py"):
        shutil.copy(os.path.join(SOURCE, "host/python/tracy", name), package)
    write(os.path.join(package, "__init__.py"), "")
    planted = os.path.join(folder, "a/bin/tendril")
    write(planted, "#!/bin/sh\n", 0o755)
    script = "from tracy.report import find_tendril; print(find_tendril(None))"
    def found():
        return run("/usr/bin/env", "python3", "-c", script, PYTHONPATH=packages, PATH=os.path.dirname(TENDRIL) + ":/usr/bin:/bin")
    r = found()
    check("a program of the user, next to the package", r.stdout.strip() == planted, r.stdout, r.stderr)
    if os.geteuid() == 0:
        os.chown(planted, OTHER, OTHER)
        r = found()
        check("a program of another user, next to the package", r.stdout.strip() == TENDRIL, r.stdout, r.stderr)


def main():
    with tempfile.TemporaryDirectory() as folder:
        names_of_boards_are_not_files_of_the_working_folder(folder)
        next_to_the_program(folder)
        next_to_a_description(folder)
        next_to_the_package(folder)
    return exit_status()


if __name__ == "__main__":
    raise SystemExit(main())
