"""TCP ports for tests that run beside others; `python3 tests/ports.py` prints one."""
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


if __name__ == "__main__":
    print(free_port())
