"""Several programs in one trace: counts are exact, whichever starts or ends when.

    test_programs.py [NAME...]     only these of the functions below, without "check_"
"""
import os
import signal
import socket
import subprocess
import sys
import threading
import time

from kit import MARKED, dump, expect, finish, folder, free_port, info, record, start_client, start_record, wait_for

COUNTS = ("zones", "messages")


def reference(scratch):
    trace = os.path.join(scratch, "one.tracy")
    port = free_port()
    client = start_client(port, MARKED, "all")
    record(trace, "-a", ":%d" % port)
    client.wait(30)
    return info(trace)


def labels(trace):
    return sorted({t["name"].split(": ")[0] for t in dump(trace)["tracks"]})


def expect_times(trace, one, times):
    there = info(trace)
    for key in COUNTS:
        expect(there[key] == times * one[key], "%s: %d instead of %d times %d" % (key, there[key], times, one[key]))
    expect(len(there["processes"]) == times, "processes: %s" % there["processes"])
    for line in there["processes"]:
        expect(line.endswith(": 0 ns"), "a program on this machine has another clock: " + line)


def check_three(scratch, one):
    """Three that run already; the trace ends with the last one."""
    trace, ports = os.path.join(scratch, "three.tracy"), [free_port() for _ in range(3)]
    clients = [start_client(port, MARKED, "all") for port in ports]
    out = record(trace, *(word for port in ports for word in ("-a", "127.0.0.1:%d" % port)))
    for client in clients:
        client.wait(30)
    expect("programs     3 processes" in out, out)
    expect_times(trace, one, 3)
    expect(labels(trace) == ["client_marked", "client_marked 2", "client_marked 3"], "labels: %s" % labels(trace))


def check_late(scratch, one):
    """Those that are not there yet are waited for."""
    trace, ports = os.path.join(scratch, "late.tracy"), [free_port() for _ in range(2)]
    recorder = start_record(trace, "-a", "localhost:%d" % ports[0], "-a", ":%d" % ports[1])
    for port in ports:
        time.sleep(0.2)
        start_client(port, MARKED, "all").wait(30)
    finish(recorder)
    expect_times(trace, one, 2)


def check_restarted(scratch, one):
    """A program that starts again is another process of the trace."""
    trace, port, other = os.path.join(scratch, "again.tracy"), free_port(), free_port()
    lingering = subprocess.Popen([MARKED, "linger"], stdin=subprocess.PIPE,
                                 env=dict(os.environ, TRACY_PORT=str(other), TENDRIL_WAIT_CONNECT_MS="30000"))
    recorder = start_record(trace, "-a", ":%d" % port, "-a", ":%d" % other)
    for _ in range(3):
        start_client(port, MARKED, "all").wait(30)
    lingering.stdin.close()
    lingering.wait(30)
    finish(recorder)
    there = info(trace)
    expect(len(there["processes"]) == 4, "processes: %s" % there["processes"])
    expect(there["messages"] == 3 * one["messages"], "%d messages" % there["messages"])
    expect(len(labels(trace)) == 4, "labels: %s" % labels(trace))


def check_children(scratch, one):
    """Processes that PROGRAM starts, at the same time and one after the other."""
    trace = os.path.join(scratch, "children.tracy")
    record(trace, "-b", "none", "--", "sh", "-c", "%s all & %s all & %s all; wait; %s all" % ((MARKED,) * 4))
    expect_times(trace, one, 4)


def check_many_children(scratch, one):
    trace = os.path.join(scratch, "many.tracy")
    record(trace, "-b", "none", "--", "sh", "-c", "for i in $(seq 12); do %s all & done; wait" % MARKED)
    expect_times(trace, one, 12)


def check_mixed(scratch, one):
    """PROGRAM with a child, and a program that runs already and continues to run."""
    trace, port = os.path.join(scratch, "mixed.tracy"), free_port()
    lingering = subprocess.Popen([MARKED, "linger"], stdin=subprocess.PIPE,
                                 env=dict(os.environ, TRACY_PORT=str(port), TENDRIL_WAIT_CONNECT_MS="30000"))
    record(trace, "-a", "127.0.0.1:%d" % port, "--", "sh", "-c", "%s all & %s all; wait" % (MARKED, MARKED))
    there = info(trace)
    lingering.stdin.close()
    lingering.wait(30)
    expect(there["messages"] == 2 * one["messages"], "%d messages" % there["messages"])
    expect(len(there["processes"]) == 3, "processes: %s" % there["processes"])


def check_killed(scratch, one):
    """A program that is killed does not end the recording of the others."""
    trace, ports = os.path.join(scratch, "killed.tracy"), [free_port() for _ in range(2)]
    recorder = start_record(trace, "-a", ":%d" % ports[0], "-a", ":%d" % ports[1])
    killed = start_client(ports[0], MARKED, "killed")
    wait_for(lambda: open("/proc/%d/stat" % killed.pid).read().split()[2] == "S", "the program's pause")
    time.sleep(0.5)
    killed.send_signal(signal.SIGKILL)
    killed.wait(30)
    start_client(ports[1], MARKED, "all").wait(30)
    finish(recorder)
    there = info(trace)
    expect(there["messages"] == one["messages"] + 10, "%d messages" % there["messages"])
    expect(there["open_zones"] == 2, "%d open zones" % there["open_zones"])


