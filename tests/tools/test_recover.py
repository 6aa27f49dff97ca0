#!/usr/bin/env python3
"""Journals as a user meets them: a normal end leaves none, a killed recording is offered, `tendril recover` makes the
trace that the recording would have written; in use, damaged, of another release, without room."""
import json
import os
import pty
import select
import shutil
import signal
import socket
import stat
import struct
import subprocess
import sys
import tempfile
import threading
import time

from common import BINARY, SOURCE, TENDRIL, check, exit_status, free_port, unchanged

MARKED = os.path.join(BINARY, "tests", "client_marked")
HELLO = os.path.join(BINARY, "examples", "hello", "hello")
LOAD = os.path.join(BINARY, "tests", "stress_load")
PATIENCE = 100


def run(*words, **options):
    done = subprocess.run([TENDRIL, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          universal_newlines=True, check=False, timeout=PATIENCE, **options)
    return done.returncode, done.stdout, done.stderr.strip().splitlines()


def start(*words, **options):
    return subprocess.Popen([TENDRIL, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            universal_newlines=True, **options)


def end_of(process):
    try:
        out, err = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        return "hangs", out, err.splitlines()
    return process.returncode, out, err.strip().splitlines()


def wait_for(condition, what):
    until = time.monotonic() + PATIENCE
    while not condition() and time.monotonic() < until:
        time.sleep(.002)
    check(what, condition())


def link_when_there(journal, copy):
    """A second name, so that the journal stays when the recording removes it."""
    def link():
        try:
            os.link(journal, copy)
        except OSError:
            return False
        return True
    until = time.monotonic() + PATIENCE
    while not link() and time.monotonic() < until:
        time.sleep(.001)


def content(path):
    with open(path, "rb") as f:
        return f.read()


class Folder:
    def __enter__(self):
        self.path = tempfile.mkdtemp(prefix="recover-")
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.path, ignore_errors=True)

    def __call__(self, name):
        return os.path.join(self.path, name)


def program_env(port, **more):
    return {**os.environ, "TRACY_PORT": str(port), "TENDRIL_WAIT_CONNECT_MS": "60000", **more}


def start_program(port, program=(MARKED, "all")):
    return subprocess.Popen(program, env=program_env(port), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def make_left_over(folder, name="x.tracy", seconds=.5):
    """The journal of a capture that was killed while a program marked."""
    port, trace = free_port(), folder(name)
    running = start("capture", "-f", "-o", trace, "-p", str(port))
    program = start_program(port, (LOAD, "2", "1000000000", "2000"))
    wait_for(lambda: os.path.exists(trace + ".journal") and os.path.getsize(trace + ".journal") > 20000, "a journal grows")
    time.sleep(seconds)
    running.kill()
    running.communicate()
    program.kill()
    program.wait()
    return trace + ".journal"


# ---- a whole journal

def gives_the_bytes_of_a_capture():
    with Folder() as f:
        port = free_port()
        running = start("capture", "-o", f("a.tracy"), "-p", str(port))
        link_when_there(f("a.tracy.journal"), f("copy.journal"))
        check("its mode", stat.S_IMODE(os.stat(f("copy.journal")).st_mode) == 0o600)
        program = start_program(port)
        code, _, lines = end_of(running)
        program.wait()
        check("capture", code == 0 and not lines, code, lines)
        check("a normal end leaves no journal", sorted(os.listdir(f.path)) == ["a.tracy", "copy.journal"], os.listdir(f.path))
        code, out, lines = run("recover", f("copy.journal"), "-o", f("b.tracy"))
        check("recover", code == 0 and len(lines) == 1 and "is complete" in lines[0] and "80" in out, code, out, lines)
        check("the same bytes", content(f("a.tracy")) == content(f("b.tracy")))
        check("the journal is removed", not os.path.exists(f("copy.journal")))


def gives_the_bytes_of_a_recording():
    if not os.access(HELLO, os.X_OK):
        print("skipped: the example for a board is not built")
        return
    for more in [], ["--clock", "insn"], ["--policy", "drop", "--tracks", "contexts", "--format", "0.11.1"]:
        with Folder() as f:
            running = start("record", "-o", f("a.tracy"), *more, "--", HELLO)
            link_when_there(f("a.tracy.journal"), f("copy.journal"))
            code, _, _ = end_of(running)
            check(f"record {more}", code == 0, code)
            code, out, lines = run("recover", "--keep", f("copy.journal"), "-o", f("b.tracy"))
            check(f"recover {more}", code == 0 and "is complete" in lines[-1] and "zones" in out, code, lines)
            check(f"the same bytes {more}", content(f("a.tracy")) == content(f("b.tracy")))
            check("--keep", os.path.exists(f("copy.journal")))


def is_not_written_on_request_nor_for_pipes():
    for words, name in (["--no-journal", "-o"], "x.tracy"), (["-f", "-o"], None):
        with Folder() as f:
            port = free_port()
            running = start("capture", *words, f(name) if name else "/dev/null", "-p", str(port), cwd=f.path)
            program = start_program(port)
            until = time.monotonic() + PATIENCE
            names = set()
            while running.poll() is None and time.monotonic() < until:
                names.update(os.listdir(f.path))
                time.sleep(.005)
            end_of(running)
            program.wait()
            check(f"{words}: no journal", not any(n.endswith(".journal") for n in names), names)


# ---- left over

def is_offered_and_not_overwritten():
    with Folder() as f:
        journal = make_left_over(f)
        before = content(journal)
        port = free_port()
        running = start("capture", "-f", "-o", f("x.tracy"), "-p", str(port))
        wait_for(lambda: os.path.exists(f("x.tracy.2.journal")), "a second journal")
        program = start_program(port)
        code, _, lines = end_of(running)
        program.wait()
        check("offer", code == 0 and len(lines) == 1 and f"tendril recover '{journal}'" in lines[0], code, lines)
        check("not overwritten", content(journal) == before and not os.path.exists(f("x.tracy.2.journal")))
        code, _, lines = run("recover", f("x.tracy"))
        check("the trace is not overwritten", code == 2 and "-f" in lines[0], code, lines)
        code, out, lines = run("recover", f("x.tracy"), "-o", f("old.tracy"))
        check("recovered", code == 0 and len(lines) == 1 and " ends after " in lines[0] and "stress_load" in out, code, out, lines)
        check("nothing else is left", sorted(n for n in os.listdir(f.path) if not n.endswith(".part")) ==
              ["old.tracy", "x.tracy"], os.listdir(f.path))


def is_recovered_on_a_terminal():
    with Folder() as f:
        make_left_over(f)
        port = free_port()
        pid, master = pty.fork()
        if pid == 0:
            os.execv(TENDRIL, [TENDRIL, "capture", "-f", "-o", f("x.tracy"), "-p", str(port)])
        seen, answered, until = b"", False, time.monotonic() + PATIENCE
        while time.monotonic() < until and not os.path.exists(f("x.tracy.recovered.tracy")):
            if select.select([master], [], [], .1)[0]:
                seen += os.read(master, 65536)
            if b"? " in seen and not answered:
                time.sleep(.2)
                os.write(master, b"y\n")
                answered = True
        check("the question", answered and b"Make its trace now" in seen, seen)
        check("the answer", os.path.exists(f("x.tracy.recovered.tracy")), seen)
        wait_for(lambda: os.path.exists(f("x.tracy.journal")), "the new recording's journal")
        os.kill(pid, signal.SIGINT)
        while time.monotonic() < until:
            try:
                if not os.read(master, 65536):
                    break
            except OSError:
                break
        os.waitpid(pid, 0)
        os.close(master)


def several_are_named():
    with Folder() as f:
        first = make_left_over(f, seconds=0)
        shutil.copy(first, f("x.tracy.2.journal"))
        code, _, lines = run("recover", f("x.tracy"))
        check("two journals", code == 2 and len(lines) == 1 and "2 journals" in lines[0], code, lines)
        code, _, lines = run("recover", "-q", f("x.tracy.2.journal"))
        check("the second is for the same trace", code == 0 and os.path.exists(f("x.tracy")), code, lines)


def one_in_use_is_refused():
    with Folder() as f:
        port = free_port()
        first = start("capture", "-f", "-o", f("x.tracy"), "-p", str(port))
        program = start_program(port, (LOAD, "1", "1000000000", "5000"))
        wait_for(lambda: os.path.exists(f("x.tracy.journal")) and os.path.getsize(f("x.tracy.journal")) > 1000, "it grows")
        code, _, lines = run("recover", f("x.tracy"), "-o", f("y.tracy"))
        check("in use", code == 2 and len(lines) == 1 and f"process {first.pid}" in lines[0], code, lines)
        second = start("capture", "-f", "-o", f("x.tracy"), "-p", str(free_port()))
        wait_for(lambda: os.path.exists(f("x.tracy.2.journal")), "the second recorder has a journal of its own")
        second.send_signal(signal.SIGINT)
        code, _, lines = end_of(second)
        check("the second recorder", len(lines) == 1 and "left from" not in lines[0], code, lines)
        first.send_signal(signal.SIGINT)
        code, _, lines = end_of(first)
        program.kill()
        program.wait()
        check("the first recorder", code == 0 and not lines, code, lines)


# ---- damage

def damage_and_torn_ends():
    with Folder() as f:
        whole = content(make_left_over(f))
        at = len(whole) // 2

        def recover_bytes(data, *more):
            with open(f("d.journal"), "wb") as file:
                file.write(data)
            if os.path.exists(f("d")):
                os.remove(f("d"))
            return run("recover", "-q", "--keep", f("d.journal"), *more)
        code, _, lines = recover_bytes(whole[:-7])
        check("torn", code == 0 and len(lines) == 1 and "incomplete bytes" in lines[0] and " 0 incomplete" not in lines[0], code,
              lines)
        changed = whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1:]
        code, _, lines = recover_bytes(changed)
        check("damaged", code == 1 and len(lines) == 1 and "is damaged after" in lines[0] and os.path.exists(f("d")), code, lines)
        code, _, lines = recover_bytes(changed, "--salvage")
        check("--salvage", code == 0 and len(lines) == 1 and "is damaged after" in lines[0], code, lines)
        code, _, lines = recover_bytes(whole[:8] + b"\x07" + whole[9:])
        check("another version", code == 1 and len(lines) == 1 and "version 7" in lines[0], code, lines)
        for what, data in ("empty", b""), ("short", whole[:20]), ("other bytes", b"x" * 5000):
            code, _, lines = recover_bytes(data)
            check(what, code == 1 and len(lines) == 1 and not os.path.exists(f("d")), code, lines)
        code, _, lines = run("recover", f("nosuch"))
        check("no such file", code == 1 and len(lines) == 1 and "nosuch" in lines[0], code, lines)


def nothing_to_recover_is_said():
    with Folder() as f:
        running = start("capture", "-o", f("x.tracy"), "-p", str(free_port()))
        wait_for(lambda: os.path.exists(f("x.tracy.journal")) and os.path.getsize(f("x.tracy.journal")) > 100, "a journal")
        running.kill()
        running.communicate()
        code, _, lines = run("recover", f("x.tracy"))
        check("nothing", code == 1 and len(lines) == 1 and "nothing to recover" in lines[0], code, lines)
        check("it is removed", not os.path.exists(f("x.tracy.journal")) and not os.path.exists(f("x.tracy")))


# ---- what was received has its names

class FirstQueryOnly(threading.Thread):
    """Passes a session on: all that the program sends, but to it only the greeting and one query."""

    def __init__(self, port):
        super().__init__(daemon=True)
        self.to, self.bytes = port, 0
        self.server = socket.create_server(("127.0.0.1", 0))
        self.port = self.server.getsockname()[1]
        self.start()

    def run(self):
        recorder, _ = self.server.accept()
        for _ in range(1000):
            try:
                program = socket.create_connection(("127.0.0.1", self.to))
                break
            except OSError:
                time.sleep(.02)
        try:
            self.pass_on(recorder, program)
        except ConnectionError:
            pass

    def pass_on(self, recorder, program):
        left = 12 + 13
        while True:
            ready, _, _ = select.select([recorder, program], [], [])
            if recorder in ready:
                sent = recorder.recv(4096)
                if not sent:
                    return
                program.sendall(sent[:left])
                left -= min(left, len(sent))
            if program in ready:
                got = program.recv(65536)
                if not got:
                    return
                recorder.sendall(got)
                self.bytes += len(got)


def names_come_before_events():
    """A program that marks faster than it sends, and a recorder that is killed before its questions get through."""
    with Folder() as f:
        port, trace = free_port(), f("x.tracy")
        program = start_program(port, (LOAD, "2", "1000000000", "2000"))
        way = FirstQueryOnly(port)
        running = start("capture", "-f", "-o", trace, "-p", str(way.port))
        wait_for(lambda: way.bytes > 300000, "events")
        wait_for(lambda: os.path.getsize(trace + ".journal") > 200000, "the journal")
        running.kill()
        running.communicate()
        program.kill()
        program.wait()
        code, _, lines = run("recover", "-q", trace)
        check("names: recovered", code == 0, code, lines)
        names = unchanged(json.loads(run("info", "--json", trace)[1]))["names"]
        check("names: all", names and not any("???" in n["name"] for n in names), names)


# ---- no room

def a_recording_continues_without_its_journal():
    """The journal's name is too long for the file system; the trace's is not."""
    with Folder() as f:
        port, trace = free_port(), f("x" * 250)
        running = start("capture", "-f", "-o", trace, "-p", str(port))
        time.sleep(.2)
        program = start_program(port)
        code, _, lines = end_of(running)
        program.wait()
        check("no journal", code == 0 and len(lines) == 1 and "no journal" in lines[0] and os.path.exists(trace), code, lines)


def a_journal_stays_until_its_trace_is_safe():
    """No folder can take the trace: what the journal has can still be recovered."""
    with Folder() as f:
        port, trace = free_port(), f("x.tracy")
        running = subprocess.Popen(["sh", "-c", 'ulimit -f 1000; exec "$@"', "sh", TENDRIL, "capture", "-o", trace, "-p", str(port)],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
        program = start_program(port, (LOAD, "2", "1000000000", "500"))
        journal = trace + ".journal"
        wait_for(lambda: os.path.exists(journal) and os.path.getsize(journal) >= 1000 * 512 - 4096, "the limit")
        time.sleep(4)  # the trace outgrows the limit, too
        program.kill()
        program.wait()
        code, _, lines = end_of(running)
        check("safe: named last", code == 5 and journal in lines[-1], code, lines)
        check("safe: the journal", os.listdir(f.path) == ["x.tracy.journal"], os.listdir(f.path))
        code, _, lines = run("recover", "-q", trace)
        check("safe: recovered", code == 0 and unchanged(json.loads(run("info", "--json", trace)[1]))["zones"] > 1000, code, lines)


class DiesInItsFirstFrame(threading.Thread):
    """A client that greets, and goes away within its first frame."""

    def __init__(self):
        super().__init__(daemon=True)
        with open(os.path.join(SOURCE, "tests", "data", "session", "0.11.1", "crash.stream"), "rb") as file:
            stream = file.read()
        self.sent, at = [], 0
        while len(self.sent) < 3:  # status, welcome, a frame
            direction, count = struct.unpack_from("<BI", stream, at)
            if not direction:
                self.sent.append(stream[at + 5:at + 5 + count])
            at += 5 + count
        self.server = socket.create_server(("127.0.0.1", 0))
        self.port = self.server.getsockname()[1]
        self.start()

    def run(self):
        while True:
            recorder, _ = self.server.accept()
            hello = recorder.recv(12)
            if struct.unpack_from("<I", hello, 8)[0] != 66:
                recorder.sendall(b"\x02")
            else:
                recorder.sendall(self.sent[0] + self.sent[1] + self.sent[2][:20])
            recorder.close()


def an_empty_session_leaves_no_journal():
    """The trace of a session that was seen for a moment is empty."""
    with Folder() as f:
        code, _, lines = run("capture", "-o", f("x.tracy"), "-p", str(DiesInItsFirstFrame().port))
        check("empty: said", len(lines) == 1 and "still has" not in lines[0], code, lines)
        check("empty: no journal", not os.path.exists(f("x.tracy.journal")), os.listdir(f.path))


def a_limit_before_the_program_is_named():
    with Folder() as f:
        done = subprocess.run(["sh", "-c", 'ulimit -v 60000; exec "$@"', "sh", TENDRIL, "capture", "-o", f("x.tracy"), "-p",
                               str(free_port())], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              universal_newlines=True, timeout=PATIENCE, check=False)
        lines = done.stderr.strip().splitlines()
        check("limit: named", done.returncode not in (0, 130) and len(lines) == 1 and "memory" in lines[0], done.returncode, lines)


def a_full_disk_ends_the_journal_only():
    with Folder() as f:
        mounted = os.geteuid() == 0 and subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", f.path], check=False,
                                                       stderr=subprocess.DEVNULL).returncode == 0
        if not mounted:
            print("skipped: no small file system can be mounted here")
            return
        try:
            port = free_port()
            running = start("capture", "-o", f("x.tracy"), "-p", str(port), env={**os.environ, "TMPDIR": "/tmp"})
            program = start_program(port, (LOAD, "2", "1000000000", "500"))
            wait_for(lambda: os.statvfs(f.path).f_bavail == 0, "the disk is full")
            time.sleep(.5)
            program.kill()
            program.wait()
            code, _, lines = end_of(running)
            told = [line for line in lines if "the recording continues without it" in line]
            check("full: one line", len(told) == 1 and "No space left" in told[0], code, lines)
            # The journal has made room for the trace.
            check("full: saved", code == 0 and os.listdir(f.path) == ["x.tracy"], code, lines, os.listdir(f.path))
        finally:
            subprocess.run(["umount", f.path], check=True)


def main():
    gives_the_bytes_of_a_capture()
    gives_the_bytes_of_a_recording()
    is_not_written_on_request_nor_for_pipes()
    is_offered_and_not_overwritten()
    is_recovered_on_a_terminal()
    several_are_named()
    one_in_use_is_refused()
    damage_and_torn_ends()
    nothing_to_recover_is_said()
    names_come_before_events()
    a_recording_continues_without_its_journal()
    a_journal_stays_until_its_trace_is_safe()
    an_empty_session_leaves_no_journal()
    if not os.environ.get("TD_SANITIZED"):  # needs more address space
        a_limit_before_the_program_is_named()
    a_full_disk_ends_the_journal_only()
    return exit_status()


sys.exit(main())
