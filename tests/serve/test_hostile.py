"""Connections that lie, stall, leave or ask for too much cost the server and its other viewers nothing."""
import os
import random
import re
import resource
import socket
import struct
import sys
import tempfile
import time

import serving
from serving import BINARY, SOURCE, Server, info, run
from test_live import Capture, Session

TENDRIL = os.path.join(BINARY, "bin", "tendril")
TRACE = os.path.join(SOURCE, "tests", "data", "trace", "0.11.1", "features.tracy")
PROTOCOLS = [63, 64, 66, 69, 74, 76, 82]
CONNECTIONS = 200
RANDOM = random.Random(1)


def hello(protocol):
    return b"TracyPrf" + struct.pack("<I", protocol)


def query(number, ptr=0, extra=0):
    return struct.pack("<BQI", number, ptr, extra)


def connect(port):
    return socket.create_connection(("127.0.0.1", port), timeout=serving.WAIT_S)


def send(peer, data):
    """As much as the server takes: it may close in the middle."""
    try:
        peer.sendall(data)
    except OSError:
        pass


def lie(port, number):
    """One hostile connection of several kinds; it is returned to be kept open."""
    peer = connect(port)
    protocol = PROTOCOLS[number % len(PROTOCOLS)]
    kind = number % 8
    if kind == 0:
        send(peer, RANDOM.randbytes(RANDOM.randrange(1, 4000)))
    elif kind == 1:
        send(peer, hello(4711))
    elif kind == 2:
        send(peer, hello(protocol)[:7])
    elif kind == 3:
        send(peer, hello(protocol) + RANDOM.randbytes(13 * RANDOM.randrange(1, 300)))
    elif kind == 4:  # names of everything, and reads nothing
        send(peer, hello(protocol) + b"".join(query(1, (1 << 40) + n) for n in range(2000)))
    elif kind == 5:
        send(peer, hello(protocol) + query(14, 1 << 60) + query(15, 1, 1) + query(13, 1))
    elif kind == 6:
        send(peer, hello(protocol))
        peer.close()
    return peer


def peak_kib(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        return int(re.search(r"VmHWM:\s+(\d+) kB", status.read()).group(1))


def recorded(port, folder):
    out = os.path.join(folder, "out.tracy")
    result = run([TENDRIL, "capture", "-f", "-q", "--no-sources", "-p", str(port), "-o", out])
    return result, info(TENDRIL, out) if result.returncode == 0 else None


def test_finished_trace(folder):
    """After them a recorder gets the whole trace."""
    server = Server(TENDRIL, TRACE)
    peers = [lie(server.port, n) for n in range(CONNECTIONS)]
    for peer in peers[:CONNECTIONS // 2]:
        peer.close()
    time.sleep(3)  # unfinished greetings are given up after 2 s
    result, found = recorded(server.port, folder)
    for peer in peers:
        peer.close()
    code, out, err = server.end()
    assert result.returncode == 0, (result, out, err)
    assert found["zones"] == info(TENDRIL, TRACE)["zones"], found["zones"]
    assert code in (0, 1) and "refused" in out, (code, out, err)


def test_flood_of_queries():
    """A viewer that asks without end and reads nothing is not read from any more."""
    server = Server(TENDRIL, TRACE)
    before = peak_kib(server.process.pid)
    peer = connect(server.port)
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    peer.settimeout(2)
    send(peer, hello(82))
    sent, block = 0, b"".join(query(1, (1 << 40) + n % 50) for n in range(5000))
    try:
        while sent < 200 << 20:
            sent += peer.send(block)
    except TimeoutError:
        pass
    after = peak_kib(server.process.pid)
    peer.close()
    server.end()
    assert sent < 200 << 20, sent
    assert after < before + 32 * 1024, (before, after)


def test_recording(folder):
    """The capture has everything that the program sent, and a recorder that was there before has it, too."""
    session = Session(folder, 1500, 1000)
    viewer = Capture(folder, "viewer", session.port, ["--no-sources"])
    time.sleep(0.3)
    peers = [lie(session.port, n) for n in range(CONNECTIONS)]
    session.end()
    assert viewer.end() == 0, (viewer.out, viewer.err)
    for peer in peers:
        peer.close()
    for trace in (session.capture.trace, viewer.trace):
        found = info(TENDRIL, trace)
        assert (found["zones"], found["messages"]) == (9000, 6000), (trace, found["zones"], found["messages"])


def main():
    resource.setrlimit(resource.RLIMIT_NOFILE, (4096, max(4096, resource.getrlimit(resource.RLIMIT_NOFILE)[1])))
    with tempfile.TemporaryDirectory() as folder:
        test_finished_trace(folder)
        test_flood_of_queries()
        test_recording(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