def check_interrupted(scratch, one):
    """Ctrl-C ends the recording of programs that continue; what they marked before is saved."""
    trace, port = os.path.join(scratch, "stopped.tracy"), free_port()
    lingering = subprocess.Popen([MARKED, "linger"], stdin=subprocess.PIPE,
                                 env=dict(os.environ, TRACY_PORT=str(port), TENDRIL_WAIT_CONNECT_MS="30000"))
    recorder = start_record(trace, "-a", ":%d" % port, "-a", ":%d" % free_port())
    time.sleep(1)
    recorder.send_signal(signal.SIGINT)
    finish(recorder)
    expect(lingering.poll() is None, "the program has ended, too")
    lingering.stdin.close()
    lingering.wait(30)
    expect(info(trace)["zones"] > 10, "%d zones" % info(trace)["zones"])


def check_limited(scratch, one):
    """Within a limit of memory, all that the programs have marked is saved with its names."""
    trace, ports = os.path.join(scratch, "limited.tracy"), [free_port() for _ in range(2)]
    clients = [start_client(port, MARKED, "two") for port in ports]
    out = record(trace, "-m", "128M", *(word for port in ports for word in ("-a", ":%d" % port)))
    expect("tendril record:" not in out, out)
    for client in clients:
        expect(client.wait(60) == 0, "a program failed")
    there = info(trace)
    expect(there["zones"] == 4000000 and len(there["processes"]) == 2, "%d zones" % there["zones"])
    names = {name["name"] for name in there["names"]}
    expect(names == {"numbered"}, "names: %s" % names)


def check_liars(scratch, one):
    """An address with bytes that make no sense is one line and exit code 1; the other program's events are all there."""
    trace, port = os.path.join(scratch, "liars.tracy"), free_port()
    liar = socket.create_server(("127.0.0.1", 0))

    def lie():
        connection = liar.accept()[0]
        with connection:
            connection.recv(12)
            connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n" * 100)

    threading.Thread(target=lie, daemon=True).start()
    client = start_client(port, MARKED, "all")
    out = record(trace, "-a", ":%d" % port, "-a", ":%d" % liar.getsockname()[1], code=1)
    client.wait(30)
    expect(out.count("tendril record:") == 1 and "no Tracy client has" in out, out)
    there = info(trace)
    expect([there[key] for key in COUNTS] == [one[key] for key in COUNTS], "counts: %s" % there)


def check_two_recorders(scratch, one):
    """A second recorder of a program says that there is one; the first gets all."""
    first, second, port = os.path.join(scratch, "first.tracy"), os.path.join(scratch, "late.tracy"), free_port()
    lingering = subprocess.Popen([MARKED, "linger"], stdin=subprocess.PIPE,
                                 env=dict(os.environ, TRACY_PORT=str(port), TENDRIL_WAIT_CONNECT_MS="30000"))
    recorder = start_record(first, "-a", ":%d" % port)
    wait_for(lambda: os.path.exists(first + ".journal") and os.path.getsize(first + ".journal") > 4096, "the first recorder")
    late = start_record(second, "-a", ":%d" % port)
    time.sleep(1)
    late.send_signal(signal.SIGINT)
    out = finish(late, code=1)
    expect(out.count("tendril record:") == 1 and "to another capture or viewer" in out or "busy with another" in out, out)
    lingering.stdin.close()
    lingering.wait(30)
    out = finish(recorder)
    expect("tendril record:" not in out, out)
    expect(info(first)["zones"] > 100 and info(first)["open_zones"] == 0, "the first recorder: %s" % info(first))


def check_usage(scratch, one):
    trace = os.path.join(scratch, "none.tracy")
    for words, text in ((("-a", "x:0"), "is not HOST:PORT"), (("-a", "x:70000"), "is not HOST:PORT"),
                        (("-a", "[::1]:y"), "is not HOST:PORT"), (("-a", ":1", "-a", ":1"), "given twice"),
                        ((), "nothing to record"), (("-b", "tensix_sim"), "would end with the recording"),
                        (("-b", "none", "-b", "tensix_sim", "--", "true"), "exclude each other"),
                        (("-b", "tensix_sim", "-b", "tensix_sim", "--clock", "insn", "--", "true"), "--clock insn"),
                        (("-b", "none", "--clock", "insn", "--", "true"), "--clock insn"),
                        (("--policy", "sometimes", "--", "true"), "is not one of")):
        out = record(trace, *words, code=2)
        expect(text in out and out.count("\n") == 1, "%s: %s" % (words, out))
        expect(not os.path.exists(trace), "%s left a trace" % (words,))


def main():
    names = sys.argv[1:] or [name[6:] for name in globals() if name.startswith("check_")]
    with folder() as scratch:
        one = reference(scratch)
        expect(one["zones"] == 80 and not one["processes"], "the reference has %d zones" % one["zones"])
        for name in names:
            print(name, flush=True)
            globals()["check_" + name](scratch, one)


main()
