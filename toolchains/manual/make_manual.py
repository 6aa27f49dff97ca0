#!/usr/bin/env python3
"""Makes the manual as HTML from the tree's pages (*.md), with an index for its search.

Usage: make_manual.py ROOT TO [CMARK]
TO is a new folder, with the layout of the tree: docs/viewer.md becomes TO/docs/viewer.html, a README.md index.html.
Pages of docs and those that they lead to are taken. Files of docs and examples that a page leads to are copied; of
other files of the tree, the path is shown in place of a link. A link that leads nowhere is an error.
"""
import html
import json
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
FIRST = ["README.md", "docs/README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"]
COPIED = ("docs/", "examples/", "LICENSE")
PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title} - Tendril</title>
<link rel="stylesheet" href="{up}manual.css">
<script defer src="{up}search.js"></script>
</head>
<body>
<header>
<a href="{up}index.html">Tendril</a> <a href="{up}docs/index.html">Pages by task</a>
<search hidden><input type="search" placeholder="Search ( / )" aria-label="Search the manual"><ol></ol></search>
</header>
<div>
<nav>{contents}</nav>
<main>
{body}</main>
</div>
</body>
</html>
"""


def plain(markup):
    """The text of a piece of HTML, on one line."""
    return " ".join(html.unescape(re.sub(r"<[^>]*>", "", markup)).split())


def anchor_of(heading, taken):
    """As GitHub makes it: pages are read there, too."""
    anchor = re.sub(r"[^\w\- ]", "", plain(heading).lower()).strip().replace(" ", "-")
    count = taken.get(anchor, 0)
    taken[anchor] = count + 1
    return f"{anchor}-{count}" if count else anchor


def html_name(page):
    folder, name = os.path.split(page)
    return os.path.join(folder, "index.html" if name == "README.md" else name[:-3] + ".html")


class Manual:
    def __init__(self, root, to, cmark):
        self.root, self.to, self.cmark = root, to, cmark
        self.pages, self.files, self.errors = {}, set(), []

    def read(self):
        waiting = FIRST + sorted(os.path.relpath(os.path.join(where, name), self.root)
                                 for where, _, names in os.walk(os.path.join(self.root, "docs")) for name in names
                                 if name.endswith(".md"))
        while waiting:
            page = waiting.pop(0)
            if page in self.pages:
                continue
            text = subprocess.run([self.cmark, "-e", "table", "--to", "html", os.path.join(self.root, page)],
                                  check=True, capture_output=True, encoding="utf-8").stdout
            self.pages[page] = self.with_anchors(text.replace("<!-- raw HTML omitted -->\n", ""))
            leads = [self.target(page, link)[0] for link in re.findall(r'href="([^"]+)"', text)]
            waiting += [there for there in leads if there and there.endswith(".md")]

    @staticmethod
    def with_anchors(text):
        taken = {}
        return re.sub(r"<h([1-6])>(.*?)</h\1>",
                      lambda m: f'<h{m[1]} id="{html.escape(anchor_of(m[2], taken))}">{m[2]}</h{m[1]}>', text, flags=re.S)

    def target(self, page, link):
        """The file of the tree that a link of the page leads to (None: it is not in the tree) and the anchor."""
        path, _, anchor = html.unescape(link).partition("#")
        if re.match(r"[a-z]+:", path):
            return None, anchor
        there = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
        if not os.path.exists(os.path.join(self.root, there)):
            self.errors.append(f"{page}: {link} leads nowhere")
            return None, anchor
        if os.path.exists(os.path.join(self.root, there, "README.md")):
            there = os.path.join(there, "README.md")
        return there, anchor

    def place(self, page, link):
        """Where a link of the page leads in the manual; None: to a file of the tree that is not there."""
        there, anchor = self.target(page, link)
        if there is None:
            return link
        if there in self.pages:
            if anchor and f'id="{html.escape(anchor)}"' not in self.pages[there]:
                self.errors.append(f"{page}: {link} leads to no heading")
            new = html_name(there) + ("#" + anchor if anchor else "")
        elif there.startswith(COPIED) and os.path.isfile(os.path.join(self.root, there)):
            self.files.add(there)
            new = there
        else:
            return None
        return html.escape(os.path.relpath(new, os.path.dirname(page) or "."))

    def with_links(self, page, text):
        def link(m):
            place = self.place(page, m[1])
            if place:
                return f'<a href="{place}">{m[2]}</a>'
            return f'<span title="{html.escape(self.target(page, m[1])[0])} in the source tree">{m[2]}</span>'
        text = re.sub(r'<img src="([^"]*)"', lambda m: f'<img src="{self.place(page, m[1])}"', text)
        return re.sub(r'<a href="([^"]*)">(.*?)</a>', link, text, flags=re.S)

    def sections(self, page):
        """Rows of the index: page, anchor, its title, heading, text."""
        parts = re.split(r'<h[1-6] id="([^"]*)">(.*?)</h[1-6]>', self.pages[page], flags=re.S)
        title = plain(parts[2]) if len(parts) > 2 else page
        for i in range(1, len(parts), 3):
            text = re.sub(r"</(?:t[dh]|li|p|pre)>", " ", parts[i + 2])
            yield [html_name(page), html.unescape(parts[i]), title, plain(parts[i + 1]), plain(text)]

    def write(self):
        os.makedirs(self.to)
        rows = []
        for page in sorted(self.pages):
            path = os.path.join(self.to, html_name(page))
            os.makedirs(os.path.dirname(path), exist_ok=True)
            sections = list(self.sections(page))
            rows += sections
            contents = "".join(f'<a href="#{anchor}">{heading}</a>\n' for anchor, heading in
                               re.findall(r'<h2 id="([^"]*)">(.*?)</h2>', self.pages[page], re.S))
            with open(path, "w", encoding="utf-8") as file:
                file.write(PAGE.format(title=html.escape(sections[0][2]), up="../" * page.count("/"),
                                       contents=contents, body=self.with_links(page, self.pages[page])))
        for path in sorted(self.files):
            os.makedirs(os.path.dirname(os.path.join(self.to, path)), exist_ok=True)
            shutil.copyfile(os.path.join(self.root, path), os.path.join(self.to, path))
        for name in "manual.css", "search.js":
            shutil.copyfile(os.path.join(HERE, name), os.path.join(self.to, name))
        with open(os.path.join(self.to, "index.js"), "w", encoding="utf-8") as file:
            file.write("const MANUAL = [\n" + ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows) +
                       "\n];\nif (typeof module !== 'undefined')\n  module.exports = MANUAL;\n")


def main(root, to, cmark="cmark-gfm"):
    manual = Manual(root, to, cmark)
    manual.read()
    manual.write()
    for line in sorted(set(manual.errors)):
        print(f"make_manual.py: {line}", file=sys.stderr)
    return 1 if manual.errors else 0


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit("usage: make_manual.py ROOT TO [CMARK]")
    sys.exit(main(*sys.argv[1:]))
