"""A viewer that is shown in browsers (tendril view --web), and a client of its WebSocket without a browser."""
import base64
import http.client
import json
import os
import re
import select
import socket
import ssl
import struct
import subprocess
import zlib

TENDRIL = os.path.join(os.environ["TD_BINARY_DIR"], "bin", "tendril")


class Viewer:
    """with Viewer(folder, trace) as v: v.url, v.port, v.token"""

    def __init__(self, folder, *arguments):
        self.folder = folder
        env = {**os.environ, "XDG_DATA_HOME": folder, "XDG_CONFIG_HOME": folder, "XDG_STATE_HOME": folder, "TMPDIR": folder}
        self.child = subprocess.Popen([TENDRIL, "view", "--web", "0", *arguments], env=env, stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE, text=True)
        line = self.child.stdout.readline()
        found = re.match(r"Open (https?://127\.0\.0\.1:(\d+)/\?token=([0-9a-f]{32})) in a browser\n$", line)
        if not found:
            raise RuntimeError("%r %s" % (line, self.child.stderr.read()))
        self.url, self.port, self.token = found[1], int(found[2]), found[3]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.child.terminate()
        self.errors = self.child.communicate(timeout=60)[1]
        self.status = self.child.returncode


def viewer_or_skip(folder, trace):
    """None: this build shows nothing in browsers; a line says so."""
    try:
        return Viewer(folder, trace)
    except RuntimeError as error:
        if "without" not in str(error):
            raise
        print("skipped:", error)
    return None


def get(port, path, method="GET", seconds=20):
    """The status and the body of an answer; status 0: the connection was closed."""
    link = http.client.HTTPConnection("127.0.0.1", port, timeout=seconds)
    try:
        link.request(method, path)
        answer = link.getresponse()
        return answer.status, answer.read()
    except (http.client.BadStatusLine, ConnectionError):
        return 0, b""
    finally:
        link.close()


class Client:
    """A WebSocket; `status` is that of the answer to its request."""

    def __init__(self, port, token, origin=None, view="one", certificate=None):
        self.link = socket.create_connection(("127.0.0.1", port), 20)
        if certificate:
            self.link = ssl.create_default_context(cafile=certificate).wrap_socket(self.link, server_hostname="127.0.0.1")
        key = base64.b64encode(os.urandom(16)).decode()
        origin = "%s://127.0.0.1:%d" % ("https" if certificate else "http", port) if origin is None else origin
        self.link.sendall(("GET /screen?token=%s&view=%s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUpgrade: websocket\r\n"
                           "Connection: Upgrade\r\nSec-WebSocket-Key: %s\r\nSec-WebSocket-Version: 13\r\n"
                           "Sec-WebSocket-Protocol: tendril\r\n%s\r\n" %
                           (token, view, port, key, "Origin: %s\r\n" % origin if origin else "")).encode())
        self.rest = b""
        while b"\r\n\r\n" not in self.rest:
            piece = self.link.recv(65536)
            if not piece:
                break
            self.rest += piece
        head, _, self.rest = self.rest.partition(b"\r\n\r\n")
        self.status = int(head.split()[1]) if head else 0

    def send(self, payload, code=None, last=True):
        code = code if code is not None else 1 if isinstance(payload, str) else 2
        payload = payload.encode() if isinstance(payload, str) else payload
        mask, count = b"\1\2\3\4", len(payload)
        size = bytes([count | 128]) if count < 126 else struct.pack(">BH", 254, count) if count < 65536 else struct.pack(">BQ", 255, count)
        repeated = (mask * (count // 4 + 1))[:count]
        body = (int.from_bytes(payload, "big") ^ int.from_bytes(repeated, "big")).to_bytes(count, "big")
        self.link.sendall(bytes([code | 128 * last]) + size + mask + body)

    def send_events(self, *events):
        self.send(json.dumps(events))

    def take(self, count):
        while len(self.rest) < count:
            piece = self.link.recv(1 << 20)
            if not piece:
                raise EOFError("the viewer has closed the connection")
            self.rest += piece
        piece, self.rest = self.rest[:count], self.rest[count:]
        return piece

    def receive(self):
        """The next message: (kind of the frame, bytes)."""
        whole, kind = b"", 0
        while True:
            first, size = self.take(2)
            count = size & 127
            count = struct.unpack(">H", self.take(2))[0] if count == 126 else struct.unpack(">Q", self.take(8))[0] if count == 127 else count
            kind = first & 15 or kind
            whole += self.take(count)
            if first & 128:
                break
        if kind == 2:
            self.acknowledge(whole)
        return kind, whole

    def acknowledge(self, picture):
        """As the page does, or no more pictures come."""
        number = 0
        for shift, byte in enumerate(zlib.decompressobj(-15).decompress(picture[1:], 5)):
            number |= (byte & 127) << 7 * shift
            if byte < 128:
                break
        self.send_events(["ack", number])

    def answer(self, name):
        """The next text that has this field."""
        while True:
            kind, message = self.receive()
            if kind == 8:
                raise EOFError("the viewer has closed the connection")
            if kind == 1 and name in json.loads(message):
                return json.loads(message)

    def answer_any(self):
        """The next text."""
        while True:
            kind, message = self.receive()
            if kind == 1:
                return json.loads(message)

    def run(self, *words):
        self.send_events(["run", 7, json.dumps({"command": words[0], "arguments": words[1:]})])
        return self.answer("reply")["answer"]

    def is_quiet(self, seconds):
        """Nothing comes."""
        return not self.rest and not select.select([self.link], [], [], seconds)[0]

    def is_closed(self):
        try:
            while self.receive()[0] != 8:
                pass
        except (EOFError, OSError):
            pass
        return True

    def close(self):
        self.link.close()
