#!/usr/bin/env python3
"""Files that commands write: an unwritable file is reported before the work; a session whose file cannot be written in
the end is saved in another; two captures never write one file; no other file is left."""
import json
import os
import pty
import select
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time

from common import BINARY, TENDRIL, TRACE, check, exit_status, free_port, unchanged

MARKED = os.path.join(BINARY, "tests", "client_marked")
HELLO = os.path.join(BINARY, "examples", "hello", "hello")
PATIENCE = 100  # seconds; a command that takes longer hangs


def end_of(process, seconds=PATIENCE):
    """Exit status, lines of standard output and of standard error."""
    try:
        out, err = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        return "hangs", out, err
    return process.returncode, out, err.strip().splitlines()


def start(*words, env=None, **options):
    options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    return subprocess.Popen([TENDRIL, *words], env={**os.environ, **(env or {})}, universal_newlines=True, **options)


def run(*words, **options):
    return end_of(start(*words, **options))


def heeds(pid, number):
    """Has the process a handler for the signal?"""
    try:
        with open(f"/proc/{pid}/status", encoding="utf-8") as f:
            caught = next(line for line in f if line.startswith("SigCgt:"))
    except (OSError, StopIteration):
        return False
    return int(caught.split()[1], 16) >> (number - 1) & 1


def has_opened(pid, path):
    """A file in the path's folder, with a name or without, or the path itself."""
    folder = os.path.dirname(os.path.realpath(path)) + "/"
    try:
        links = [os.readlink(f"/proc/{pid}/fd/{fd}") for fd in os.listdir(f"/proc/{pid}/fd")]
    except OSError:
        return False
    return path == "-" or any(link == path or link.startswith(folder) and "/dev/" not in folder for link in links)


def wait_until_ready(pid, path):
    until = time.monotonic() + PATIENCE
    while not (heeds(pid, signal.SIGINT) and has_opened(pid, path)) and time.monotonic() < until:
        time.sleep(.01)


def capture(trace, port, *more, ready=True, **options):
    """Starts a capture and waits until it is ready for its program."""
    running = start("capture", "-o", trace, "-p", str(port), *more, **options)
    if ready:
        wait_until_ready(running.pid, trace)
    return running


def program(port):
    """A short session: 80 zones."""
    env = {**os.environ, "TRACY_PORT": str(port), "TENDRIL_WAIT_CONNECT_MS": "60000"}
    return subprocess.run([MARKED, "all"], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False,
                          timeout=PATIENCE)


def zones(trace):
    done = subprocess.run([TENDRIL, "info", "--json", trace], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return unchanged(json.loads(done.stdout))["zones"] if done.returncode == 0 else None


def whole(what, trace):
    check(what + ": all is there", zones(trace) == 80, (trace, zones(trace)))


def only_file(folder):
    names = os.listdir(folder)
    return os.path.join(folder, names[0]) if len(names) == 1 else None


class Folders:
    """A folder for outputs, and one for temporary files."""

    def __init__(self, name):
        self.name = name

    def __enter__(self):
        self.all = tempfile.mkdtemp(prefix="outputs-")
        self.out, self.tmp = os.path.join(self.all, "out"), os.path.join(self.all, "tmp")
        os.mkdir(self.out)
        os.mkdir(self.tmp)
        self.env = {"TMPDIR": self.tmp}
        self.trace = os.path.join(self.out, "x.tracy")
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.all, ignore_errors=True)


def is_elsewhere(what, folders, result, expected_code, why):
    """One line names the file that holds the session, which its owner alone may read."""
    code, _, lines = result
    saved = only_file(folders.tmp)
    check(what + ": exit status", code == expected_code, result)
    check(what + ": one line", len(lines) == 1 and why in lines[0], lines)
    check(what + ": one file", saved, os.listdir(folders.tmp))
    if saved:
        check(what + ": the line names it", saved in lines[0], lines)
        check(what + ": its mode", stat.S_IMODE(os.stat(saved).st_mode) == 0o600, oct(os.stat(saved).st_mode))
    return saved


# ---- at the start

