#!/usr/bin/env python3
"""Programs in odd surroundings: wrong values of variables, ports that are taken, no IPv4, no /proc, few descriptors, little
memory, set-user-ID. They run and end as ever, and are recorded where that can be.
"""
import os
import re
import resource
import shutil
import socket
import subprocess
import tempfile
import time

from traces import BINARY, TESTS, check, free_port

MARKED = os.path.join(TESTS, "client_marked")
TENDRIL = os.path.join(BINARY, "bin", "tendril")
SANITIZED = bool(os.environ.get("TD_SANITIZED"))


def environment(**variables):
    return dict({k: v for k, v in os.environ.items() if not k.startswith(("TRACY_", "TENDRIL_"))}, **variables)


def listening(pid):
    """(address, port) of each socket that the process listens with; the numbers are the kernel's."""
    sockets = set()
    for fd in os.listdir(f"/proc/{pid}/fd"):
        try:
            sockets.update(re.findall(r"socket:\[(\d+)\]", os.readlink(f"/proc/{pid}/fd/{fd}")))
        except OSError:
            pass  # closed meanwhile
    found = []
    for table in "tcp", "tcp6":
        with open(f"/proc/{pid}/net/{table}", encoding="ascii") as f:
            rows = [line.split() for line in f][1:]
        found += [(row[1].split(":")[0], int(row[1].split(":")[1], 16)) for row in rows if row[3] == "0A" and row[9] in sockets]
    return found


def lives(variables):
    """Where a program listens, and what it says on standard error."""
    with subprocess.Popen([MARKED, "linger"], stdin=subprocess.PIPE, stderr=subprocess.PIPE,
                          env=environment(**variables)) as program:
        until, where = time.monotonic() + 100, []
        while not where and time.monotonic() < until:
            where = listening(program.pid)
            time.sleep(0.02)
        _, said = program.communicate(timeout=200)
    check(program.returncode == 0, variables, program.returncode)
    return where, said.decode()


def check_values():
    port = str(free_port())
    for name, value in [("TRACY_PORT", "garbage"), ("TRACY_PORT", "70000"), ("TRACY_PORT", "-5"), ("TRACY_DATA_PORT", "65536"),
                        ("TRACY_NO_EXIT", "no"), ("TRACY_CRASH_SIGNAL", "65"), ("TRACY_CLIENT_ADDRESS", "here"),
                        ("TENDRIL_EXIT_WAIT_MS", "10s"), ("TENDRIL_LISTEN", "all"), ("TENDRIL_PEER", "stock")]:
        variables = {name: value}
        if name == "TRACY_DATA_PORT" or not name.endswith("PORT"):
            variables["TRACY_PORT"] = port
        where, said = lives(variables)
        check(said.count("\n") == 1 and f"tendril: {name}={value} is ignored: it takes " in said, name, value, said)
        expected = range(8086, 8106) if name == "TRACY_PORT" else [int(port)]
        check(len(where) == 1 and where[0][1] in expected, name, value, where)
    for value in "", "0":
        where, said = lives({"TRACY_PORT": value, "TRACY_DATA_PORT": port})
        check(where == [("0100007F", int(port))] and not said, value, where, said)


def check_taken():
    with socket.socket() as first:
        try:
            first.bind(("127.0.0.1", 8086))
            first.listen()
        except OSError:
            pass  # another process has it, which is as good
        where, _ = lives({})
        check(where and 8086 < where[0][1] <= 8105, where)
        done = subprocess.run([MARKED, "linger"], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                              env=environment(TRACY_PORT="8086"), timeout=100, check=False)
        check(done.returncode == 0, done.returncode)
        check(done.stderr == "tendril: no recorder can connect: port 8086 (TRACY_PORT) is taken\n", done.stderr)


