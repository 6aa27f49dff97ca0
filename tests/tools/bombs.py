"""Journals (host/agent/journal/journal_layout.h) of a few KB that unpack to much: kernels' ELFs and source files. Also an
agent that sends one to a recorder, and what a command takes meanwhile."""
import glob
import os
import socket
import struct
import subprocess
import threading
import time

MAGIC, VERSION, MARK, RAW_MAX, RECORD_MAX = b"TDJRNL\r\n", 1, 0xB10CDA7A, 512 << 10, 128 << 10
SETTING, FILE, FILE_TEXT, COLLECTED, SOURCE_FILE, SOURCE_TEXT, IMAGE, IMAGE_BYTES = 1, 3, 4, 2, 19, 20, 38, 39
RECEIVED = 17
P1, P2, P3, P4, P5 = (11400714785074694791, 14029467366897019727, 1609587929392839161, 9650029242287828579,
                      2870177450012600261)
MASK = (1 << 64) - 1


def rotated(x, n):
    return ((x << n) | (x >> (64 - n))) & MASK


def mixed(acc, word):
    return rotated((acc + word * P2) & MASK, 31) * P1 & MASK


def checksum(data):
    """XXH64 with seed 0."""
    at, count = 0, len(data)
    if count >= 32:
        lanes = [(P1 + P2) & MASK, P2, 0, -P1 & MASK]
        for at in range(0, count - 31, 32):
            lanes = [mixed(lane, word) for lane, word in zip(lanes, struct.unpack_from("<4Q", data, at))]
        at += 32
        h = sum(rotated(lane, n) for lane, n in zip(lanes, (1, 7, 12, 18))) & MASK
        for lane in lanes:
            h = ((h ^ mixed(0, lane)) * P1 + P4) & MASK
    else:
        h = P5
    h = (h + count) & MASK
    for at in range(at, count - 7, 8):
        h = (rotated(h ^ mixed(0, struct.unpack_from("<Q", data, at)[0]), 27) * P1 + P4) & MASK
    at = count & ~7
    if count - at >= 4:
        h = (rotated(h ^ (struct.unpack_from("<I", data, at)[0] * P1 & MASK), 23) * P2 + P3) & MASK
        at += 4
    for byte in data[at:]:
        h = rotated(h ^ (byte * P5 & MASK), 11) * P1 & MASK
    for shift, prime in ((33, P2), (29, P3)):
        h = (h ^ (h >> shift)) * prime & MASK
    return h ^ (h >> 32)


def length(n):
    """The part of a length of LZ4 that its token does not hold."""
    return b"" if n < 15 else b"\xff" * ((n - 15) // 255) + bytes([(n - 15) % 255])


def packed(pieces):
    """LZ4 of pieces (bytes, count of zeros after them)."""
    out, literals = b"", b""
    for head, zeros in pieces:
        literals += head
        if zeros < 32:
            literals += bytes(zeros)
            continue
        literals += b"\0"
        match = zeros - 1 - 4
        out += bytes([min(len(literals), 15) << 4 | min(match, 15)]) + length(len(literals)) + literals + b"\1\0" + length(match)
        literals = b""
    literals += b""
    return out + bytes([min(len(literals), 15) << 4]) + length(len(literals)) + literals


class Journal:
    def __init__(self):
        head = MAGIC + struct.pack("<IIq", VERSION, 0, time.time_ns())
        self.data, self.blocks = bytearray(head + struct.pack("<Q", checksum(head))), 0
        self.pieces, self.raw = [], 0

    def record(self, kind, source, head=b"", zeros=0):
        """A record of these bytes and zeros; at most RECORD_MAX."""
        if self.raw + 8 + len(head) + zeros + 16 > RAW_MAX:
            self.flush()
        self.pieces.append((struct.pack("<BBHI", kind, 0, source, len(head) + zeros) + head, zeros))
        self.raw += 8 + len(head) + zeros

    def many(self, kind, source, zeros):
        while zeros > 0:
            self.record(kind, source, zeros=min(zeros, RECORD_MAX))
            zeros -= RECORD_MAX

    def elf(self, source, build_id, zeros):
        self.record(IMAGE, source, struct.pack("<Q", build_id))
        self.many(IMAGE_BYTES, source, zeros)

    def flush(self):
        if not self.pieces:
            return
        # LZ4 wants that the last bytes are literals: a record that no reader knows.
        self.pieces.append((struct.pack("<BBHI", 255, 0, 0, 8) + b"the end.", 0))
        stored = packed(self.pieces)
        if len(stored) >= self.raw + 16:  # it is not smaller
            stored = b"".join(head + bytes(zeros) for head, zeros in self.pieces)
        head = struct.pack("<IIQIIqQ", MARK, len(stored), self.blocks, self.raw + 16, 0, time.time_ns(), checksum(stored))
        self.data += head + struct.pack("<Q", checksum(head)) + stored
        self.blocks += 1
        self.pieces, self.raw = [], 0

    def bytes(self):
        self.flush()
        return bytes(self.data)


class Agent(threading.Thread):
    """Listens as `tendril agent` does, and sends a journal to the first recorder."""

    def __init__(self, journal):
        super().__init__(daemon=True)
        journal.record(COLLECTED, 0, struct.pack("<I", 0))
        self.journal = journal.bytes()
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.at = "127.0.0.1:%d" % self.socket.getsockname()[1]
        self.start()

    def run(self):
        stream = self.socket.accept()[0]
        stream.recv(24, socket.MSG_WAITALL)
        stream.sendall(struct.pack("<8sIIQd96s", b"TDAGENT\n", 2, 0, 1, 1.0, b""))
        threading.Thread(target=self.clock, daemon=True).start()
        try:
            stream.sendall(self.journal)
            stream.shutdown(socket.SHUT_WR)
            while stream.recv(100):
                pass
        except OSError:  # the recorder has ended
            pass

    def clock(self):
        connection = self.socket.accept()[0]
        connection.recv(24, socket.MSG_WAITALL)
        try:
            while len(ping := connection.recv(8, socket.MSG_WAITALL)) == 8:
                connection.sendall(ping + struct.pack("<Q", time.monotonic_ns()))
        except ConnectionError:  # the recorder has ended
            pass


def bytes_of_elfs(pid_folders):
    total = 0
    for folder in pid_folders:
        for path in glob.glob(os.path.join(folder, "*.elf")):
            try:
                total += os.stat(path).st_blocks * 512
            except OSError:
                pass
    return total


def run_and_measure(words, timeout=120, **variables):
    """(exit code, standard error, most bytes of ELFs in its folder, most resident bytes) of a command."""
    temporary = [os.path.join(base, "tendril-run.*") for base in ("/dev/shm", os.environ.get("TMPDIR", "/tmp"))]
    before = {folder for pattern in temporary for folder in glob.glob(pattern)}
    running = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                               env={**os.environ, **variables})
    elfs = resident = 0
    until = time.monotonic() + timeout
    while running.poll() is None and time.monotonic() < until:
        elfs = max(elfs, bytes_of_elfs({folder for pattern in temporary for folder in glob.glob(pattern)} - before))
        try:
            with open(f"/proc/{running.pid}/status", encoding="ascii") as f:
                resident = max([resident] + [int(line.split()[1]) << 10 for line in f if line.startswith("VmHWM")])
        except OSError:
            pass
        time.sleep(0.002)
    running.kill()
    return running.wait(), running.stderr.read(), elfs, resident
