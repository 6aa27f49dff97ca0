"""TCP ports for tests that run beside others; `python3 tests/ports.py` prints one, which is kept as long as the shell lives
that asked."""
import os
import select
import socket

KEPT = []


def free_port():
    """One that nobody else is given for a while; a listener that reuses addresses, as clients do, can have it."""
    s = socket.socket()
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    s.bind(("127.0.0.1", 0))
    KEPT.append(s)
    if len(KEPT) > 100:
        KEPT.pop(0).close()
    return s.getsockname()[1]


def keep_for(pid):
    """In a process of its own, which ends with that one; where the system cannot tell of that, not at all."""
    try:
        shell = os.pidfd_open(pid)
    except OSError:
        return
    if os.fork() == 0:
        nothing = os.open("/dev/null", os.O_RDWR)
        for fd in range(3):
            os.dup2(nothing, fd)
        select.select([shell], [], [])
        os._exit(0)


if __name__ == "__main__":
    print(free_port(), flush=True)
    keep_for(os.getppid())
