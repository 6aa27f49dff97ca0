#!/usr/bin/env python3
"""tendril mcp: the protocol and its revisions, each tool against what the commands print, pages, limits, paths, hostile
messages."""
import base64
import json
import os
import re
import shutil
import struct
import subprocess
import tempfile

from common import BINARY, SOURCE, TENDRIL, TRACE, check, exit_status
from mcp_client import REVISION, Client

GPU = os.path.join(SOURCE, "tests/data/trace/0.11.1/gpu.tracy")
ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c"


def printed(*words):
    return subprocess.run([TENDRIL, *words], capture_output=True, text=True, timeout=100, check=True).stdout


def asked(trace, sql):
    return json.loads(printed("query", "--format=json", trace, sql))


def protocol():
    for revision, spoken in [(REVISION, REVISION), ("2025-06-18", "2025-06-18"), ("2025-03-26", "2025-03-26"),
                             ("2024-11-05", "2024-11-05"), ("1999-01-01", REVISION)]:
        with Client(TRACE, revision=revision) as c:
            check(f"revision {revision}", c.hello["result"]["protocolVersion"] == spoken, c.hello)
            has_schemas = spoken >= "2025-06-18"
            tools = c.result("tools/list")["tools"]
            check("schemas", all(("outputSchema" in t) == (has_schemas and t["name"] != "screenshot") for t in tools))
            answer = c.result("tools/call", name="query", arguments={"sql": "SELECT 1 AS x"})
            check("an object", ("structuredContent" in answer) == has_schemas, answer)
    with Client(TRACE) as c:
        check("ping", c.result("ping") == {})
        check("templates", c.result("resources/templates/list") == {"resourceTemplates": []})
        check("names of ids", [c.send({"jsonrpc": "2.0", "id": "a\u00e9\"", "method": "ping"}), c.read()["id"]][1] == "a\u00e9\"")
        for message, code in [(b"{", -32700), (b"", None), (b"[]", -32600), (b"1", -32600), (b'{"a":1}', -32600),
                              (b'{"jsonrpc":"2.0","id":1,"method":"no"}', -32601), (b"[" * 100000, -32700),
                              (b'{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600), (b'"\x00"', -32700),
                              (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600), (b"x" * 1200000, -32600),
                              (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"rm"}}', -32602),
                              (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}', -32602),
                              (b'{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"file:///etc/passwd"}}', -32002),
                              (b'{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"tendril://docs/../README.md"}}', -32002),
                              (b'{"jsonrpc":"2.0","id":1,"method":"resources/read"}', -32602)]:
            c.write(message)
            if code:
                answer = c.read()
                check(f"{message[:60]}", answer["error"]["code"] == code, answer)
        c.send({"jsonrpc": "2.0", "id": 5, "result": {}})  # an answer to nothing
        c.send({"jsonrpc": "2.0", "method": "notifications/strange"})
        c.send([{"jsonrpc": "2.0", "id": 7, "method": "ping"}, {"jsonrpc": "2.0", "method": "x"},
                {"jsonrpc": "2.0", "id": 8, "method": "ping"}])
        check("an array", [a["id"] for a in c.read()] == [7, 8])
    r = subprocess.run([TENDRIL, "mcp", TRACE], input=b'{"jsonrpc":"2.0","id":1,"method":"ping"}', capture_output=True, timeout=60)
    check("a last line without its end", json.loads(r.stdout) == {"jsonrpc": "2.0", "id": 1, "result": {}} and r.returncode == 0, r)
    many = b"".join(b'{"jsonrpc":"2.0","id":%d,"method":"ping"}\n' % i for i in range(500))
    r = subprocess.run([TENDRIL, "mcp", TRACE], input=many, capture_output=True, timeout=60)
    check("many at once", [json.loads(line)["id"] for line in r.stdout.splitlines()] == list(range(500)))


