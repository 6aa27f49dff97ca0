"""tendril view --web without a browser: the page is all that is served, only a client with the token from the page's own
address gets a screen, hostile clients disturb no one, traces come and go as files, and a window outlives its connection."""
import os
import socket
import subprocess
import sys
import tempfile
import time

from web_client import Client, Viewer, get, viewer_or_skip

sys.path.insert(0, os.path.join(os.environ["TD_SOURCE_DIR"], "tests/tools"))
from common import TENDRIL, TRACE, check, exit_status, free_port  # noqa: E402


def open_screen(viewer, view="one"):
    client = Client(viewer.port, viewer.token, view=view)
    check("a screen", client.status == 101, client.status)
    client.send_events(["size", 800, 600, 1], ["whole"])
    return client


def next_picture(client):
    while True:
        kind, message = client.receive()
        if kind == 2:
            return message


def check_http(viewer):
    status, body = get(viewer.port, "/")
    check("the page", status == 200 and b"<canvas" in body and viewer.token.encode() not in body, status)
    for name in ("page.js", "picture.js", "draw.js", "input.js", "page.css"):
        check(name, get(viewer.port, "/" + name)[0] == 200)
    for path in ("/etc/passwd", "/../etc/passwd", "/%2e%2e/etc/passwd", "//etc/passwd", "/file/", "/file/" + "0" * 32,
                 "/file/../../etc/passwd", "/none", "/page.js/", "/" + "a" * 3000):
        status, body = get(viewer.port, path)
        check(f"nothing at {path[:30]}", status in (0, 400, 403, 404, 414) and b"root:" not in body, status)
    check("POST", get(viewer.port, "/", "POST")[0] in (0, 405), get(viewer.port, "/", "POST"))
    check("the token", get(viewer.port, "/check?token=" + viewer.token)[0] == 204)
    for wrong in ("", "0" * 32, viewer.token[:-1], viewer.token + "0", viewer.token.upper() + "g"):
        check(f"token {wrong}", get(viewer.port, "/check?token=" + wrong)[0] == 403)


def check_access(viewer):
    own = "http://127.0.0.1:%d" % viewer.port
    for token, origin in (("0" * 32, own), ("", own), (viewer.token[:31], own), (viewer.token, "http://127.0.0.1:1"),
                          (viewer.token, "http://evil.example"), (viewer.token, ""), (viewer.token, "null"),
                          (viewer.token, own + ".evil.example"), (viewer.token, own.replace("http", "https"))):
        client = Client(viewer.port, token, origin)
        check(f"refused: {token} {origin}", client.status in (0, 403), client.status)
        client.close()


def check_hostile(viewer):
    """Each is dropped, and the one next to it is served."""
    good = open_screen(viewer, "good")
    next_picture(good)
    for what, send in (
            ("no JSON", lambda c: c.send("nonsense")), ("no array", lambda c: c.send('{"a":1}')),
            ("no such event", lambda c: c.send('[["format", 1]]')), ("too few values", lambda c: c.send('[["move", 1]]')),
            ("too many values", lambda c: c.send('[["leave", 1]]')), ("text for a number", lambda c: c.send('[["move", "1", 2]]')),
            ("a huge number", lambda c: c.send('[["move", 1e300, 2]]')), ("deep", lambda c: c.send("[" * 5000)),
            ("a huge picture", lambda c: c.send('[["size", 1e9, 1e9, 1]]')), ("no UTF-8", lambda c: c.send(b'[["text", "\xff"]]', 1)),
            ("too many events", lambda c: c.send("[" + ",".join(['["leave"]'] * 2000) + "]")),
            ("too long", lambda c: c.send("[" + " " * (2 << 20) + "]")), ("too large a piece", lambda c: c.send(b"x" * (2 << 20)))):
        bad = open_screen(viewer, "bad")
        try:
            send(bad)
        except OSError:
            pass
        check(what, bad.is_closed())
        bad.close()
    bad = open_screen(viewer, "bad")
    bad.send(b"x" * 1000)  # a piece of nothing is ignored
    bad.send_events(["down", 99, 1], ["up", -4], ["wheel", 1e11, -1e11], ["size", 1, 1, -3], ["key", "Bogus", ""], ["key", "\u00e4", "sca"],
                    ["text", "x" * 5000], ["ack", 1e9], ["ack", -1], ["upload", -5, ""], ["run", 1, "nonsense"], ["run", 2, ""],
                    ["paste", "\U0001f600" * 1000], ["size", 640, 480, 1])
    check("odd values", bad.answer("reply")["answer"] == {"ok": False, "error": "the line is not JSON"})
    bad.close()
    good.send_events(["wheel", 0, 1], ["move", 400, 300])
    next_picture(good)
    good.close()


