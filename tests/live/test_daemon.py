#!/usr/bin/env python3
"""`tendril clients` and `tendril capture --daemon`: programs that announce themselves are listed, and recorded once each into a
file; filters, limits of size and age, a second daemon, SIGTERM, and a daemon that was killed."""
import json
import os
import re
import signal
import subprocess
import tempfile
import time

import live

LOCKS = os.path.join(live.BINARY, "tests", "live_locks")
NOBODY = ("--filter", "td_nobody")  # for daemons that would record the programs of tests beside this one


def start_program(scratch, name):
    """A program of that name, which waits at its end until it was recorded."""
    path = os.path.join(scratch, name)
    if not os.path.exists(path):
        os.symlink(LOCKS, path)
    env = {k: v for k, v in os.environ.items() if not k.startswith("TRACY_")}
    # Without samples, whose symbols a busy machine may take longer to look up than the daemon waits.
    env.update(TRACY_NO_EXIT="1", TRACY_NO_SYS_TRACE="1", TRACY_PORT=str(live.free_port()), TENDRIL_LOG="none")
    return subprocess.Popen([path], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def start_daemon(folder, *options):
    return subprocess.Popen([live.TENDRIL, "capture", "--daemon", folder, *options], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, universal_newlines=True)


def end_daemon(daemon, how=signal.SIGTERM):
    daemon.send_signal(how)
    try:
        return daemon.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        daemon.kill()
        return daemon.communicate()


def wait_for(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.05)
    return condition()


def ended(program):
    try:
        program.wait(timeout=60)
    except subprocess.TimeoutExpired:
        program.kill()
        program.wait()
        return False
    return program.returncode == 0


def traces(folder):
    return sorted(name for name in os.listdir(folder) if name.endswith(".tracy"))


def is_listed(check, scratch):
    program = start_program(scratch, "td_listed")
    try:
        listed = subprocess.run([live.TENDRIL, "clients", "--json"], stdout=subprocess.PIPE, universal_newlines=True,
                                timeout=60, check=False)
        mine = [one for one in map(json.loads, listed.stdout.splitlines()) if one["pid"] == program.pid]
        check.same("listed once", [(one["program"], one["protocol"], one["releases"]) for one in mine],
                   [("td_listed", 69, "0.11.1")])
        table = subprocess.run([live.TENDRIL, "clients"], stdout=subprocess.PIPE, universal_newlines=True, timeout=60,
                               check=False).stdout
        check.true("in the table", re.search(r"^td_listed +127\.0\.0\.1 +\d+ +0\.11\.1 +69 +%d " % program.pid, table, re.M))
        watch = subprocess.Popen([live.TENDRIL, "clients", "--watch", "--json"], stdout=subprocess.PIPE,
                                 universal_newlines=True)
        time.sleep(3.5)
        program.terminate()
        program.wait()
        time.sleep(0.5)
        watch.send_signal(signal.SIGINT)
        out, _ = watch.communicate(timeout=60)
        seen = [one["event"] for one in map(json.loads, out.splitlines()) if one["pid"] == program.pid]
        check.true("watched: %s" % seen, seen[:1] == ["new"])
    finally:
        program.kill()
        program.wait()


def each_is_recorded_once(check, scratch):
    folder = os.path.join(scratch, "traces")
    daemon = start_daemon(folder, "--filter", "td_one*", "--filter", "/^td_t(wo|hree)$/")
    check.true("the folder is made", wait_for(lambda: os.path.exists(os.path.join(folder, ".tendril-capture.lock"))))
    second = start_daemon(folder)
    _, said = second.communicate(timeout=60)
    check.true("a second daemon is refused: " + said, second.returncode == 5 and "another" in said and said.count("\n") == 1)
    names = ("td_one_a", "td_two", "td_three", "td_one_a")
    programs = [start_program(scratch, name) for name in names]
    other = start_program(scratch, "td_other")
    for program, name in zip(programs, names):
        check.true(name + " was recorded", ended(program))
    check.true("all are saved", wait_for(lambda: len(traces(folder)) == 4))
    check.true("another name is left alone", other.poll() is None)
    other.kill()
    other.wait()
    out, err = end_daemon(daemon)
    check.same("the daemon's end", (daemon.returncode, err), (0, ""))
    got = sorted(re.fullmatch(r"(.*)_\d{8}-\d{6}_(\d+)(-\d+)?\.tracy", name).groups()[:2] for name in traces(folder))
    check.same("files", got, sorted((name, str(program.pid)) for name, program in zip(names, programs)))
    check.same("lines", (out.count("recording "), out.count("saved ")), (4, 4))
    for name in traces(folder):
        path = os.path.join(folder, name)
        live.info(path)


def limits_delete_the_oldest(check, scratch):
    folder = os.path.join(scratch, "limited")
    os.mkdir(folder)
    def put(name, size, age_s):
        path = os.path.join(folder, name)
        with open(path, "wb") as f:
            f.write(b"x" * size)
        os.utime(path, (time.time() - age_s,) * 2)
    put("a_20200101-000000_1.tracy", 10, 7200)       # too old
    put("b_20200101-000000_2.tracy", 600_000, 3000)  # too much, and the oldest
    put("c_20200101-000000_3-2.tracy", 600_000, 2000)
    put("mine.tracy", 600_000, 9000)                 # not the daemon's names
    put("d_20200101-000000_4.tracy.abcdefgh.part", 600_000, 9000)
    put("_20200101-000000_4.tracy", 10, 9000)
    os.symlink("mine.tracy", os.path.join(folder, "e_20200101-000000_5.tracy"))
    daemon = start_daemon(folder, *NOBODY, "--keep-size", "1M", "--keep-age", "1h")
    wait_for(lambda: not os.path.exists(os.path.join(folder, "b_20200101-000000_2.tracy")))
    out, err = end_daemon(daemon)
    check.same("deleted", [os.path.basename(line.split()[1])[0] for line in out.splitlines() if line.startswith("deleted")],
               ["a", "b"])
    check.same("no error", (daemon.returncode, err), (0, ""))
    check.same("what stays", sorted(name[0] for name in os.listdir(folder) if name[0] != "."), ["_", "c", "d", "e", "m"])


def the_newest_trace_stays(check, scratch):
    folder = os.path.join(scratch, "small")
    os.mkdir(folder)
    for name, size, age_s in (("a_20200101-000000_1.tracy", 300_000, 3000), ("b_20200101-000000_2.tracy", 600_000, 2000)):
        path = os.path.join(folder, name)
        with open(path, "wb") as f:
            f.write(b"x" * size)
        os.utime(path, (time.time() - age_s,) * 2)
    daemon = start_daemon(folder, *NOBODY, "--keep-size", "100k")
    wait_for(lambda: not os.path.exists(os.path.join(folder, "a_20200101-000000_1.tracy")))
    time.sleep(1)  # further looks say nothing more
    out, err = end_daemon(daemon)
    check.same("the end", daemon.returncode, 0)
    check.same("what stays", [name for name in os.listdir(folder) if name[0] != "."], ["b_20200101-000000_2.tracy"])
    check.true("one line: " + err, err.count("\n") == 1 and "b_20200101-000000_2.tracy stays, because it is the newest" in err)
    check.same("deleted", out.count("deleted "), 1)
    daemon = start_daemon(folder, *NOBODY, "--keep-size", "100k", "--keep-age", "1m")
    check.true("its age", wait_for(lambda: not os.path.exists(os.path.join(folder, "b_20200101-000000_2.tracy"))))
    end_daemon(daemon)


def signals_save_and_a_killed_daemon_loses_nothing(check, scratch):
    for how in (signal.SIGTERM, signal.SIGKILL):
        folder = os.path.join(scratch, how.name)
        daemon = start_daemon(folder, "--filter", "td_lasting")
        path = os.path.join(scratch, "td_lasting")
        if not os.path.exists(path):
            os.symlink(os.path.join(live.BINARY, "tests", "live_flood"), path)
        env = dict(os.environ, TRACY_PORT=str(live.free_port()), TRACY_NO_EXIT="1")
        program = subprocess.Popen([path, "zones", "400000"], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        line = daemon.stdout.readline() + daemon.stdout.readline()
        check.true(how.name + ": begins", "recording td_lasting" in line)
        time.sleep(1)  # before the recorder has connected, there is nothing to save
        if how == signal.SIGKILL:
            daemon.kill()
            daemon.wait()
            again = start_daemon(folder, "--filter", "td_lasting") # is not refused, and does not record it again
            again.stdout.readline()
            check.true("a killed daemon's recording is saved", wait_for(lambda: len(traces(folder)) == 1))
            program.wait()
            _, err = end_daemon(again)
            check.same("the next one", (again.returncode, err, len(traces(folder))), (0, "", 1))
            daemon.stdout.close()
            daemon.stderr.close()
        else:
            _, err = end_daemon(daemon)
            check.same("SIGTERM saves", (daemon.returncode, len(traces(folder))), (0, 1))
            program.kill()
            program.wait()


def mistakes(check, scratch):
    for words, says in ((["--daemon", scratch, "-o", "x"], "exclude each other"),
                        (["--keep-size", "1G"], "are for --daemon DIR"),
                        (["--daemon", scratch, "--keep-age", "7"], "is not an age"),
                        (["--daemon", scratch, "--keep-age", "d"], "is not an age"),
                        (["--daemon", scratch, "--keep-size", "x"], "--keep-size"),
                        (["--daemon", scratch, "--filter", "/(/"], "is no regular expression"),
                        (["--daemon", os.path.join(scratch, "no", "such")], "cannot make the folder")):
        done = subprocess.run([live.TENDRIL, "capture", *words], stderr=subprocess.PIPE, universal_newlines=True, timeout=60,
                              check=False)
        check.true("%s: %s" % (words, done.stderr), done.returncode in (2, 5) and says in done.stderr and
                   done.stderr.count("\n") == 1)


def main():
    check = live.Check()
    with tempfile.TemporaryDirectory() as scratch:
        is_listed(check, scratch)
        each_is_recorded_once(check, scratch)
        limits_delete_the_oldest(check, scratch)
        the_newest_trace_stays(check, scratch)
        signals_save_and_a_killed_daemon_loses_nothing(check, scratch)
        mistakes(check, scratch)
    check.leave()


main()
