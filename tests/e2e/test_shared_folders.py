"""Folders in which all users may create files: no program follows, opens or removes what another user put there under a
name that can be guessed. Running recordings keep their folders, in any PID namespace; those of killed ones are removed.

As root, the test runs the programs as one user and plants files as another one. Without root it skips the tests that
need two users.
"""
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys

from boards import wait_for
from kit import TENDRIL, example, expect, folder, info

SELF, OTHER = 65534, 65533
ROOT = os.geteuid() == 0
OWN_MEMORY = "TD_OWN_MEMORY" in os.environ
MEMORY = "/dev/shm"
PRECIOUS = b"\0" * 16 + b"precious"  # begins as the file of a board that is not ready
ENDED_PID = 4000000  # no process has this number
MEMORY_OF_OUR_OWN = f'mount -t tmpfs -o mode=1777 none {MEMORY} && exec "$@"'
AS_SELF = ["setpriv", f"--reuid={SELF}", f"--regid={SELF}", "--clear-groups"]
# A namespace as in a container, with its own /proc. The program gets a number that no process outside has.
IN_NAMESPACE = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c",
                f'echo {ENDED_PID} >/proc/sys/kernel/ns_last_pid; "$@"; exit $?', "sh"]


def with_memory_of_our_own():
    """Runs the test with its own /dev/shm, if possible, so that other programs do not see the files planted there."""
    start = ["unshare", "--mount", "sh", "-c", MEMORY_OF_OUR_OWN, "sh"]
    if not ROOT or OWN_MEMORY:
        return
    if may(*start, "true"):
        os.environ["TD_OWN_MEMORY"] = "1"
        os.execvp(start[0], [*start, sys.executable, os.path.abspath(__file__)])
    print(f"skipped: links planted in {MEMORY}, which cannot be mounted anew here (a chroot that is no mount point?)")


def may(*argv):
    return ROOT and subprocess.run(argv, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


def credentials(uid):
    return {"user": uid, "group": uid, "extra_groups": []} if ROOT else {}


class Child(subprocess.Popen):
    """Killed at the end of the `with` block if it still runs."""

    def __exit__(self, *what):
        if self.poll() is None:
            self.kill()
        super().__exit__(*what)


def start(argv, uid=SELF, **options):
    options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, **options}
    return Child(argv, **credentials(uid), **options)


def run(argv, uid=SELF, **options):
    with start(argv, uid, **options) as child:
        stdout, stderr = child.communicate(timeout=100)
    return subprocess.CompletedProcess(argv, child.returncode, stdout, stderr)


def plant(command, uid=OTHER):
    expect(run(["sh", "-c", command], uid).returncode == 0, command)


class Place:
    """A folder for all users, a folder for the tools' output, and a file that no program may change."""

    def __init__(self, top):
        self.top, self.shared, self.own = top, os.path.join(top, "shared"), os.path.join(top, "own")
        self.precious = os.path.join(self.own, "precious", "data")
        os.chmod(top, 0o755)
        for path, mode in (self.shared, 0o1777), (self.own, 0o755), (os.path.dirname(self.precious), 0o700):
            os.mkdir(path)
            os.chmod(path, mode)
            if ROOT and path != self.shared:
                os.chown(path, SELF, SELF)
        with open(self.precious, "wb") as f:
            f.write(PRECIOUS)
        if ROOT:
            os.chown(self.precious, SELF, SELF)
        self.environment = dict(os.environ, TMPDIR=self.shared)

    def check(self, what):
        expect(os.path.exists(self.precious), f"{what}: the precious file is still there")
        with open(self.precious, "rb") as f:
            expect(f.read() == PRECIOUS, f"{what}: the precious file is as it was")

    def record(self, name, program, before=()):
        argv = [*before, TENDRIL, "record", "--grid", "1x1", "-q", "-o", os.path.join(self.own, name), "--", *program]
        return argv, {"env": self.environment, "cwd": self.own}

    def waiting(self, name, before=()):
        """Starts a recording whose program waits. Returns the recording, and a function that lets the program continue."""
        started, go = (os.path.join(self.own, name + suffix) for suffix in (".started", ".go"))
        program = f"touch {started}; while ! test -e {go}; do test -e {started} || exit; sleep 0.05; done; exec {example('hello')}"
        argv, options = self.record(name, ["/bin/sh", "-c", program], before)
        # Root makes the namespace, and a command in `before` then changes the user.
        child = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options) if before \
            else start(argv, **options)
        wait_for(lambda: os.path.exists(started) or child.poll() is not None, "the program runs")
        expect(child.poll() is None, f"{name} records")
        return child, lambda: plant(f"touch {go}", SELF)


