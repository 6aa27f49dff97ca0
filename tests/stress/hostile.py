#!/usr/bin/env python3
"""Connections that lie, stall or leave, while a recording runs: it notices nothing, and its counts are exact.

Usage: TD_BINARY_DIR=build tests/stress/hostile.py [N] [--seed S]      N connections in all, default 1000

A third of them come to the port where `tendril record --serve` serves the recording, a third to the ports of the programs
that are recorded, and a third are what record and capture find at addresses of programs: liars, which send a part of a
real session, then damage it, stall, or reset the connection.
"""
import argparse
import os
import random
import resource
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir))
sys.path.insert(0, os.path.join(HERE, os.pardir, "serve"))
import test_hostile
from checks import check, failures
from kit import BINARY, LOAD, TENDRIL, info, wait_for
from mixed import MESSAGES_OF_A_TURN, OF_A_TURN, PAUSE_US, THREADS, counts, messages, start_client, start_viewer
from ports import free_port

MOST_ADDRESSES = 60  # of 64 that record takes
WAIT_S = 200  # only for what hangs
CLIENT = os.path.join(BINARY, "tests", "mixed_client")


def reset(peer):
    """Ends a connection as a machine that has lost it does."""
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    peer.close()


def real_session():
    """What a client sends in a short session."""
    port, outer = free_port(), socket.create_server(("127.0.0.1", 0))
    sent = bytearray()

    def pass_on(source, to, keep):
        try:
            while data := source.recv(65536):
                if keep:
                    sent.extend(data)
                to.sendall(data)
            to.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    program = subprocess.Popen([LOAD, "2", "60000", "2000"], stdout=subprocess.DEVNULL,
                               env=dict(os.environ, TRACY_PORT=str(port), TENDRIL_WAIT_CONNECT_MS="20000"))
    capture = subprocess.Popen([TENDRIL, "capture", "-q", "-f", "-o", os.devnull, "-p", str(outer.getsockname()[1])],
                               stdout=subprocess.DEVNULL)
    recorder, _ = outer.accept()
    while True:
        try:
            client = socket.create_connection(("127.0.0.1", port))
            break
        except ConnectionRefusedError:
            time.sleep(.02)
    threading.Thread(target=pass_on, args=(recorder, client, False), daemon=True).start()
    pass_on(client, recorder, True)
    program.wait(WAIT_S)
    capture.wait(WAIT_S)
    return bytes(sent)


class Liar:
    """Listens where a program is expected. Each connection gets another lie."""

    def __init__(self, session, chance, first, most):
        self.session, self.chance, self.first, self.most = session, chance, first, most
        self.lies, self.stalled = 0, []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while self.lies < self.most:
            try:
                peer, _ = self.listener.accept()
            except OSError:
                return
            try:
                self.lie(peer, self.first + self.lies)
            except OSError:
                peer.close()
            self.lies += 1
        self.listener.close()

    def lie(self, peer, number):
        chance, kind = self.chance, number % 8
        part = self.session[:chance.randrange(1, len(self.session))]
        peer.settimeout(5)
        if kind == 0:
            peer.sendall(chance.randbytes(chance.randrange(1, 100000)))
        elif kind == 1:  # leaves without a word
            pass
        elif kind == 2:  # a status of the greeting that is none
            peer.sendall(bytes([chance.randrange(256)]) + part[1:])
        elif kind == 3:  # leaves in the middle
            peer.sendall(part)
        elif kind == 4:  # is lost in the middle
            peer.sendall(part)
            time.sleep(chance.random() * .2)
            reset(peer)
            return
        elif kind == 5:  # sends what makes no sense
            peer.sendall(part + chance.randbytes(100000))
        elif kind == 6:  # some bytes are wrong
            damaged = bytearray(part)
            for _ in range(chance.randrange(1, 20)):
                damaged[chance.randrange(len(damaged))] ^= 1 << chance.randrange(8)
            peer.sendall(damaged)
        else:  # stalls: for some time, or until the recording ends
            peer.sendall(part[:chance.choice((1, 100, len(part)))])
            if number % 16 == 7 and number < 60:
                self.stalled.append(peer)
                return
            time.sleep(chance.random())
        peer.close()


def knock(port, number, chance):
    """One connection to a program that is recorded. It is returned to be kept open, or None."""
    try:
        peer = socket.create_connection(("127.0.0.1", port), timeout=5)
        if number % 4 == 0:
            peer.sendall(chance.randbytes(chance.randrange(1, 4000)))
        elif number % 4 == 1:
            peer.sendall(test_hostile.hello(test_hostile.PROTOCOLS[number % len(test_hostile.PROTOCOLS)]))
        elif number % 4 == 2:
            reset(peer)
            return None
        return peer
    except OSError:  # it has ended, or has closed the connection
        return None