def mistakes(c):
    for tool, arguments, part in [
            ("query", {}, 'query needs "sql" or "question"'), ("query", {"question": "nothing"}, "no question"),
            ("query", {"sql": "SELECT 1", "question": "slowest"}, 'needs "sql" or'), ("query", {"sql": 1}, '"sql" must be a text'),
            ("query", {"sql": "SELECT 1", "parameter": {}}, 'did you mean "parameters"?'),
            ("query", {"sql": "SELECT nme FROM zones"}, "no such column: nme"),
            ("query", {"sql": "SELECT 1; SELECT 2"}, "one statement"), ("query", {"sql": ""}, "no rows"),
            ("query", {"sql": "DROP TABLE zones"}, "only read"), ("query", {"sql": "ATTACH 'x' AS y"}, "only read"),
            ("query", {"sql": "SELECT :n", "parameters": {"n": []}}, "number or a text"),
            ("query", {"cursor": "9.9"}, "ask again"), ("query", {"cursor": "x"}, "ask again"),
            ("slowest", {"trace": "nothing"}, "no trace is open by the name"), ("slowest", {"count": -1}, "whole number"),
            ("slowest", {"range": "5..1"}, "two times"), ("zone_statistics", {"sort": "x"}, "one of total_ns"),
            ("operation", {"run_id": 3}, "no operation 3"), ("describe", {"table": "zone"}, "no table"),
            ("source", {}, "one of the arguments"), ("source", {"function": "nothing"}, "no sample"),
            ("source", {"file": "nothing.c"}, "no zone is in a file"), ("compare", {"old": "features"}, 'needs "new"')]:
        answer = c.call(tool, **arguments)
        check(f"{tool} {arguments}", isinstance(answer, str) and part in answer, answer)


def questions(c):
    sql = "SELECT id, name, text, duration_ns / 2.0 AS half FROM zones ORDER BY id"
    check("query", c.rows("query", sql=sql, rows=300) == asked(TRACE, sql))
    page = c.call("query", sql=sql, rows=3)
    check("a page", len(page["rows"]) == 3 and page["row_count"] == 896 and not page["more"], page)
    again = c.call("query", cursor=page["next_cursor"], rows=2)
    check("a cursor keeps its place", c.call("query", cursor=page["next_cursor"], rows=2) == again and again["rows"][0][0] == 3)
    check("parameters", c.rows("query", sql="SELECT :a AS a, :b AS b, :c AS c", parameters={"a": 2.5, "b": "x", "c": None}) ==
          [{"a": 2.5, "b": "x", "c": None}])
    check("a saved question", c.rows("query", question="totals") ==
          json.loads(printed("query", "--format=json", "--question", "totals", TRACE)))
    check("slowest", c.rows("slowest", count=30) == asked(
        TRACE, "SELECT id, name, track, start_ns, duration_ns, self_ns, depth, text, function, file, line FROM zones "
        "WHERE duration_ns >= 0 ORDER BY duration_ns DESC, id LIMIT 30"))
    some = c.rows("slowest", name="worker", track="worker 0", range="0..219500us", count=5)
    check("slowest of some", len(some) == 5 and all(r["track"] == "worker 0" and r["start_ns"] < 219500000 for r in some), some)
    keys = ["name", "file", "line", "count", "total_ns", "self_ns", "p99_ns", "max_ns"]
    statistics = [{k: r[k] for k in keys} for r in c.rows("zone_statistics", filter="work, -fiber", sort="max_ns")]
    check("statistics", statistics == asked(TRACE, f"SELECT {', '.join(keys)} FROM locations WHERE (name LIKE '%work%' OR file LIKE '%work%') "
                                            "AND name NOT LIKE '%fiber%' ORDER BY max_ns DESC"), statistics)
    some = c.rows("zone_statistics", range="0..219500us")
    check("statistics of a range", 0 < sum(r["count"] for r in some) < 896, some)
    compared = json.loads(printed("compare", "--json", TRACE, GPU))["names"]
    check("compare", [(r["name"], r["impact_ns"]) for r in c.rows("compare", old="features", new="gpu")] ==
          [(r["name"], r["impact_ns"]) for r in compared])


def descriptions(c):
    about = c.call("describe")
    info = json.loads(printed("info", "--json", TRACE))
    check("describe", about["traces"][0]["zones"] == info["zones"] and about["traces"][0]["messages"] == info["messages"] and
          about["traces"][1]["trace"] == "gpu" and len(about["tables"]) > 30, about)
    check("facts", [list(r.values()) for r in asked(TRACE, "SELECT key, value FROM facts")] == about["facts"], about["facts"])
    table = c.call("describe", table="zones")["tables"][0]
    check("columns", [k["name"] for k in table["columns"]] == list(asked(TRACE, "SELECT * FROM zones LIMIT 1")[0]))
    resources = {r["uri"]: r for r in c.result("resources/list")["resources"]}
    schema = json.loads(c.result("resources/read", uri="tendril://schema")["contents"][0]["text"])
    check("schema", table in schema["tables"])
    page = c.result("resources/read", uri="tendril://docs/commands/query.md")["contents"][0]
    with open(os.path.join(SOURCE, "docs/commands/query.md"), encoding="utf-8") as f:
        check("a page", page["text"] == f.read() and page["uri"] in resources)


