#!/usr/bin/env python3
"""Checks that links between pages lead somewhere.

Usage: check_links.py ROOT
Fails when a link of a page (*.md) names a file that does not exist, or a heading that its page does not have.
Prints one line a link; exit code 1 if there is any.
"""
import os
import re
import sys

LINK = re.compile(r"\]\(([^)\s]+)\)|^\[[^\]]+\]: (\S+)", re.M)
CODE = re.compile(r"^ *```.*?^ *```", re.M | re.S)
INLINE = re.compile(r"`[^`\n]*`")
HEADING = re.compile(r"^#+ +(.*)$", re.M)


def pages(root):
    for where, folders, names in os.walk(root):
        folders[:] = [f for f in folders if not f.startswith((".", "build")) and f != "data"]
        yield from (os.path.join(where, name) for name in sorted(names) if name.endswith(".md"))


def text_of(page):
    with open(page, encoding="utf-8") as f:
        return CODE.sub("", f.read())


def anchors(page):
    """The anchors that a page's headings have, as GitHub makes them."""
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")
            for heading in HEADING.findall(text_of(page))}


def main(root):
    links = bad = 0
    for page in pages(root):
        for link in (a or b for a, b in LINK.findall(INLINE.sub("", text_of(page)))):
            if re.match(r"[a-z]+:", link):
                continue
            links += 1
            path, _, anchor = link.partition("#")
            there = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
            if os.path.exists(there) and (not anchor or not there.endswith(".md") or anchor in anchors(there)):
                continue
            print(f"{os.path.relpath(page, root)}: {link}")
            bad += 1
    print(f"{links} links, {bad} that lead nowhere")
    return 1 if bad or not links else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "."))