def fails_at_once():
    """Reported before the command waits for a program, runs one, or reads its input."""
    with Folders("start") as f:
        nowhere = os.path.join(f.out, "nosuch", "x")
        ran = os.path.join(f.out, "ran")
        read, write = os.pipe()  # input that never comes
        for words, code in ((["capture", "-o", nowhere, "-p", str(free_port())], 5), (["record", "-o", nowhere, "--", "touch", ran], 1),
                            (["update", "-", nowhere], 1), (["import", "-o", nowhere, "-"], 1),
                            (["csvexport", "-o", nowhere, "-"], 1)):
            result = end_of(start(*words, stdin=read), 30)
            check(f"{words[0]}: no such folder", result[0] == code and len(result[2]) == 1 and nowhere in result[2][0], result)
        result = end_of(start("capture", "-o", f.trace, "--format", "0.8", "-p", str(free_port())), 30)
        check("no such format", result[0] not in (0, "hangs") and "--format" in result[2][0], result)
        os.close(read)
        os.close(write)
        check("nothing ran and nothing is there", os.listdir(f.out) == [], os.listdir(f.out))


def mount(folder, options):
    """False: not allowed here."""
    command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder]
    return os.geteuid() == 0 and subprocess.run(command, check=False, stderr=subprocess.DEVNULL).returncode == 0


def fails_at_once_in_a_read_only_folder():
    with Folders("read-only") as f:
        mounted = mount(f.out, "ro")
        if not mounted and os.geteuid() == 0:
            print("skipped: no read-only file system can be mounted here, and permissions do not stop root")
            return
        os.chmod(f.out, 0o555) if not mounted else None
        ran = os.path.join(f.tmp, "ran")
        try:
            for words, code in ((["capture", "-o", f.trace, "-p", str(free_port())], 5),
                                (["capture", "-f", "-o", f.trace, "-p", str(free_port())], 5),
                                (["record", "-o", f.trace, "--", "touch", ran], 1),
                                (["record", "--agent", "127.0.0.1:1", "-o", f.trace], 1)):
                result = end_of(start(*words, env=f.env), 30)
                check(f"read-only: {words[0]}", result[0] == code and len(result[2]) == 1 and f.trace in result[2][0], result)
        finally:
            subprocess.run(["umount", f.out], check=True) if mounted else os.chmod(f.out, 0o755)
        check("read-only: nothing ran and nothing is there", os.listdir(f.tmp) + os.listdir(f.out) == [], os.listdir(f.tmp))


def leaves_nothing_when_stopped():
    for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
        with Folders("stopped") as f:
            running = capture(f.trace, free_port())
            running.send_signal(number)
            result = end_of(running)
            check(f"{number.name} before a program", result[0] in (3, 130) and len(result[2]) == 1, result)
            check(f"{number.name}: nothing is left", os.listdir(f.out) == [], os.listdir(f.out))


