#!/usr/bin/env python3
"""`tendril capture` of a client that sends a recorded session. The trace is that of the recording, whether the bytes come
one by one, in pieces of any size, or all at once, with every protocol.

    test_served.py [FOLDER...]     recordings as in test_replay.py
"""
import os
import random
import socket
import struct
import subprocess
import sys
import tempfile
import threading

import test_replay

TENDRIL = os.path.join(test_replay.BINARY, "bin", "tendril")
MAGIC = b"TracyPrf"


def recorded(path):
    """The client's bytes, and the protocol."""
    with open(path, "rb") as file:
        data = file.read()
    said, asked, at = b"", b"", 0
    while at < len(data):
        to_client, count = struct.unpack_from("<BI", data, at)
        piece = data[at + 5:at + 5 + count]
        said, asked = (said, asked + piece) if to_client else (said + piece, asked)
        at += 5 + count
    return said, struct.unpack_from("<I", asked, len(MAGIC))[0]


def read_hello(connection):
    hello = b""
    while len(hello) < 12:
        more = connection.recv(12 - len(hello))
        if not more:
            return None
        hello += more
    return struct.unpack("<I", hello[8:])[0] if hello[:8] == MAGIC else None


def say(connection, said, chunk):
    rng = random.Random(1)
    at = 0
    while at < len(said):
        size = chunk or rng.choice((1, 3, 13, 100, 1448, 5000))
        connection.sendall(said[at:at + size])
        at += size
    connection.shutdown(socket.SHUT_WR)
    while connection.recv(65536):  # queries are discarded: the recording has the answers
        pass


class Client(threading.Thread):
    """Refuses all protocols but one, then sends the recording. `refused`: the refused protocols."""

    def __init__(self, said, protocol, chunk):
        super().__init__(daemon=True)
        self.said, self.protocol, self.chunk, self.refused = said, protocol, chunk, []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.listener.settimeout(60)
        self.port = self.listener.getsockname()[1]

    def run(self):
        while True:
            connection, _ = self.listener.accept()
            with connection:
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                connection.settimeout(60)
                protocol = read_hello(connection)
                if protocol == self.protocol:
                    try:
                        say(connection, self.said, self.chunk)
                    except OSError:
                        pass  # the recorder may disconnect as soon as it has all
                    return
                self.refused.append(protocol)
                connection.sendall(b"\2")


def check(folder, name, scratch):
    base = os.path.join(test_replay.CORPUS, folder, name)
    trace = os.path.join(scratch, "served.tracy")
    said, protocol = recorded(base + ".stream")
    stock, bad = test_replay.content(test_replay.dump(base + ".tracy"), folder), 0
    for chunk in (1, None, len(said)):
        client = Client(said, protocol, chunk)
        client.start()
        out = subprocess.run([TENDRIL, "capture", "-f", "-o", trace, "-p", str(client.port)], stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, universal_newlines=True, timeout=120)
        client.join(60)
        if out.returncode or any(p <= protocol for p in client.refused):
            bad += 1
            print("%s/%s: %s, refused %s" % (folder, name, out.stdout, client.refused))
            continue
        ours = test_replay.content(test_replay.dump(trace), folder)
        for key in sorted(set(stock) | set(ours)):
            if stock.get(key) != ours.get(key) and not test_replay.known(folder, name, key):
                bad += 1
                print("%s/%s by %s: %s" % (folder, name, chunk,
                                           test_replay.first_difference(stock.get(key), ours.get(key), key)))
    return bad


def main():
    done = bad = 0
    with tempfile.TemporaryDirectory() as scratch:
        for folder in sys.argv[1:] or test_replay.RELEASES:
            for name in ("features", "gpu", "ondemand"):
                if os.path.exists(os.path.join(test_replay.CORPUS, folder, name + ".stream")):
                    done += 1
                    bad += check(folder, name, scratch)
    print("%d sessions, three ways, %d differences" % (done, bad))
    return bad != 0 or done == 0


if __name__ == "__main__":
    sys.exit(main())