def device(folder):
    """Operations and waits of a trace of cores."""
    trace = os.path.join(folder, "demo.tracy")
    subprocess.run([os.path.join(BINARY, "tests/write_demo"), "demo", trace], check=True)
    with Client(trace) as c:
        waits = json.loads(printed("info", "--waits", "--json", trace))["waits"]["pairs"]
        check("waits", sorted(r["waited_ns"] for r in c.rows("waits")) == sorted(p["waited_ns"] for p in waits), waits)
        run = asked(trace, "SELECT run_id FROM operations")[0]["run_id"]
        known = json.loads(printed("info", "--op", str(run), "--json", trace))
        answer = c.call("operation", run_id=run)
        check("operation", answer["operations"] == known["operations"][:1] and answer["op"] == run, answer)


def code(folder):
    trace = os.path.join(folder, "made_up.tracy")
    subprocess.run([os.path.join(BINARY, "tests/write_made_up"), trace], check=True)
    known = json.loads(printed("annotate", "--json", trace, "work"))
    with Client(trace) as c:
        lines = c.rows("source", function="work")
        check("source", lines == [{"text": None, **line} | {"line": line["line"]} for line in known["source"]["lines"]], lines)
        rows = c.rows("disassembly", function="work")
        insns = known["code"]["instructions"]
        check("disassembly", [(int(r["address"], 16), r["mnemonic"], r["self"], r["line"]) for r in rows] ==
              [(i["address"], i.get("mnemonic"), i["self"], i["lines"][0]["line"] if i["lines"] else None) for i in insns] and rows, rows)
    # A trace may name any file: only those in the folders of --sources are read.
    with open(os.path.join(folder, "features.cpp"), "w", encoding="utf-8") as f:
        f.write("first\nsecond\n")
    with Client(TRACE, cwd=folder) as c:
        check("no file of this machine", c.call("source", file="features.cpp")["rows"] == [])
    with Client("--sources", folder, TRACE, cwd=folder) as c:
        check("a file of --sources", [r["text"] for r in c.rows("source", file="features.cpp")] == ["first", "second"])
        check("lines", [r["line"] for r in c.rows("source", file="features.cpp", first_line=2, last_line=9)] == [2])
    os.makedirs(os.path.join(folder, "moved"))
    os.rename(os.path.join(folder, "features.cpp"), os.path.join(folder, "moved", "features.cpp"))
    with Client("--sources", folder, "--path", "^(features.*);moved/$1", TRACE, cwd=folder) as c:
        check("a file that was moved", len(c.rows("source", file="features.cpp")) == 2)
    os.mkdir(os.path.join(folder, "empty"))
    with Client("--sources", os.path.join(folder, "empty"), "--path", "^(features.*);moved/$1", TRACE, cwd=folder) as c:
        check("not in --sources", c.call("source", file="features.cpp")["rows"] == [])


def paths(folder):
    root = os.path.join(folder, "root")
    os.makedirs(os.path.join(root, "sub"))
    shutil.copy(GPU, os.path.join(root, "sub", "2 gpu.tracy"))
    os.symlink(TRACE, os.path.join(root, "away.tracy"))
    os.mkfifo(os.path.join(root, "pipe.tracy"))
    with open(os.path.join(root, "bad.tracy"), "w", encoding="utf-8") as f:
        f.write("no trace")
    for name in ("shards", "linked"):
        os.mkdir(os.path.join(root, name))
        with open(os.path.join(root, name, "index.tendril-shards"), "w", encoding="ascii") as f:
            f.write("tendril-shards 1\none.tracy\n")
    shutil.copy(GPU, os.path.join(root, "shards", "one.tracy"))
    os.symlink(TRACE, os.path.join(root, "linked", "one.tracy"))
    with Client("--root", root) as c:
        check("shards", c.call("open_trace", path="shards")["traces"][0]["gpu_zones"] == 24 and
              c.rows("query", sql="SELECT count(*) AS n FROM shards.zones") == [{"n": 25}], c.call("open_trace", path="shards"))
        check("a link among shards", "may be opened" in str(c.call("open_trace", path="linked")), "linked")
    with Client("--root", root) as c:
        check("nothing is open", "no trace is open" in c.call("slowest"), c.call("slowest"))
        check("what can be opened", os.path.realpath(root) + "/sub/2 gpu.tracy" in c.call("open_trace")["can_be_opened"])
        for path in (TRACE, "away.tracy", root + "/../root/away.tracy", "../" + os.path.basename(TRACE), "pipe.tracy", "/etc/passwd", "",
                     "no.tracy", "sub/../../x"):
            check(f"{path} is refused", "may be opened" in str(c.call("open_trace", path=path)), c.call("open_trace", path=path))
        check("no trace in it", "bad.tracy" in c.call("open_trace", path="bad.tracy"), c.call("open_trace", path="bad.tracy"))
        check("a bad name", "name of a trace" in c.call("open_trace", path="sub/2 gpu.tracy", name="a b"))
        opened = c.call("open_trace", path="sub/2 gpu.tracy")
        check("opened", [t["trace"] for t in opened["traces"]] == ["t_2_gpu"], opened)
        check("opened twice", c.call("open_trace", path="sub/2 gpu.tracy") == opened)
        check("its zones", c.rows("query", sql="SELECT count(*) AS n FROM t_2_gpu.zones, zones AS z WHERE z.id = 0") == [{"n": 25}])