def ignores_hangups_under_nohup():
    with Folders("nohup") as f:
        port = free_port()
        running = capture(f.trace, port, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        running.send_signal(signal.SIGHUP)
        program(port)
        result = end_of(running)
        check("nohup: goes on", result[0] == 0 and not result[2], result)
        whole("nohup", f.trace)


def keeps_to_the_mask():
    with Folders("mask") as f:
        for name, more in ("new", []), ("forced", ["-f"]):
            port, trace = free_port(), os.path.join(f.out, name)
            before = os.umask(0o027)
            running = capture(trace, port, *more)
            os.umask(before)
            program(port)
            code, _, lines = end_of(running)
            check(name + ": saved", code == 0 and not lines, (code, lines))
            check(name + ": mode", os.path.exists(trace) and stat.S_IMODE(os.stat(trace).st_mode) == 0o640)
        check("nothing else", sorted(os.listdir(f.out)) == ["forced", "new"], os.listdir(f.out))


# ---- at the end

def survives_a_folder_that_vanishes():
    for more in [], ["-f"]:
        with Folders("vanished") as f:
            port = free_port()
            running = capture(f.trace, port, *more, env=f.env)
            until = time.monotonic() + PATIENCE
            while not os.path.exists(f.trace + ".journal") and time.monotonic() < until:
                time.sleep(.01)
            shutil.rmtree(f.out)
            program(port)
            saved = is_elsewhere("vanished", f, end_of(running), 5, f.trace)
            whole("vanished", saved) if saved else None


def survives_a_full_disk():
    """A device that is always full; where that is allowed, a small file system, too."""
    with Folders("full") as f:
        port = free_port()
        running = capture("/dev/full", port, "-f", env=f.env)
        program(port)
        saved = is_elsewhere("full", f, end_of(running), 5, "space")
        whole("full", saved) if saved else None
    with Folders("small") as f:
        if not mount(f.out, "size=16k"):
            print("skipped: no small file system can be mounted here")
            return
        try:
            port = free_port()
            running = capture(f.trace, port, "--no-journal", env=f.env)
            with open(os.path.join(f.out, "filler"), "wb", buffering=0) as file:
                try:
                    while file.write(bytes(4096)):
                        pass
                except OSError:
                    pass
            program(port)
            saved = is_elsewhere("small", f, end_of(running), 5, "space")
            whole("small", saved) if saved else None
            check("small: nothing is left", os.listdir(f.out) == ["filler"], os.listdir(f.out))
        finally:
            subprocess.run(["umount", f.out], check=True)


def a_limit_on_files_is_an_error():
    """The limit holds in all folders: the session is lost, and that is reported. An import still has its input."""
    with Folders("limit") as f:
        port = free_port()
        limited = ["sh", "-c", 'ulimit -f 1; exec "$@"', "sh", TENDRIL]
        running = subprocess.Popen([*limited, "capture", "--no-journal", "-o", f.trace, "-p", str(port)], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, universal_newlines=True, env={**os.environ, **f.env})
        program(port)
        result = end_of(running)
        check("limit: capture", result[0] == 5 and len(result[2]) == 1 and "lost" in result[2][0], result)
        done = subprocess.run([*limited, "update", TRACE, f.trace], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                              universal_newlines=True, env={**os.environ, **f.env})
        check("limit: update", done.returncode == 1 and done.stderr.count("\n") == 1, done)
        check("limit: nothing is left", os.listdir(f.out) + os.listdir(f.tmp) == [], os.listdir(f.out))


def does_not_touch_what_appears_meanwhile():
    with Folders("meanwhile") as f:
        port = free_port()
        running = capture(f.trace, port, env=f.env)
        with open(f.trace, "w", encoding="ascii") as file:
            file.write("precious")
        program(port)
        saved = is_elsewhere("meanwhile", f, end_of(running), 5, "already")
        whole("meanwhile", saved) if saved else None
        with open(f.trace, "rb") as file:
            check("meanwhile: it stays", file.read() == b"precious")
        check("meanwhile: nothing else", os.listdir(f.out) == ["x.tracy"], os.listdir(f.out))


def records_elsewhere_too():
    if not os.access(HELLO, os.X_OK):
        print("skipped: the example for a board is not built")
        return
    with Folders("record") as f:
        code, out, lines = run("record", "-o", f.trace, "--", "sh", "-c", f"rm -r '{f.out}'; exec '{HELLO}'", env=f.env)
        saved = is_elsewhere("record", f, (code, out, lines), 1, f.trace)
        check("record: the summary names it", saved and saved in out, out)
        check("record: zones", saved and zones(saved), saved)


def records_on_a_full_disk():
    """The program fills the disk. The journal ends, and makes room for the trace. Without one, the trace goes elsewhere."""
    if not os.access(HELLO, os.X_OK):
        print("skipped: the example for a board is not built")
        return
    for more in [], ["--no-journal"]:
        with Folders("record-full") as f:
            if not mount(f.out, "size=64k"):
                print("skipped: no small file system can be mounted here")
                return
            try:
                script = f"cat /dev/zero > '{f.out}/filler' 2>/dev/null; '{HELLO}' && '{HELLO}' && sleep 1"
                result = run("record", *more, "-o", f.trace, "--", "sh", "-c", script, env=f.env)
                if more:
                    saved = is_elsewhere("record, full", f, result, 1, "space")
                else:
                    saved = f.trace
                    check("record, full: the journal's line", result[0] == 0 and len(result[2]) == 1 and
                          "the recording continues without it" in result[2][0], result)
                check("record, full: zones", saved and (zones(saved) or 0) >= 22, result)
                check("record, full: nothing else is left",
                      sorted(os.listdir(f.out)) == (["filler"] if more else ["filler", "x.tracy"]), os.listdir(f.out))
            finally:
                subprocess.run(["umount", f.out], check=True)


def imports_from_a_pipe_elsewhere_too():
    with Folders("import") as f:
        child = start("import", "-o", f.trace, "-", stdin=subprocess.PIPE, env=f.env)
        events = [{"ph": "X", "name": "z", "pid": 1, "tid": 1, "ts": i, "dur": 1} for i in range(80)]
        text = json.dumps(events)
        child.stdin.write(text[:100])
        child.stdin.flush()
        wait_until_ready(child.pid, f.trace)
        shutil.rmtree(f.out)
        child.stdin.write(text[100:])
        saved = is_elsewhere("import", f, end_of(child), 1, f.trace)
        whole("import", saved) if saved else None


# ---- on a terminal

def on_a_terminal(words, env, port, answers, before_program):
    """Exit status and the terminal's output. Each question gets the next answer."""
    pid, master = pty.fork()
    if pid == 0:
        os.execve(TENDRIL, [TENDRIL, *words], {**os.environ, **env})
    wait_until_ready(pid, words[words.index("-o") + 1])
    before_program()
    program(port)
    seen, asked, status, until = b"", 0, None, time.monotonic() + PATIENCE
    while time.monotonic() < until:
        try:
            if select.select([master], [], [], .1)[0]:
                seen += os.read(master, 65536)
        except OSError:
            break
        if seen.count(b"? ") > asked and asked < len(answers):
            answer = answers[asked]
            time.sleep(.2)
            os.write(master, answer)
            asked += 1
    else:
        os.kill(pid, signal.SIGKILL)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    os.close(master)
    check("terminal: every answer was asked for", asked == len(answers), (asked, seen))
    return status, seen.decode("utf-8", "replace")


def asks_on_a_terminal():
    with Folders("asks") as f:
        port, there = free_port(), os.path.join(f.tmp, "other")
        os.mkdir(there)
        words = ["capture", "-o", f.trace, "-p", str(port)]
        taken, good = os.path.join(there, "taken"), os.path.join(there, "good.tracy")
        with open(taken, "w", encoding="ascii") as file:
            file.write("precious")
        answers = [b"/nosuch/folder/x\n", taken.encode() + b"\n", good.encode() + b"\n"]
        status, seen = on_a_terminal(words, f.env, port, answers, lambda: shutil.rmtree(f.out))
        check("asks: saved where the user says", status == 0 and os.listdir(f.tmp) == ["other"], (status, seen))
        whole("asks", good)
        with open(taken, "rb") as file:
            check("asks: replaces nothing", file.read() == b"precious")
        check("asks: the summary names it", "trace        " + good in seen, seen)
    for answer, name in (b"\n", "Enter"), (b"\x04", "no more input"), (b"\x03", "Ctrl-C"):
        with Folders("enter") as f:
            port = free_port()
            words = ["capture", "-o", f.trace, "-p", str(port)]
            status, seen = on_a_terminal(words, f.env, port, [answer], lambda: shutil.rmtree(f.out))
            saved = only_file(f.tmp)
            check(name + ": elsewhere", status == 5 and saved and saved in seen, (status, seen))
            whole(name, saved) if saved else None


# ---- two captures

def keeps_off_what_another_writes():
    with Folders("two") as f:
        port = free_port()
        first = capture(f.trace, port)
        result = end_of(start("capture", "-o", f.trace, "-p", str(free_port())), 30)
        check("two: the second keeps off", result[0] == 4 and len(result[2]) == 1 and "-f" in result[2][0], result)
        link = os.path.join(f.all, "link")
        os.symlink(f.trace, link)
        result = end_of(start("capture", "-o", link, "-p", str(free_port())), 30)
        check("two: by another name", result[0] == 4, result)
        other = capture(os.path.join(f.out, "y.tracy"), free_port())
        check("two: another file", other.poll() is None)
        other.terminate()
        end_of(other)
        program(port)
        code, _, lines = end_of(first)
        check("two: the first one saves", code == 0 and not lines, (code, lines))
        whole("two", f.trace)
        check("two: nothing else", os.listdir(f.out) == ["x.tracy"], os.listdir(f.out))


def is_not_kept_off_by_the_dead():
    with Folders("dead") as f:
        killed = capture(f.trace, free_port())
        killed.kill()
        killed.communicate()
        with open(f.trace + ".abcdefgh.part", "w", encoding="ascii") as file:
            file.write("half a trace of one that was killed while it wrote")
        port = free_port()
        running = capture(f.trace, port)
        program(port)
        code, _, lines = end_of(running)
        check("dead: goes on", code == 0 and not lines, (code, lines))
        whole("dead", f.trace)
        check("dead: an empty file of the dead one went, what holds bytes stays",
              sorted(os.listdir(f.out)) == ["x.tracy", "x.tracy.abcdefgh.part"], os.listdir(f.out))


def is_not_kept_off_by_strangers():
    """Files and locks of other users do not stop a capture. It does not write or remove those files."""
    if os.geteuid() != 0:
        print("skipped: only root can be two users")
        return
    with Folders("strangers") as f:
        os.chmod(f.all, 0o755)
        os.chmod(f.out, 0o1777)
        victim = os.path.join(f.all, "victim")
        with open(victim, "w", encoding="ascii") as file:
            file.write("precious")
        planted = f.trace + ".aaaaaaaa.part"
        holder = subprocess.Popen([sys.executable, "-c", f"""
import fcntl, os, sys
os.setgid(65534); os.setuid(65534)
held = open({planted!r}, "w"); fcntl.flock(held, fcntl.LOCK_EX)
folder = os.open({f.out!r}, os.O_RDONLY); fcntl.flock(folder, fcntl.LOCK_EX)
os.symlink({victim!r}, {f.trace + ".bbbbbbbb.part"!r})
os.mkfifo({f.trace + ".cccccccc.part"!r})
print("ready", flush=True)
sys.stdin.read()
"""], stdin=subprocess.PIPE, stdout=subprocess.PIPE, universal_newlines=True)
        holder.stdout.readline()
        port = free_port()
        running = capture(f.trace, port)
        program(port)
        code, _, lines = end_of(running)
        holder.communicate("")
        check("strangers: goes on", code == 0 and not lines, (code, lines))
        whole("strangers", f.trace)
        with open(victim, "rb") as file:
            check("strangers: a link is not followed", file.read() == b"precious")
        check("strangers: theirs stay", len(os.listdir(f.out)) == 4, os.listdir(f.out))


def does_not_follow_links_of_strangers():
    if os.geteuid() != 0:
        print("skipped: only root can be two users")
        return
    with Folders("links") as f:
        os.chmod(f.out, 0o1777)
        victim = os.path.join(f.all, "victim")
        for exists in True, False:
            os.symlink(victim, f.trace)
            os.lchown(f.trace, 65534, 65534)
            if exists:
                shutil.copy(TRACE, victim)
            result = run("update", TRACE, f.trace)
            check("a stranger's link", result[0] == 1 and len(result[2]) == 1, result)
            if exists:
                with open(victim, "rb") as written, open(TRACE, "rb") as before:
                    check("a stranger's link: the file is as it was", written.read() == before.read())
                os.unlink(victim)
            else:
                check("a stranger's link: makes no file", not os.path.exists(victim))
            os.unlink(f.trace)


# ---- outputs that are not plain files

def writes_links_pipes_and_standard_output():
    with Folders("kinds") as f:
        link, target = os.path.join(f.all, "link"), os.path.join(f.out, "target")
        os.symlink(target, link)
        port = free_port()
        running = capture(link, port)
        program(port)
        check("link: saved", end_of(running)[0] == 0)
        check("link: stays one", os.path.islink(link) and os.listdir(f.out) == ["target"], os.listdir(f.out))
        whole("link", target)
        result = end_of(start("capture", "-o", link, "-p", str(free_port())), 30)
        check("link: to a file that is there", result[0] == 4, result)

        pipe, port = os.path.join(f.out, "pipe"), free_port()
        os.mkfifo(pipe)
        running = capture(pipe, port, "-q", ready=False)  # the pipe has no reader yet, and no file would be overwritten
        program(port)
        copy = os.path.join(f.all, "copy")
        with open(copy, "wb") as file:
            subprocess.run(["cat", pipe], stdout=file, check=True, timeout=PATIENCE)
        code, _, lines = end_of(running)
        check("pipe: saved", code == 0 and not lines, (code, lines))
        whole("pipe", copy)

        for name in "-", "/dev/stdout":
            port = free_port()
            with open(copy, "wb") as file:
                read, write = os.pipe()
                running = capture(name, port, "-q", ready=False, stdout=write)
                os.close(write)
                taker = subprocess.Popen(["cat"], stdin=read, stdout=file)
                os.close(read)
                program(port)
                check(name + ": saved", end_of(running)[0] == 0)
                taker.wait(PATIENCE)
            whole(name, copy)


def stops_writing_into_a_pipe_that_nobody_reads():
    """The session is not lost with the output."""
    with Folders("unread") as f:
        pipe, port = os.path.join(f.out, "pipe"), free_port()
        os.mkfifo(pipe)
        running = capture(pipe, port, "-q", ready=False, env=f.env)
        program(port)
        time.sleep(1)
        for _ in range(100):
            if running.poll() is not None:
                break
            running.send_signal(signal.SIGINT)
            time.sleep(.2)
        saved = is_elsewhere("unread", f, end_of(running), 5, "stopped")
        whole("unread", saved) if saved else None


def tables_appear_whole_or_not_at_all():
    with Folders("table") as f:
        table = os.path.join(f.out, "t.csv")
        with open(table, "w", encoding="ascii") as file:
            file.write("old")
        result = run("csvexport", "-o", table, os.path.join(f.out, "nosuch.tracy"))
        with open(table, "rb") as file:
            check("table: the old one stays", result[0] == 1 and file.read() == b"old", result)
        printed = subprocess.run([TENDRIL, "csvexport", TRACE], stdout=subprocess.PIPE, check=True).stdout
        check("table: written", run("csvexport", "-o", table, TRACE)[0] == 0)
        with open(table, "rb") as file:
            check("table: the same", file.read() == printed)
        result = run("csvexport", "-o", "/dev/full", TRACE)
        check("table: full", result[0] == 1 and len(result[2]) == 1 and "space" in result[2][0], result)
        check("table: nothing else", os.listdir(f.out) == ["t.csv"], os.listdir(f.out))


def main():
    for test in (fails_at_once, fails_at_once_in_a_read_only_folder, leaves_nothing_when_stopped, ignores_hangups_under_nohup, keeps_to_the_mask, survives_a_folder_that_vanishes, survives_a_full_disk,
                 a_limit_on_files_is_an_error, does_not_touch_what_appears_meanwhile, records_elsewhere_too, records_on_a_full_disk,
                 imports_from_a_pipe_elsewhere_too, asks_on_a_terminal, keeps_off_what_another_writes, is_not_kept_off_by_the_dead,
                 is_not_kept_off_by_strangers, does_not_follow_links_of_strangers, writes_links_pipes_and_standard_output, stops_writing_into_a_pipe_that_nobody_reads,
                 tables_appear_whole_or_not_at_all):
        if len(sys.argv) > 1 and test.__name__ not in sys.argv[1:]:
            continue
        begin = time.monotonic()
        test()
        print(f"{test.__name__}: {time.monotonic() - begin:.1f} s", flush=True)
    return exit_status()


if __name__ == "__main__":
    sys.exit(main())