def record(port, where, setup, *program, status=0, variables=None, wrap=(), zones=None):
    """Runs the program, recorded at the address; checks the zones that came."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "t.tracy")
        env = environment(TRACY_PORT=str(port), TENDRIL_WAIT_CONNECT_MS="20000", **(variables or {}))
        with subprocess.Popen([*wrap, *program], env=env, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              preexec_fn=setup) as process:
            done = subprocess.run([*wrap, TENDRIL, "capture", "-f", "-a", where, "-p", str(port), "-o", path],
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=100, check=False)
            process.communicate(timeout=200)
        check(done.returncode == 0, program, wrap, done.stdout)
        check(process.returncode == status, program, wrap, process.returncode)
        if zones:
            info = subprocess.run([TENDRIL, "info", path], stdout=subprocess.PIPE, check=True).stdout.decode()
            check(re.search(rf"^zones +{zones}\b", info, re.M), program, wrap, info)


def few_descriptors():
    resource.setrlimit(resource.RLIMIT_NOFILE, (6, 6))


def check_limits():
    """Where no peer can connect, programs run and end; else they are recorded."""
    record(free_port(), "127.0.0.1", few_descriptors, MARKED, "all", zones=80)
    for what, most in [(resource.RLIMIT_NOFILE, 4), (resource.RLIMIT_AS, 16 << 20), (resource.RLIMIT_AS, 48 << 20)]:
        if SANITIZED:
            break  # they take more themselves
        done = subprocess.run([MARKED, "two"], env=environment(TRACY_PORT=str(free_port())), timeout=100, check=False,
                              preexec_fn=lambda what=what, most=most: resource.setrlimit(what, (most, most)))
        check(done.returncode == 0, what, most, done.returncode)


def check_saving():
    """What cannot be written is said once; the program does not mind."""
    with tempfile.TemporaryDirectory() as folder:
        saved = os.path.join(folder, "saved")
        for path, most in ("/dev/full", None), (os.path.join(folder, "none", "such"), None), (saved, 5000), (saved, 100000):
            limit = None if most is None else (lambda most=most: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most)))
            done = subprocess.run([MARKED, "two"], env=environment(TENDRIL_SAVE=path), timeout=100, check=False,
                                  stderr=subprocess.PIPE, preexec_fn=limit)
            said = done.stderr.decode()
            check(done.returncode == 0 and said.startswith("tendril: cannot save ") and said.count("\n") == 1, path, most,
                  done.returncode, said)


def check_starts():
    """A client that starts later does not make the program's start wait."""
    for name in "TRACY_MANUAL_LIFETIME", "TRACY_DELAYED_INIT":
        began = time.monotonic()
        done = subprocess.run([MARKED, "all"], timeout=100, check=False,
                              env=environment(**{name: "1", "TENDRIL_WAIT_CONNECT_MS": "60000"}))
        check(done.returncode == 0 and time.monotonic() - began < 50, name, done.returncode)


def check_namespaces():
    """What only root may take away: /proc, IPv4."""
    bare = ["unshare", "-m", "sh", "-c", 'mount -t tmpfs none /proc && exec "$@"', "sh"]
    if subprocess.run([*bare, "true"], stderr=subprocess.DEVNULL, check=False).returncode != 0:
        print("skipped: namespaces need root")
        return
    if not SANITIZED:
        record(free_port(), "127.0.0.1", None, *bare, MARKED, "all", zones=80)
    six = "ip link set lo up && ip address delete 127.0.0.1/8 dev lo && ip -6 address show dev lo | grep -q ::1"
    if not shutil.which("ip") or subprocess.run(["unshare", "-n", "sh", "-c", six], check=False).returncode != 0:
        print("skipped: no IPv6 here")
        return
    for listen in "", "any":
        both = f"""{six} || exit 1
            TRACY_PORT=9001 TENDRIL_LISTEN={listen} TENDRIL_WAIT_CONNECT_MS=20000 "{MARKED}" all &
            "{TENDRIL}" capture -f -a ::1 -p 9001 -o /dev/null; status=$?; wait $!; exit $status"""
        done = subprocess.run(["unshare", "-n", "sh", "-c", both], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=100,
                              check=False)
        check(done.returncode == 0, listen, done.stdout)


def check_set_user_id():
    """Who calls such a program does not say where it writes."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o777)
        if SANITIZED or os.geteuid() != 0 or os.statvfs(folder).f_flag & os.ST_NOSUID:
            print("skipped: set-user-ID needs root, a file system with it and no sanitizer")
            return
        program, saved = os.path.join(folder, "marked"), os.path.join(folder, "saved")
        shutil.copy(MARKED, program)
        os.chown(program, 65534, -1)
        for mode, there in (0o755, True), (0o4755, False):
            os.chmod(program, mode)
            done = subprocess.run([program, "all"], env=environment(TENDRIL_SAVE=saved), cwd=folder, timeout=100, check=False)
            check(done.returncode == 0 and os.path.exists(saved) == there, oct(mode), done.returncode)
            if there:
                os.remove(saved)


def main():
    check_values()
    check_taken()
    check_limits()
    check_saving()
    check_starts()
    check_namespaces()
    check_set_user_id()


main()