def check_silent(viewer):
    """Connections that ask for nothing, or for half of something, keep no one out."""
    for begins in (b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: x\r\n"):
        held = [socket.create_connection(("127.0.0.1", viewer.port)) for _ in range(120)]
        for link in held:
            try:
                link.sendall(begins)
            except OSError:
                pass  # it is gone already
        # Without room for it, it would wait for ten seconds, until they time out.
        check(f"served beside {begins}", get(viewer.port, "/check?token=" + viewer.token, seconds=8)[0] == 204)
        open_screen(viewer, "beside").close()
        for link in held:
            link.close()


def check_limits(viewer):
    clients = [open_screen(viewer, "v%d" % i) for i in range(8)]
    more = Client(viewer.port, viewer.token, view="more")
    check("a ninth view", more.status == 101 and "8 browsers" in more.answer("ended")["ended"] and more.is_closed())
    for client in clients:
        client.close()
    again = Client(viewer.port, viewer.token, view="more")  # the oldest one that is left makes room
    deadline = time.monotonic() + 30
    while "ended" in (text := again.answer_any()) and time.monotonic() < deadline:
        again = Client(viewer.port, viewer.token, view="more")
    check("room again", "title" in text, text)
    again.close()


def check_windows(viewer):
    """Cameras of their own; what a connection leaves is there when it comes again, and at rest nothing is sent."""
    one, two = open_screen(viewer, "one"), open_screen(viewer, "two")
    begin = one.run("state")["trace"]["from_ns"]
    check("zoom", one.run("zoom", f"{begin + 1000}ns..{begin + 9000}ns") == {"ok": True})
    seen, other = one.run("state")["range"], two.run("state")["range"]
    check("own cameras", abs(seen["from_ns"] - begin - 1000) < 1 and other["from_ns"] <= begin, seen, other)
    one.close()
    one = open_screen(viewer, "one")
    check("a picture", next_picture(one)[0] == 1)
    check("the place is kept", one.run("state")["range"] == seen)
    end = time.monotonic() + 20
    while not one.is_quiet(0.3) and time.monotonic() < end:
        one.receive()
    check("nothing is sent at rest", time.monotonic() < end)
    check("the old tab", "another tab" in open_twice(viewer, one))
    two.close()


def open_twice(viewer, first):
    second = open_screen(viewer, "one")
    ended = first.answer("ended")["ended"]
    second.close()
    return ended


def check_files(viewer):
    client = open_screen(viewer, "files")
    with open(TRACE, "rb") as file:
        trace = file.read()
    client.send_events(["download"])
    offer = client.answer("file")
    check("its name", offer["name"] == os.path.basename(TRACE), offer)
    check("a download", get(viewer.port, offer["file"]) == (200, trace))
    check("only once", get(viewer.port, offer["file"])[0] == 404)
    client.run("state")  # answers when the trace is read: before, there is nothing to draw
    for kind, begins in (("svg", b"<"), ("pdf", b"%PDF")):
        client.send_events(["drawing", kind])
        offer = client.answer("file")
        status, drawing = get(viewer.port, offer["file"])
        check(f"a drawing, {kind}", offer["name"] == "timeline." + kind and status == 200 and drawing.startswith(begins), offer, status)
    client.send_events(["upload", len(trace), "../../up/load.tracy"])
    done = client.answer("uploaded")["uploaded"]
    while 0 <= done < len(trace):
        client.send(trace[done:done + 10000])
        done = client.answer("uploaded")["uploaded"]
    check("an upload", done == len(trace), done)
    check("it is shown", client.answer("title")["title"] == "1-load.tracy - Tendril")
    state = client.run("state")
    check("its zones", state["zones"] > 0 and "/up/" not in state["file"], state)
    recent = os.path.join(viewer.folder, "tendril/viewer/recent.json")
    check("no recent trace", not os.path.exists(recent) or "load.tracy" not in open(recent, encoding="utf-8").read())
    client.send_events(["upload", 1 << 36, "large"])
    check("too large", client.answer("uploaded")["uploaded"] == -1 and "16 GiB" in client.answer("notice")["notice"])
    client.send_events(["upload", 0, "empty.tracy"])
    check("nothing in it", client.answer("uploaded")["uploaded"] == -1 and "empty file" in client.answer("notice")["notice"])
    client.send_events(["upload", 100, "short"])
    client.answer("uploaded")
    client.send(b"x" * 101)
    check("more than it said", client.is_closed())


def check_tls(folder):
    """With the user's certificate; what speaks no TLS gets nothing."""
    certificate, key = os.path.join(folder, "cert.pem"), os.path.join(folder, "key.pem")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key,
                    "-out", certificate, "-days", "2", "-subj", "/CN=here", "-addext", "subjectAltName=IP:127.0.0.1"],
                   check=True, capture_output=True, timeout=60)
    with Viewer(folder, "--cert", certificate, "--key", key, TRACE) as viewer:
        check("https", viewer.url.startswith("https://"), viewer.url)
        client = Client(viewer.port, viewer.token, certificate=certificate)
        client.send_events(["size", 800, 600, 1])
        check("a screen over TLS", client.status == 101 and client.run("state")["ok"])
        client.close()
        try:
            check("nothing without TLS", Client(viewer.port, viewer.token).status != 101)
        except ConnectionResetError:
            pass
    done = subprocess.run([TENDRIL, "view", "--web", "0", "--cert", key, "--key", certificate], capture_output=True, text=True,
                          timeout=60, check=False)
    check("a wrong certificate", done.returncode and "this certificate and key" in done.stderr and done.stderr.count("\n") == 1, done)