def owner(path):
    try:
        return os.stat(path).st_uid
    except FileNotFoundError:  # other recordings come and go
        return None


def run_folders():
    """Those of this test's user: other tests run as another one."""
    paths = (os.path.join(MEMORY, name) for name in os.listdir(MEMORY) if name.startswith("tendril-run."))
    return {path for path in paths if owner(path) == (SELF if ROOT else os.geteuid())}


def planted_links(place):
    """A link to the precious folder, with the name of a folder that an ended process left."""
    names = [f"tendril-run-{ENDED_PID}-XyZabc", "tendril-run.XyZabc"]
    links = [os.path.join(where, name) for where in ([MEMORY] if OWN_MEMORY else []) + [place.shared] for name in names]
    for link in links:
        plant(f"ln -s {os.path.dirname(place.precious)} {link}")
    argv, options = place.record("links.tracy", ["/bin/true"])
    done = run(argv, **options)
    for link in links:
        expect(os.path.islink(link), f"{link} is not ours to remove")
        os.unlink(link)
    place.check("record beside planted links")
    expect(done.returncode == 0, done.stderr)


def living_recordings(place):
    """Two recordings in different PID namespaces share /dev/shm: each can start while the other runs."""
    user = AS_SELF
    if not may(*IN_NAMESPACE, *user, "true"):
        print("skipped: PID namespaces are not allowed here")
        return
    for inside in True, False:
        first, go_on = place.waiting(f"lives{inside:d}.tracy", [*IN_NAMESPACE, *user] if inside else [])
        argv, options = place.record("second.tracy", ["/bin/true"], [] if inside else [*IN_NAMESPACE, *user])
        second = run(argv, **options) if inside else \
            subprocess.run(argv, check=False, timeout=100, capture_output=True, text=True, **options)
        go_on()
        _, stderr = first.communicate(timeout=200)
        expect(first.returncode == 0, f"first recording, {'in' if inside else 'out'}side: {stderr}")
        expect(second.returncode == 0, second.stderr)
        expect(info(os.path.join(place.own, f"lives{inside:d}.tracy"))["zones"] >= 11, "its zones are there")


def killed_recording(place):
    before = run_folders()
    child, go_on = place.waiting("killed.tracy")
    expect(run_folders() - before, "it has a folder")
    child.kill()
    child.wait()
    expect(run([TENDRIL, "commands"]).returncode == 0, "another program starts")
    expect(not run_folders() - before, f"what the killed one left is gone: {run_folders() - before}")
    go_on()
    child.communicate(timeout=100)


def simulator_of_its_own(place):
    """`tendril sim` must not use a planted file whose name contains its process number."""
    before = run_folders()
    with start(["/bin/sh", "-c", f"read x; exec {TENDRIL} sim --grid 1x1"], stdin=subprocess.PIPE) as child:
        link = f"{MEMORY}/tensix_sim-{child.pid}.bar"
        plant(f"ln -s {place.precious} {link}")
        child.stdin.write("\n")
        child.stdin.flush()
        path = child.stdout.readline().strip()
        place.check("the simulator beside a planted link")
        expect(path and path != link, f"a name that cannot be guessed: {path!r}")
        expect(os.stat(os.path.dirname(path)).st_mode & 0o777 == 0o700, "in a private folder")
        child.kill()
        child.communicate()
    os.unlink(link)
    expect(run_folders() - before, "the killed simulator's folder")
    expect(run([TENDRIL, "boards"]).returncode == 0, "another program starts")
    expect(not run_folders() - before, "is gone then")


def simulator_with_a_name(place):
    bar = os.path.join(place.shared, "board.bar")
    for uid, command, word in (
            (OTHER, f"ln -s {place.precious} {bar}", "symbolic link"), (SELF, f"ln -s {place.precious} {bar}", "symbolic link"),
            (OTHER, f"ln -s {place.shared}/nothing {bar}", "symbolic link"),
            (OTHER, f": >{bar} && chmod 666 {bar}", "another user"), (SELF, f"ln {place.precious} {bar}", "hard links"),
            (SELF, f"mkfifo {bar}", "no board file"), (SELF, f"mkdir {bar}", "")):
        plant(command, uid)
        done = run([TENDRIL, "sim", "--bar", bar, "--grid", "1x1"])
        expect(done.returncode != 0 and done.stderr.count("\n") == 1 and word in done.stderr, f"{command}: {done.stderr!r}")
        place.check(command)
        expect(not os.path.exists(f"{place.shared}/nothing"), "no link leads to a new file")
        plant(f"test -d {bar} && rmdir {bar} || rm {bar}", uid)


