"""A headless Chromium that is driven by the DevTools protocol through two pipes."""
import json
import os
import shutil
import subprocess
import time

PROGRAM = shutil.which("chromium") or shutil.which("chromium-headless-shell")


class Browser:
    """with Browser(folder) as b: b.open(path); b.value("document.title")"""

    # It draws with WebGL, and may connect to this machine.
    LOCAL = ("--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--enable-unsafe-swiftshader", "--use-angle=swiftshader")
    ALONE = ("--host-resolver-rules=MAP * ~NOTFOUND", "--disable-gpu")

    def __init__(self, folder, options=ALONE):
        self.options = options
        self.folder, self.number, self.events, self.rest, self.session = folder, 0, [], b"", None

    def __enter__(self):
        to_child, self.to = os.pipe()
        self.got, from_child = os.pipe()
        log = open(os.path.join(self.folder, "browser.log"), "wb")
        # The browser reads from 3 and writes to 4.
        self.child = subprocess.Popen(
            ["sh", "-c", 'exec "$0" "$@" 3<&%d 4>&%d' % (to_child, from_child), PROGRAM, "--headless", "--no-sandbox",
             *self.options, "--disable-dev-shm-usage", "--no-first-run", "--disable-extensions",
             "--disable-background-networking",
             "--user-data-dir=" + os.path.join(self.folder, "profile"), "--remote-debugging-pipe", "about:blank"],
            pass_fds=(to_child, from_child), stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        log.close()
        os.close(to_child)
        os.close(from_child)
        target = self.call("Target.createTarget", {"url": "about:blank"})["targetId"]
        self.session = self.call("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        return self

    def __exit__(self, *_):
        try:
            self.session = None
            self.call("Browser.close")
        finally:
            os.close(self.to)
            try:
                self.child.wait(10)
            except subprocess.TimeoutExpired:
                self.child.kill()
                self.child.wait()
            os.close(self.got)

    def read(self):
        """The next message."""
        while b"\0" not in self.rest:
            piece = os.read(self.got, 1 << 20)
            if not piece:
                raise EOFError("the browser has ended: see " + os.path.join(self.folder, "browser.log"))
            self.rest += piece
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, params=None):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params or {}}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError("%s: %s" % (method, answer["error"]))
                return answer["result"]
            self.events.append(answer)

    def open(self, path):
        """Loads a file, and waits until it is complete."""
        self.events.clear()
        self.call("Page.navigate", {"url": "file://" + path})
        end = time.monotonic() + 60
        while not any(e.get("method") == "Page.loadEventFired" for e in self.events) and time.monotonic() < end:
            self.events.append(self.read())

    def value(self, expression):
        got = self.call("Runtime.evaluate", {"expression": expression, "returnByValue": True})
        if "exceptionDetails" in got:
            raise RuntimeError("%s: %s" % (expression, got["exceptionDetails"]))
        return got["result"].get("value")

    def seen(self, method):
        return [e["params"] for e in self.events if e.get("method") == method]
