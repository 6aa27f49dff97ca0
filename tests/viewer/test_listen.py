"""tendril view --listen: a viewer without a display is driven over its socket from the first to the last command."""
import json
import os
import shutil
import subprocess
import sys
import tempfile

from driven import Client, start

sys.path.insert(0, os.path.join(os.environ["TD_SOURCE_DIR"], "tests/tools"))
from common import TENDRIL, TRACE, check, exit_status  # noqa: E402


def check_commands(client, folder):
    state = client.ask("state")
    check("state", state["ok"] and state["selected"] is None and state["panels"] == [] and state["zones"] > 0, state)
    begin = state["trace"]["from_ns"]
    check("zoom", client.ask("zoom", f"{begin + 1000}ns..{begin + 9000}ns") == {"ok": True})
    seen = client.ask("state")["range"]
    check("the range", abs(seen["from_ns"] - begin - 1000) < 1 and abs(seen["to_ns"] - begin - 9000) < 1, seen)
    check("open", client.ask("open statistics")["ok"] and client.ask("state")["panels"] == ["statistics"])
    found = client.ask("find", "o")
    check("find", found["ok"] and client.ask("state")["matches"] > 0, found)
    check("next", client.ask("next")["ok"])
    selected = client.ask("state")["selected"]
    check("a selected zone", "o" in selected["name"].lower() and selected["to_ns"] >= selected["from_ns"], selected)
    middle = (selected["from_ns"] + selected["to_ns"]) / 2
    check("select", client.ask("select", selected["track"], f"{middle:.0f}ns")["ok"])
    cost = client.ask("frames")
    check("frames", cost["frames"] > 0 and 0 < cost["mean_ms"] <= cost["worst_ms"], cost)
    check("frames since then", client.ask("frames")["frames"] <= 3)
    picture = os.path.join(folder, "picture.png")
    check("screenshot", client.ask("screenshot", picture)["ok"] and os.path.getsize(picture) > 1000)
    check("no folder", not client.ask("screenshot", os.path.join(folder, "none/x.png"))["ok"])
    check("a mistake", client.ask("zoom 5") == {
        "ok": False, "error": "'5' is not a time range such as 1.2ms..1.5ms (units: ns, us, ms, s)"})


def check_views(client):
    """A view is range, search, filter and rows; it is shown as it was saved."""
    begin = client.ask("state")["trace"]["from_ns"]
    for line in (f"zoom {begin + 2000}ns..{begin + 4000}ns", "find o", "lanes BRISC", "group kind", "view save cores of 1"):
        check(line, client.ask(line)["ok"], line)
    saved = client.ask("state")
    check("a filter of lanes", saved["lanes"] == "BRISC", saved["lanes"])
    for line in ("fit", "find", "lanes", "group place", "view save all of it"):
        check(line, client.ask(line)["ok"], line)
    check("names of views", client.ask("state")["views"] == ["cores of 1", "all of it"])
    check("a saved view", client.ask("view", "cores of 1")["ok"] and client.ask("view cores of 1")["ok"])
    shown = client.ask("state")
    for field in ("range", "find", "lanes"):
        check(f"{field} of a view", shown[field] == saved[field], (shown[field], saved[field]))
    check("the other one", client.ask("view all of it")["ok"])
    shown = client.ask("state")
    check("all is shown", shown["lanes"] == "" and shown["find"] == "" and shown["range"] != saved["range"], shown)
    check("no such view", "there are cores of 1, all of it" in client.ask("view none")["error"])
    check("a wrong filter", not client.ask("lanes tile x")["ok"] and client.ask("state")["lanes"] == "")
    check("a wrong group", "place, kind, kernel or flat" in client.ask("group tiles")["error"])
    check("remove", client.ask("view remove all of it")["ok"] and not client.ask("view remove all of it")["ok"])
    check("too long", not client.ask("view", "save", "x" * 64)["ok"])


def check_clients(path, client):
    other = Client(path)
    client.send({"command": "fit", "id": 1})
    other.send({"command": "fit", "id": "two"})
    check("two clients", client.receive()["id"] == 1 and other.receive()["id"] == "two")
    other.send(b'{"command":"fit","id":1}\n{"command":"bogus","id":2}\nnonsense')
    check("lines in a row", [other.receive()["ok"] for _ in range(3)] == [True, False, False])
    other.send(b"x" * 70000)
    long = other.receive()
    check("a long line", long == {"ok": False, "error": "a line has at most 65536 bytes"}, long)
    check("the line after it", other.ask("fit") == {"ok": True})
    other.socket.sendall(b'{"command":"fi')
    other.socket.close()
    check("a client that is cut off", client.ask("fit") == {"ok": True})