def limits():
    with Client("--timeout", "0.2", TRACE) as c:
        check("time", "longer than 0.2 s" in c.call("query", sql=ENDLESS), "no end")
    with Client("--bytes", "2K", "--rows", "50", TRACE) as c:
        page = c.call("query", sql="SELECT id, name FROM zones")
        check("rows", len(page["rows"]) == 50, len(page["rows"]))
        page = c.call("query", sql="SELECT id, hex(zeroblob(300)) AS x FROM zones", rows=1000)
        check("bytes", 1 <= len(page["rows"]) <= 4, len(page["rows"]))
        page = c.call("query", sql="SELECT printf('%.*c', 100000, 'x') AS x")
        check("a long text", len(page["rows"][0][0]) == 16384)
        page = c.call("query", sql="SELECT a.id FROM zones a, zones b")
        check("kept rows", page["more"] and page["row_count"] == 100000, page["row_count"])
    with Client(TRACE) as c:
        number = c.begin("tools/call", name="query", arguments={"sql": ENDLESS})
        waiting = c.begin("tools/call", name="query", arguments={"sql": ENDLESS})
        c.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": waiting}})
        c.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}})
        check("cancelled, and not answered", c.result("ping") == {})
        c.begin("tools/call", name="query", _meta={"progressToken": "p"}, arguments={"sql": ENDLESS.replace("FROM c)", "FROM c WHERE x < 3000000)")})
        answer = c.read()
        if "method" in answer:  # a fast machine has nothing to report
            check("progress", answer["method"] == "notifications/progress" and answer["params"]["progressToken"] == "p", answer)


def picture():
    with Client(TRACE) as c:
        tools = {t["name"]: t["inputSchema"]["properties"] for t in c.result("tools/list")["tools"]}
        if "screenshot" not in tools:
            return print("no viewer: no screenshots")
        known = re.findall(r"\w+", printed("view", "--help"))
        check("panels of the viewer", set(tools["screenshot"]["panel"]["enum"]) <= set(known), tools["screenshot"]["panel"])
        result = c.result("tools/call", name="screenshot", arguments={"panel": "statistics", "width": 640, "height": 480})
        image = result["content"][0]
        png = base64.b64decode(image["data"], validate=True)
        check("a picture", image["type"] == "image" and image["mimeType"] == "image/png" and png.startswith(b"\x89PNG") and
              struct.unpack(">II", png[16:24]) == (640, 480), result.keys())
        check("no file is left", not [n for n in os.listdir(tempfile.gettempdir()) if n.startswith("tendril-mcp-")])
        check("a mistake of the viewer", "no picture: " in c.call("screenshot", lanes="wait >"), c.call("screenshot", lanes="wait >"))
        check("too large", "at most 4096" in c.call("screenshot", width=5000))
        check("no other panel", "one of" in c.call("screenshot", panel="source"))
    return None


def command_line():
    for words, part in [((), "give a trace"), (("no.tracy",), "no.tracy"), (("--root", "/no/such"), "--root"),
                        (("--timeout", "0", TRACE), "more than 0"), (("a=" + TRACE, "a=" + GPU), "name of a trace")]:
        r = subprocess.run([TENDRIL, "mcp", *words], capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
        check(f"mcp {words}", r.returncode != 0 and part in r.stderr and not r.stdout, r.stderr)


def main():
    protocol()
    command_line()
    with Client(TRACE, GPU) as c:
        mistakes(c)
        questions(c)
        descriptions(c)
    with tempfile.TemporaryDirectory() as folder:
        device(folder)
        code(folder)
        paths(folder)
    limits()
    picture()
    return exit_status()


if __name__ == "__main__":
    raise SystemExit(main())