def check_live(folder):
    """Two browsers watch a program, which takes one connection; its session stays when it has ended, also for one of them."""
    program = subprocess.Popen([os.path.join(os.environ["TD_BINARY_DIR"], "tests", "viewer_live_program"), "1"], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, env={**os.environ, "TRACY_PORT": str(port := free_port())})
    end = time.monotonic() + 60

    def wait_for(client, zones):
        while (state := client.run("state")).get("zones", 0) < zones and time.monotonic() < end:
            time.sleep(0.02)
        check(f"{zones} zones that come", state.get("zones", 0) >= zones, state)

    with Viewer(folder, f"127.0.0.1:{port}") as viewer:
        one, two = open_screen(viewer, "one"), open_screen(viewer, "two")
        while not (one.run("state").get("file") and two.run("state").get("file")) and time.monotonic() < end:
            time.sleep(0.02)
        for zones in (1000, 2000):
            program.stdin.write(b"a")
            program.stdin.flush()
            program.stdout.read(1)
            wait_for(one, zones)
            wait_for(two, zones)
        program.stdin.close()
        program.wait(60)
        three = open_screen(viewer, "three")
        for client in (one, two):
            check("the end", client.run("zoom", "1us..2us")["ok"])
            wait_for(client, 2002)
        one.close()
        wait_for(two, 2002)
        two.send_events(["download"])
        offer = two.answer("file")
        path = os.path.join(folder, "downloaded.tracy")
        with open(path, "wb") as file:
            file.write(get(viewer.port, offer["file"])[1])
        count = subprocess.run([TENDRIL, "query", "--format", "csv", path, "SELECT count(*) AS n FROM zones"], capture_output=True, text=True,
                               timeout=60, check=False)
        check("a session is downloaded", offer["name"].endswith(".tracy") and count.stdout.split()[1:] == ["2003"], offer, count)
        two.close()
        three.close()


