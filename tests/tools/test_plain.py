#!/usr/bin/env python3
"""Names of a hostile program, file or board do not steer the terminal: all commands replace control characters,
bytes that are no UTF-8 and characters that reverse the direction of text. Programs get data as it is."""
import json
import os
import pty
import select
import shutil
import subprocess
import sys
import tempfile
import time
import unicodedata

from common import BINARY, TENDRIL, TRACE as FEATURES, check, exit_status, free_port

PROGRAM = os.path.join(BINARY, "tests", "client_steer")
STEERS = b"\x1b[31m\x1b]0;owned\x07\xc2\x9b2J\xe2\x80\xae"
REPLACED = "?[31m?]0;owned??2J?"


def steers(output):
    """Control characters in the output, except newlines and those of the progress line."""
    for own in b"\r\n", b"\x1b[K", b"\r":
        output = output.replace(own, b"\n" if own == b"\r\n" else b"")
    try:
        text = output.decode("utf-8")
    except UnicodeDecodeError as error:
        return str(error)
    return [hex(ord(c)) for c in text if c != "\n" and (unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp")
                                                        or 0x202A <= ord(c) <= 0x202E or 0x2066 <= ord(c) <= 0x2069)]


def run(*words, **more):
    return subprocess.run([TENDRIL, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=200, check=False, **more)


def on_terminal(*words, beside=None, env=None):
    """Exit status and all that the terminal gets."""
    master, slave = pty.openpty()
    with subprocess.Popen([TENDRIL, *words], stdin=subprocess.DEVNULL, stdout=slave, stderr=slave, env=env) as child:
        os.close(slave)
        other = beside() if beside else None
        seen, end = b"", time.monotonic() + 200
        while time.monotonic() < end:
            if not select.select([master], [], [], 0.2)[0]:
                continue
            try:
                piece = os.read(master, 65536)
            except OSError:  # the child has closed the terminal
                break
            seen += piece
        status = child.wait(200)
        check("the program beside", other is None or other.wait(200) == 0)
    os.close(master)
    return status, seen


def plain(what, *words, status=0, needs=None, **more):
    got, seen = on_terminal(*words, **more)
    check(what + ": exit status", got == status, got, seen)
    check(what + ": steers the terminal", not steers(seen), steers(seen), seen)
    check(what + ": shows the name", needs is None or needs.encode() in seen.replace(b"\r\n", b"\n"), needs, seen)


def check_session(folder):
    trace, port = os.path.join(folder, "t.tracy"), str(free_port())
    environment = dict(os.environ, TRACY_PORT=port, TENDRIL_WAIT_CONNECT_MS="100000")
    program = os.fsdecode(os.path.join(os.fsencode(folder), b"p" + STEERS))
    shutil.copy(PROGRAM, program)
    plain("capture", "capture", "-f", "-a", "127.0.0.1", "-p", port, "-o", trace, "--set", "absent=1",
          beside=lambda: subprocess.Popen([program], env=environment), needs="connected to p" + REPLACED)
    plain("info", "info", "--all", trace, needs="<zone?[31m?]0;owned??2J")
    plain("info --json", "info", "--json", trace)
    plain("compare", "compare", trace, trace, needs="<zone?[31m")
    plain("compare --csv", "compare", "--csv", trace, trace, needs="<zone?[31m")
    plain("compare --fail-if", "compare", "--fail-if", ".:gone", trace, FEATURES, status=1, needs="fires: <zone?[31m")
    plain("csvexport", "csvexport", trace, needs="<zone?[31m")
    plain("csvexport -m", "csvexport", "-m", trace, needs="<message?[31m")
    plain("update -r", "update", "-r", "-v", trace, trace + ".2")
    out = run("csvexport", trace).stdout
    check("csvexport to a program", b"<zone\x1b[31m\x1b]0;owned\x07\xc2\x9b2J\x9b1m\xe2\x80\xae" in out, out)
    text = run("info", "--json", trace).stdout
    check("info --json", not steers(text), steers(text))
    check("info --json has the names", "<zone\x1b[31m\x1b]0;owned\x07\x9b2J\ufffd1m\u202e\u2066\ufffd" in json.loads(text.decode())["names"][0]["name"],
          text)
    saved = os.path.join(folder, "saved.stream")
    subprocess.run([PROGRAM], env=dict(os.environ, TENDRIL_SAVE=saved), check=True, timeout=200)
    plain("import", "import", "-f", "-o", trace, saved, needs="<program?[31m?]0;owned??2J")


def check_files(folder):
    """Names of files, which other users may have chosen: `tendril info *` prints them."""
    name = os.fsdecode(os.path.join(os.fsencode(folder), b"x" + STEERS + b".tracy"))
    shown = "x" + REPLACED + ".tracy"
    for content in b"", b"no trace", b"\x1b[31m" * 100, b"tlZ\x04" + bytes(100):
        with open(name, "wb") as file:
            file.write(content)
        for command in "info", "csvexport", "import", "size":
            out = ["-o", name + ".o"] if command == "import" else []
            got, seen = on_terminal(command, *out, name)
            check(command + " of a bad file", got not in (0, None) and shown.encode() in seen and not steers(seen), got, seen)
            check(command + " of a bad file: one line", seen.count(b"\n") == 1, seen)
    os.unlink(name)
    os.symlink(FEATURES, name)
    plain("info", "info", name, needs=shown)
    plain("update", "update", name, name + ".2", needs=shown)
    for words in ("nothing" + os.fsdecode(STEERS),), ("info", "--" + os.fsdecode(STEERS)):
        done = run(*words)
        check("a wrong command line", done.returncode == 2 and not steers(done.stderr), done.stderr)


def check_boards(folder):
    boards = os.path.join(folder, "boards")
    os.makedirs(boards)
    for name, text in ((b"a" + STEERS, b"nonsense" + STEERS), (b"b", b"[board]\nname=b" + STEERS + b"\ntransports=shm" + STEERS)):
        with open(os.path.join(os.fsencode(boards), name + b".board"), "wb") as file:
            file.write(text)
    plain("boards", "boards", env=dict(os.environ, TENDRIL_BOARDS=boards), needs="b" + REPLACED)


def main():
    with tempfile.TemporaryDirectory() as folder:
        check_session(folder)
        check_files(folder)
        check_boards(folder)
    sys.exit(exit_status())


main()
