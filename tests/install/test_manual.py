#!/usr/bin/env python3
"""The manual as HTML: every page of docs is there, every link leads to a file and an anchor of the manual, nothing
comes from a network, and the search finds sentences of pages. A page whose link leads nowhere makes no manual."""
import html
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = os.environ["TD_SOURCE_DIR"]
MAKER = os.path.join(SOURCE, "toolchains", "manual", "make_manual.py")
SENTENCES = {"A zone of a kernel costs 19 instructions": "index.html",
             "sysroot.sh unpacks Debian's packages into a folder and installs nothing": "docs/building.html"}
failures = 0


def check(what, ok, detail=""):
    global failures
    failures += not ok
    if not ok:
        print(f"{what}: {detail}")


def make(root, to):
    return subprocess.run([sys.executable, MAKER, root, to], capture_output=True, text=True, timeout=100)


def files(folder):
    return {os.path.relpath(os.path.join(where, name), folder) for where, _, names in os.walk(folder) for name in names}


def every_page_is_there(there):
    for path in files(os.path.join(SOURCE, "docs")):
        if path.endswith(".md"):
            page = re.sub(r"README\.html$", "index.html", "docs/" + path[:-3] + ".html")
            check(path, page in there, f"no {page}")


def links_lead_somewhere(folder, there):
    texts = {}
    for page in sorted(there):
        if page.endswith(".html"):
            with open(os.path.join(folder, page), encoding="utf-8") as file:
                texts[page] = file.read()
    count = 0
    for page, text in texts.items():
        check(page, "raw HTML omitted" not in text and "<script>" not in text, "has something raw")
        for link in re.findall(r'(?:href|src)="([^"]*)"', text):
            path, _, anchor = html.unescape(link).partition("#")
            if re.match(r"https?:", path):
                continue
            to = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
            check(page, to in there, f"{link} is a dead link")
            check(page, not anchor or f'id="{html.escape(anchor)}"' in texts.get(to, ""), f"{link} has no anchor")
            count += 1
        loaded = re.findall(r'<(?:script|link|img)[^>]*(?:href|src)="([a-z]+:[^"]*)"', text)
        check(page, not loaded, f"loads {loaded}")
    check("links", count > 1000, count)


def index_has_sentences(folder, there):
    with open(os.path.join(folder, "index.js"), encoding="utf-8") as file:
        rows = json.loads(re.match(r"const MANUAL = (\[.*?\n\]);\n", file.read(), re.S)[1])
    check("index", len(rows) > 400, len(rows))
    check("pages of the index", {row[0] for row in rows} == {path for path in there if path.endswith(".html")})
    for sentence, page in SENTENCES.items():
        found = {row[0] for row in rows if sentence.lower() in row[4].lower()}
        check(sentence, found == {page}, found)
    if not shutil.which("node"):
        print("node is not here: the search itself is not run")
        return
    program = """const {manualSearch, manualExcerpt} = require(process.argv[1] + '/search.js');
        const rows = require(process.argv[1] + '/index.js');
        console.log(JSON.stringify(JSON.parse(process.argv[2]).map((query) =>
            manualSearch(rows, query, 5).map((row) => [row[0], manualExcerpt(row[4], query)[1]]))));"""
    queries = list(SENTENCES) + ["", "  ", "zzyzx", "TENDRIL   Record"]
    r = subprocess.run(["node", "-e", program, folder, json.dumps(queries)], capture_output=True, text=True, timeout=60)
    check("search", r.returncode == 0, r.stderr)
    answers = dict(zip(queries, json.loads(r.stdout or "[]")))
    for sentence, page in SENTENCES.items():
        first = answers[sentence][:1]
        check(f"search: {sentence}", first and first[0][0] == page and first[0][1] == sentence, first)
    check("search for nothing", answers[""] == answers["  "] == answers["zzyzx"] == [], answers)
    check("search for two words", answers["TENDRIL   Record"][0][0] == "docs/commands/record.html", answers["TENDRIL   Record"])


def dead_links_are_errors(folder):
    os.makedirs(os.path.join(folder, "docs"))
    for name in "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "docs/README.md":
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write("# Page\n\n## Twice\n\n[a](#twice) [b](#twice-1)\n\n## Twice\n")
    check("links that lead somewhere", make(folder, os.path.join(folder, "good")).returncode == 0)
    for link, why in ("docs/none.md", "leads nowhere"), ("docs/README.md#none", "leads to no heading"):
        with open(os.path.join(folder, "README.md"), "w", encoding="utf-8") as file:
            file.write(f"# Page\n\n[this]({link})\n")
        r = make(folder, os.path.join(folder, "bad-" + why.split()[-1]))
        check(link, r.returncode == 1 and r.stderr == f"make_manual.py: README.md: {link} {why}\n", r.stderr)


def main():
    if not shutil.which("cmark-gfm"):
        print("skipped: no cmark-gfm")
        return
    with tempfile.TemporaryDirectory() as temporary:
        folder = os.path.join(temporary, "manual")
        r = make(SOURCE, folder)
        check("make_manual.py", r.returncode == 0 and not r.stderr, r.stderr)
        there = files(folder)
        every_page_is_there(there)
        links_lead_somewhere(folder, there)
        index_has_sentences(folder, there)
        dead_links_are_errors(os.path.join(temporary, "pages"))


main()
sys.exit(failures != 0)
