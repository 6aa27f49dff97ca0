"""A viewer that is driven over its socket (tendril view --listen)."""
import json
import os
import socket
import subprocess
import time

TENDRIL = os.path.join(os.environ["TD_BINARY_DIR"], "bin", "tendril")


class Client:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(60)
        self.socket.connect(path)
        self.lines = self.socket.makefile("rb")

    def send(self, request):
        self.socket.sendall((request if isinstance(request, bytes) else json.dumps(request).encode()) + b"\n")

    def receive(self):
        return json.loads(self.lines.readline())

    def ask(self, command, *arguments):
        self.send({"command": command, "arguments": list(arguments)} if arguments else {"command": command})
        return self.receive()


def start(path, *traces):
    """A viewer of these traces without a window, and a client of its socket; None: it did not start. Without a
    trace it shows the welcome page."""
    folder = os.path.dirname(path)
    env = {**os.environ, "XDG_DATA_HOME": folder, "XDG_CONFIG_HOME": folder, "XDG_STATE_HOME": folder}
    viewer = subprocess.Popen([TENDRIL, "view", "--offscreen", "--listen", path, *traces], env=env,
                              stderr=subprocess.PIPE, text=True)
    while viewer.poll() is None:
        try:
            return viewer, Client(path)
        except OSError:
            time.sleep(0.05)
    return viewer, None