def attack(number, served, programs, chance, peers):
    """`number` connections each to the server and to the programs, some of which stay."""
    for i in range(number):
        if peers and (i % 8 == 7 or len(peers) > 300):
            peers.pop(chance.randrange(len(peers))).close()
        for make in (lambda i=i: test_hostile.lie(served, i), lambda i=i: knock(chance.choice(programs), i, chance)):
            try:
                peer = make()
            except OSError as error:
                check(False, "no connection: %s" % error)
                continue
            if peer and peer.fileno() >= 0:
                peers.append(peer)
        time.sleep(chance.random() * .01)


def recording(folder, number, session, chance):
    """Two programs are recorded and a viewer follows, while everything else lies. Returns the number of lies."""
    turns = int((4 + number * .03) * 1e6 / PAUSE_US)
    trace, served, done = os.path.join(folder, "all.tracy"), free_port(), os.path.join(folder, "done")
    addresses = min(number, MOST_ADDRESSES)
    clients = [start_client(CLIENT, turns) for _ in range(2)]
    liars = [Liar(session, random.Random(chance.random()), i, number // addresses + 1) for i in range(addresses)]
    ports = [port for port, _ in clients] + [liar.port for liar in liars]
    recorder = subprocess.Popen([TENDRIL, "record", "-o", trace, "-b", "none", "--serve", str(served),
                                 *(word for port in ports for word in ("-a", "127.0.0.1:%d" % port)), "--",
                                 "sh", "-c", 'while [ ! -e "$0" ]; do sleep .1; done', done],
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
    seen, viewer = start_viewer("0.12.2", served, folder)
    peers = []
    try:
        check(wait_for(lambda: os.path.exists(trace + ".journal") or recorder.poll() is not None) and recorder.poll() is None,
              "record does not begin")
        time.sleep(1)
        attack(number, served, [port for port, _ in clients], chance, peers)
        for _, client in clients:
            check(client.wait(WAIT_S) == 0, "a client ended with %s" % client.returncode)
        with open(done, "w", encoding="ascii"):
            pass
        out, _ = recorder.communicate(timeout=WAIT_S)
        viewer_said, _ = viewer.communicate(timeout=WAIT_S)
    finally:
        for process in (recorder, viewer, *(client for _, client in clients)):
            process.kill()
    lines = out.strip().splitlines()
    print("record: exit code %d, %d lines, such as:\n  %s" % (recorder.returncode, len(lines), "\n  ".join(lines[:3] + lines[-8:])))
    check(recorder.returncode in (0, 1), "record ended with %d: %s" % (recorder.returncode, out[-500:]))
    check(viewer.returncode == 0, "the viewer ended with %d: %s" % (viewer.returncode, viewer_said[-500:]))
    for path in (trace, seen):
        facts = info(path)
        check(facts is not None, "%s cannot be read" % path)
        if not facts:
            continue
        found = counts(facts)
        for name, times in OF_A_TURN.items():
            wanted = times * turns * THREADS * len(clients)
            check(found.get(name) == wanted, "%s: %s zones '%s' instead of %d" % (path, found.get(name), name, wanted))
        texts, each = messages(path), MESSAGES_OF_A_TURN * len(clients)
        wrong = [text for text in ("turn %d of thread %d" % (turn, thread) for turn in range(turns) for thread in range(THREADS))
                 if texts[text] != each]
        check(not wrong, "%s: %d messages are not there %d times, such as %s" % (path, len(wrong), each, wrong[:3]))
    return sum(liar.lies for liar in liars)


def captures(folder, number, session, chance):
    """`tendril capture` meets one liar after the other: it ends by itself, with one line if it has no whole session."""
    liar, trace = Liar(session, chance, 0, number), os.path.join(folder, "c.tracy")
    for i in range(number):
        command = [TENDRIL, "capture", "-q", "-f", "-o", trace, "-p", str(liar.port), "--no-journal", "--wait", "20"]
        stalls = i % 16 == 7 and i < 60
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True) as running:
            if stalls:
                time.sleep(1)
                running.terminate()
            try:
                _, err = running.communicate(timeout=30)
            except subprocess.TimeoutExpired:
                running.kill()
                _, err = running.communicate()
                check(False, "lie %d: capture does not end" % i)
        lines = err.strip().splitlines()
        check(running.returncode >= 0 and (len(lines) == 1 or stalls or i % 8 == 6), "lie %d: exit code %d, %s" % (i, running.returncode, lines))
        if running.returncode == 0:
            check(info(trace) is not None, "lie %d: the trace cannot be read" % i)
    return liar.lies


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("number", type=int, nargs="?", default=1000)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    given = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_NOFILE, (4096, max(4096, resource.getrlimit(resource.RLIMIT_NOFILE)[1])))
    chance, each = random.Random(given.seed), -(-given.number // 3)
    print("seed %d" % given.seed, flush=True)
    session = real_session()
    print("a session has %d bytes" % len(session), flush=True)
    with tempfile.TemporaryDirectory(prefix="tendril-hostile-") as folder:
        lies = recording(folder, each, session, chance)
        more = captures(folder, max(8, each - lies), session, chance)
    print("%d connections to the server and as many to the programs, %d liars for record, %d for capture; %d wrong" %
          (each, lies, more, failures()))
    return failures() != 0


if __name__ == "__main__":
    sys.exit(main())