@contextlib.contextmanager
def simulator(uid, path):
    with start([TENDRIL, "sim", "--bar", path, "--grid", "1x1"], uid, stderr=None) as child:
        try:
            yield child
        finally:
            child.send_signal(signal.SIGTERM)
            child.communicate(timeout=100)


def opens(path):
    """The entries of `tendril boards` for that path."""
    facts = json.loads(run([TENDRIL, "boards", "--json"], env=dict(os.environ, TMPDIR=os.path.dirname(path))).stdout)
    return [p for p in facts["present"] if p["where"] == "shm:" + path]


def listed_boards(place):
    mine, other = os.path.join(place.shared, "mine.bar"), os.path.join(place.shared, "other.bar")
    with simulator(SELF, mine), simulator(OTHER, other):
        wait_for(lambda: [p for p in opens(mine) if p["board"]], "the board is there")
        wait_for(lambda: os.path.exists(other) and os.path.getsize(other), "the other user's, too")
        os.chmod(other, 0o666)
        plant(f"mkfifo -m 666 {place.shared}/fifo.bar; ln -s /dev/tty {place.shared}/link.bar; ln -s {mine} {place.shared}/again.bar")
        found = wait_for(lambda: opens(other), "it is listed")[0]
        expect(not found["board"] and "another user" in found["why_not"], f"and not opened: {found}")
        for name in "fifo.bar", "link.bar", "again.bar":
            expect(not opens(os.path.join(place.shared, name)), f"{name} is no board")


def attached_from_a_namespace(place):
    """The recorder's process number means nothing outside of its namespace: the simulator must not take it for dead."""
    board, trace = os.path.join(place.own, "attached.bar"), os.path.join(place.own, "attached.tracy")
    if not may(*IN_NAMESPACE, *AS_SELF, "true"):
        return
    program = ["/bin/sh", "-c", f"sleep 0.3; exec {example('hello')}"]
    with simulator(SELF, board):
        wait_for(lambda: [p for p in opens(board) if p["board"]], "the board is there")
        for before in [*IN_NAMESPACE, *AS_SELF], AS_SELF:
            done = subprocess.run([*before, TENDRIL, "record", "--at", board, "-o", trace, "--", *program], check=False,
                                  env=place.environment, cwd=place.own, timeout=100, capture_output=True, text=True)
            expect(done.returncode == 0 and info(trace)["zones"] >= 11, f"recorded with {before}: {done.stderr}{done.stdout}")


def served_sockets(place):
    """What is at a socket's path is replaced only if it is a socket that this user left."""
    board, path = os.path.join(place.own, "board.bar"), os.path.join(place.shared, "socket")
    with simulator(SELF, board):
        wait_for(lambda: [p for p in opens(board) if p["board"]], "the board is there")
        serve = [TENDRIL, "probe", "--board", board, "--serve"]
        done = run([*serve, "unix:" + place.precious])
        expect(done.returncode != 0 and done.stderr.count("\n") == 1, f"a file: {done.stderr!r}")
        place.check("a file in a socket's place")
        with socket.socket(socket.AF_UNIX) as left:
            left.bind(path)
        if ROOT:
            os.chown(path, OTHER, OTHER)
            done = run([*serve, "unix:" + path])
            expect(done.returncode != 0 and "in use" in done.stderr, f"another user's: {done.stderr!r}")
            os.chown(path, SELF, SELF)
        with start([*serve, "unix:" + path]) as child:
            expect(path in child.stdout.readline(), "one's own is replaced")
            child.send_signal(signal.SIGTERM)
            child.communicate(timeout=100)


def saved_sessions(place):
    """Without a name the session goes to PROGRAM.PID.stream in the current folder, if that is free."""
    environment = dict(os.environ, TRACY_SAVE_NO_SEND="1")
    with start(["/bin/sh", "-c", f"read x; exec {example('hello')}"], stdin=subprocess.PIPE, cwd=place.shared,
               env=environment) as child:
        name = os.path.join(place.shared, f"hello.{child.pid}")
        plant(f"ln -s {place.precious} {name}.stream")
        _, stderr = child.communicate("\n", timeout=100)
    place.check("a session beside a planted link")
    expect(os.path.getsize(name + "-1.stream") > 100, f"the session has another name: {stderr}")


def main():
    with_memory_of_our_own()
    with folder() as top:
        place = Place(top)
        if ROOT and run([TENDRIL, "--version"]).returncode != 0:
            print("skipped: other users cannot run the programs of this build")
            return
        killed_recording(place)
        simulator_of_its_own(place)
        served_sockets(place)
        saved_sessions(place)
        if not ROOT:
            print("skipped: what another user plants needs root")
            return
        planted_links(place)
        living_recordings(place)
        attached_from_a_namespace(place)
        simulator_with_a_name(place)
        listed_boards(place)


main()
