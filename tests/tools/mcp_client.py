"""A client of the Model Context Protocol over pipes, for tests of `tendril mcp`."""
import json
import subprocess

from common import TENDRIL

REVISION = "2025-11-25"


class Client:
    def __init__(self, *words, revision=REVISION, **more):
        self.process = subprocess.Popen([TENDRIL, "mcp", *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, **more)
        self.number = 0
        self.hello = self.request("initialize", protocolVersion=revision, capabilities={},
                                  clientInfo={"name": "test", "version": "1"})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.process.stdin.close()
        self.process.wait(60)
        self.process.stdout.close()
        self.process.stderr.close()

    def write(self, line):
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def send(self, message):
        self.write(json.dumps(message).encode())

    def read(self):
        return json.loads(self.process.stdout.readline())

    def begin(self, method, **parameters):
        """Sends a request; its number."""
        self.number += 1
        self.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": parameters})
        return self.number

    def request(self, method, **parameters):
        """The whole answer."""
        number = self.begin(method, **parameters)
        answer = self.read()
        assert answer["id"] == number, answer
        return answer

    def result(self, method, **parameters):
        return self.request(method, **parameters)["result"]

    def call(self, tool, **arguments):
        """What a tool answers: its object, or the text of its error."""
        result = self.result("tools/call", name=tool, arguments=arguments)
        text = result["content"][0]["text"]
        if result.get("isError"):
            return text
        assert json.loads(text) == result.get("structuredContent", json.loads(text)), "text and object differ"
        return json.loads(text)

    def rows(self, tool, **arguments):
        """All rows of all pages, as dicts."""
        rows, page = [], self.call(tool, **arguments)
        while True:
            rows += [dict(zip(page["columns"], row)) for row in page["rows"]]
            if "next_cursor" not in page:
                return rows
            page = self.call(tool, cursor=page["next_cursor"])