def check_live_record(folder):
    """--live: a recording is watched, and is in its file when it has ended."""
    trace = os.path.join(folder, "recorded.tracy")
    program = os.path.join(os.environ["TD_BINARY_DIR"], "tests", "viewer_live_program")
    with Viewer(folder, "--live", "--", "-o", trace, "--", "sh", "-c", 'printf aa | "$0" 1 >/dev/null', program) as viewer:
        client = open_screen(viewer, "live")
        end = time.monotonic() + 60
        while (state := client.run("state")).get("zones", 0) < 2003 and time.monotonic() < end:
            time.sleep(0.05)
        check("zones of a recording", state.get("zones") == 2003, state)
        client.close()
    check("the end of a recording", viewer.status in (0, 143), viewer.status, viewer.errors)  # by the signal that ends it
    count = subprocess.run([TENDRIL, "query", "--format", "csv", trace, "SELECT count(*) AS n FROM zones"], capture_output=True, text=True,
                           timeout=60, check=False)
    check("its file", count.stdout.split()[1:] == ["2003"], count)


def check_usage():
    for arguments, says in ((["--web", "x"], "is not [ADDRESS:]PORT"), (["--web", "99999"], "is not [ADDRESS:]PORT"),
                            (["--web", ":1"], "is not [ADDRESS:]PORT"), (["--web", "0", "--listen", "s"], "--web excludes"),
                            (["--web", "0", "--screenshot", "a.png"], "--web excludes"), (["--cert", "a"], "need --web"),
                            (["--web", "0", "--cert", "a"], "need each other"),
                            (["--web", "0", "--cert", "/none", "--key", "/none"], "cannot read '/none'"),
                            (["--web", "0", "/none.tracy"], "cannot open '/none.tracy'"),
                            (["--web", "192.0.2.1:8090"], "cannot listen at 192.0.2.1:8090")):
        done = subprocess.run([TENDRIL, "view", *arguments], capture_output=True, text=True, timeout=60, check=False)
        check(f"{arguments}", done.returncode and says in done.stderr and done.stderr.count("\n") == 1, done)
    with tempfile.NamedTemporaryFile(suffix=".tracy") as broken:
        broken.write(b"no trace at all" * 100)
        broken.flush()
        done = subprocess.run([TENDRIL, "view", "--web", "0", broken.name], capture_output=True, text=True, timeout=60, check=False)
        check("no trace", done.returncode and done.stderr.count("\n") == 1, done)


def check_taken_port(viewer):
    done = subprocess.run([TENDRIL, "view", "--web", str(viewer.port)], capture_output=True, text=True, timeout=60, check=False)
    check("a port that is taken", done.returncode and "is the port taken?" in done.stderr and not done.stdout, done)


def main():
    with tempfile.TemporaryDirectory() as folder:
        viewer = viewer_or_skip(folder, TRACE)
        if not viewer:
            return 0
        with viewer:
            check_http(viewer)
            check_access(viewer)
            check_hostile(viewer)
            check_windows(viewer)
            check_files(viewer)
            check_silent(viewer)
            check_limits(viewer)
            check_taken_port(viewer)
            check("it runs", viewer.child.poll() is None)
        check("the end", viewer.status == 0 and not viewer.errors, viewer.status, viewer.errors)
        left = [name for name in os.listdir(folder) if name.startswith("tendril-")]
        check("no files are left", not left, left)
        check_tls(folder)
        check_live(folder)
        check_live_record(folder)
        check_usage()
    return exit_status()


sys.exit(main())
