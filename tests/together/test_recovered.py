"""`tendril recover` of a recording of two boards and two programs: a journal that is complete gives the counts, names, tracks
and notes of the trace; that of a recording that is killed at its end gives the same counts, names and tracks."""
import atexit
import os
import shutil
import signal
import subprocess

from kit import BINARY, MARKED, SOURCE, TENDRIL, dump, expect, folder, free_port, info, start_client, wait_for

MATMUL = os.path.join(BINARY, "examples", "matmul", "matmul")
COUNTS = ("program", "boards", "chip_maps", "threads", "cores", "zones", "messages", "clamped", "lost_zones", "lost_other", "bad_bytes")


class Recording:
    """Of two boards and, at addresses, two programs. It waits when all of them have ended."""

    def __init__(self, scratch, name):
        self.trace = os.path.join(scratch, name + ".tracy")
        self.journal = self.trace + ".journal"
        self.done, self.go = self.trace + ".done", self.trace + ".go"
        ports = [free_port(), free_port()]
        program = ('TENDRIL_BOARD=$TENDRIL_BOARD_1 %s 64 2 & %s 64 2; code=$?; wait $! || code=1; echo $code > %s; '
                   'while [ ! -e %s ]; do sleep .05; done; exit $code' % (MATMUL, MATMUL, self.done, self.go))
        words = ["--grid", "2x2", "-b", "tensix_sim", "-b", "tensix_sim"]
        for port in ports:
            words += ["-a", ":%d" % port]
        self.process = subprocess.Popen([TENDRIL, "record", "-q", "-o", self.trace, *words, "--", "sh", "-c", program],
                                        stdin=subprocess.DEVNULL, start_new_session=True,
                                        cwd=SOURCE)  # the kernels' source files have names from there
        atexit.register(self.kill)
        wait_for(lambda: os.path.exists(self.journal), "the journal")
        os.link(self.journal, self.trace + ".copy.journal")
        for client in [start_client(port, MARKED, "all") for port in ports]:
            expect(client.wait(60) == 0, "a program failed")
        wait_for(lambda: os.path.exists(self.done) and os.path.getsize(self.done) > 1, "the programs on the boards", 60)
        with open(self.done, encoding="utf-8") as f:
            expect(f.read().strip() == "0", "a program on a board failed")

    def end(self):
        open(self.go, "w").close()
        expect(self.process.wait(60) == 0, "record exited with %s" % self.process.returncode)

    def kill(self):
        self.process.kill()
        self.process.wait()
        try:
            os.killpg(self.process.pid, signal.SIGKILL)  # its program
        except ProcessLookupError:
            pass


def recover(journal, trace):
    """The line about the journal's end."""
    done = subprocess.run([TENDRIL, "recover", "-f", "--keep", "-q", journal, "-o", trace], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=60, check=False)
    expect(done.returncode == 0 and done.stderr.count("\n") == 1, "recover: %d %s" % (done.returncode, done.stderr))
    return done.stderr


def tracks(trace):
    """Name of each track, and how often it has what. Threads without a name are called by their numbers."""
    named = [track for track in info(trace)["tracks"] if not track["name"].isdigit()]
    return sorted((track["name"], track["zones"], track["messages"], sorted((zone["name"], zone["count"]) for zone in track["names"]))
                  for track in named)


def expect_same(what, there, wanted):
    for key in wanted:
        expect(there.get(key) == wanted[key], "%s: %s: %s instead of %s" % (what, key, there.get(key), wanted[key]))


def check_complete(live, trace):
    """All of it: also what is known only at the end, such as the bound on a clock's error."""
    said = recover(live.trace + ".copy.journal", trace)
    expect("is complete" in said, said)
    there, wanted = info(trace), info(live.trace)
    for one in there, wanted:
        del one["file"]
        one["tracks"].sort(key=lambda track: (track["name"], track["thread"]))
    expect(len(wanted["boards"]) == 2 and len(wanted["processes"]) == 4, "boards, processes: %s" % wanted)
    expect_same("complete", there, wanted)
    there, wanted = dump(trace), dump(live.trace)
    for key in "APP_INFO", "resolution", "timer_mul", "pid", "host", "capture_name", "ctime", "etime":
        expect(there[key] == wanted[key], "complete: %s: %s instead of %s" % (key, there[key], wanted[key]))
    expect(any("target/src/launch.c" in str(row[0]) for row in wanted["SOURCE"]), "no kernel's source file is in the trace")
    expect(sorted(map(str, there["SOURCE"])) == sorted(map(str, wanted["SOURCE"])), "texts of source files")


def check_killed(scratch, live, trace):
    with_all = info(live.trace)
    killed = Recording(scratch, "killed")

    def has_all():
        recover_copy = os.path.join(scratch, "now.journal")
        shutil.copy(killed.trace + ".copy.journal", recover_copy)
        recover(recover_copy, trace)
        return info(trace)["zones"] == with_all["zones"]
    wait_for(has_all, "all zones in the journal", 60)
    killed.kill()
    expect(not os.path.exists(killed.trace) or os.path.getsize(killed.trace) == 0, "the trace is there")
    said = recover(killed.journal, trace)
    expect(" ends after " in said, said)
    there = info(trace)
    expect_same("killed", there, {key: with_all[key] for key in COUNTS})
    expect(len(there["processes"]) == 4, "killed: processes: %s" % there["processes"])
    expect(tracks(trace) == tracks(live.trace), "killed: tracks: %s instead of %s" % (tracks(trace), tracks(live.trace)))


def main():
    if not os.access(MATMUL, os.X_OK):
        print("skipped: the examples are not built")
        return
    with folder() as scratch:
        trace = os.path.join(scratch, "recovered.tracy")
        live = Recording(scratch, "live")
        live.end()
        check_complete(live, trace)
        check_killed(scratch, live, trace)
        print("ok")


main()
