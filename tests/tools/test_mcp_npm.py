#!/usr/bin/env python3
"""tendril mcp under the protocol's own client and inspector from npm, which are installed into the build folder. Skipped
without node, npm or the registry."""
import json
import os
import shutil
import subprocess
import sys

from common import BINARY, SOURCE, TENDRIL, TRACE, check, exit_status

FOLDER = os.path.join(BINARY, "tests", "npm")
PACKAGES = ["@modelcontextprotocol/sdk@1", "@modelcontextprotocol/inspector@0"]


def skip(why):
    print(f"skipped: {why}")
    sys.exit(0)


def install():
    for program in ("node", "npm"):
        if not shutil.which(program):
            skip(f"there is no {program}")
    os.makedirs(FOLDER, exist_ok=True)
    done = os.path.join(FOLDER, "installed")
    if os.path.exists(done):
        return
    try:
        r = subprocess.run(["npm", "install", "--prefix", FOLDER, "--no-audit", "--no-fund", "--ignore-scripts", *PACKAGES],
                           capture_output=True, text=True, timeout=300, check=False)
    except subprocess.TimeoutExpired:
        skip("npm does not answer")
    if r.returncode:
        skip("npm cannot install the packages: " + (r.stderr.strip().splitlines() or [""])[-1])
    with open(done, "w", encoding="utf-8"):
        pass


def run(*words):
    r = subprocess.run(words, capture_output=True, text=True, timeout=200, check=False, cwd=FOLDER)
    check(f"{words[:3]} succeeds", r.returncode == 0, r.stderr[-1500:])
    return r.stdout


def client():
    shutil.copy(os.path.join(SOURCE, "tests/tools/npm/client.mjs"), FOLDER)
    said = [json.loads(line) for line in run("node", os.path.join(FOLDER, "client.mjs"), TENDRIL, TRACE).splitlines()]
    answers = [(s["what"], s["value"]) for s in said]
    if not answers:
        return
    check("the server", answers[0][1]["name"] == "tendril", answers[0])
    queries = [value for what, value in answers if what == "query"]
    check("pages", [len(q.get("rows", [])) for q in queries] == [5, 2, 0] and queries[1]["rows"][0][0] == 5, queries)
    check("a mistake", "no such column" in queries[2]["error"], queries[2])
    others = {what: value for what, value in answers if what != "query"}
    check("each tool was asked", set(others["tools"]) <= set(others) | {"query"}, others.keys())
    check("statistics", others["zone_statistics"]["row_count"] == 33, others["zone_statistics"]["row_count"])
    check("a picture", others.get("screenshot", {"type": "image"}) == {"type": "image"}, others.get("screenshot"))
    check("resources", others["resources"] > 50 and others["schema"] > 30)


def inspector():
    def inspect(*words):
        out = run("node", os.path.join(FOLDER, "node_modules/.bin/mcp-inspector"), "--cli", TENDRIL, "mcp", TRACE, "--method", *words)
        return json.loads(out) if out else {}
    tools = inspect("tools/list").get("tools", [])
    check("the inspector lists the tools", "zone_statistics" in [t["name"] for t in tools], tools)
    answer = inspect("tools/call", "--tool-name", "query", "--tool-arg", "sql=SELECT count(*) AS n FROM zones")
    check("the inspector asks", answer.get("structuredContent", {}).get("rows") == [[896]], answer)


def main():
    install()
    client()
    inspector()
    return exit_status()


if __name__ == "__main__":
    raise SystemExit(main())