def check_bytes(folder):
    """What is no UTF-8 becomes U+FFFD in replies and in the files that are kept; the rest comes back as it was sent."""
    os.mkdir(folder)
    trace = os.path.join(os.fsencode(folder), b"t\xff.tracy")
    shutil.copy(TRACE, trace)
    viewer, client = start(os.path.join(folder, "socket"), os.fsdecode(trace))
    for text, back in ((b"\xff", "\ufffd"), (b"a\xc3(", "a\ufffd("), (b"\xed\xa0\x80", "\ufffd" * 3), (b"\xc3\xa4\\n", "\xe4\n"),
                       (b"\xc0\xaf", "\ufffd" * 2), (b"\xf0\x9f\x98\x80", "\U0001f600"), (b"\xf0\x9f", "\ufffd" * 2)):
        client.send(b'{"command":"fit","id":"' + text + b'"}')
        reply = client.receive()
        check(f"an id {text}", reply == {"ok": True, "id": back}, reply)
        client.send(b'{"command":"' + text + b'","id":1}')
        check(f"a command {text}", client.receive()["ok"] is False)
    for line in (b'"find","arguments":["a\xff"]', b'"note","arguments":["1us..2us","n\xff"]', b'"view","arguments":["save","v"]'):
        client.send(b'{"command":' + line + b"}")
        check(f"{line}", client.receive()["ok"])
    client.send(b'{"command":"view","arguments":["save","v\xff"]}')
    check("a view's name", client.receive()["ok"] is False)
    check("state", client.ask("state")["find"].startswith("a"))
    client.ask("quit")
    viewer.wait(60)
    kept = [os.path.join(root, name) for root, _, names in os.walk(folder) for name in names if name.endswith(".json")]
    check("notes and state are kept", len(kept) >= 2, kept)
    for path in kept:
        with open(path, "rb") as file:
            json.loads(file.read().decode("utf-8"))
    env = {**os.environ, **{name: folder for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME")}}
    printed = subprocess.run([TENDRIL, "view", "--settings", trace], env=env, capture_output=True, check=False, timeout=100)
    check("view --settings", json.loads(printed.stdout.decode("utf-8"))["trace"]["find"] == "a\ufffd", printed)


def check_welcome(folder):
    """Without a trace, too, each request gets an answer."""
    viewer, client = start(os.path.join(folder, "bare"))
    picture = os.path.join(folder, "welcome.png")
    check("state without a trace", client.ask("state") == {"ok": True, "file": None})
    check("a screenshot of the welcome page", client.ask("screenshot", picture)["ok"])
    with open(picture, "rb") as file:
        check("a picture with more than one colour", file.read(8) == b"\x89PNG\r\n\x1a\n" and len(file.read()) > 4000)
    check("no folder for it", not client.ask("screenshot", os.path.join(folder, "none/x.png"))["ok"])
    zoom = client.ask("zoom 1us..2us")
    check("what needs a trace", zoom == {"ok": False, "error": "no trace is shown, and zoom needs one"}, zoom)
    check("no such command", client.ask("bogus") == {"ok": False, "error": "there is no command 'bogus'"})
    check("usage", client.ask("screenshot") == {"ok": False, "error": "usage: screenshot FILE.png"})
    check("quit with a mistake", not client.ask("quit now")["ok"])
    client.send(b"nonsense")
    check("no JSON", client.receive() == {"ok": False, "error": "the line is not JSON"})
    check("quit without a trace", client.ask("quit") == {"ok": True} and viewer.wait(60) == 0)


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "socket")
        viewer, client = start(path, TRACE)
        if not client:
            error = viewer.stderr.read()
            if "OpenGL" in error or "SDL" in error:
                return print("skipped:", error.strip()) or 0
            check("a viewer", False, error)
            return exit_status()
        check("mode 0600", os.stat(path).st_mode & 0o777 == 0o600)
        check_commands(client, folder)
        check_views(client)
        check_clients(path, client)
        second = subprocess.run([TENDRIL, "view", "--offscreen", "--listen", path, TRACE], capture_output=True, text=True)
        check("one viewer a socket", second.returncode == 1 or second.returncode == 2, second)
        check("one line", "already listens" in second.stderr and second.stderr.count("\n") <= 1, second.stderr)
        viewer.kill()
        viewer.wait()
        check("a socket is left over", os.path.exists(path))
        viewer, client = start(path, TRACE)
        check("it is replaced", client and client.ask("note", "1us..2us", "kept")["ok"])
        check("a view", client.ask("view save kept")["ok"])
        check("quit", client.ask("quit") == {"ok": True})
        check("the end", viewer.wait(60) == 0 and not os.path.exists(path))
        viewer, client = start(path, TRACE)
        notes = client.ask("state")["notes"]
        check("a note is kept", [n["text"] for n in notes] == ["kept"] and notes[0]["to_ns"] == 2000, notes)
        check("a view is kept", client.ask("state")["views"] == ["kept"] and client.ask("view kept")["ok"])
        client.ask("quit")
        viewer.wait(60)
        check_welcome(folder)
        check_bytes(os.path.join(folder, "bytes"))
    return exit_status()


sys.exit(main())
