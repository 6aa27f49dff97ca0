#!/usr/bin/env python3
"""Lists the names of Tracy's public headers, a line each: HEADER KIND NAME.

Usage: names.py PUBLIC_FOLDER >names-RELEASE.txt

Macros and functions of all headers in tracy/, and the public functions of the classes that the C++ macros use.
"""
import os
import re
import sys

# What the manual names besides the headers in tracy/.
CLASSES = ["client/TracyLock.hpp", "client/TracyProfiler.hpp", "client/TracyScoped.hpp", "common/TracyAlloc.hpp",
           "common/TracySystem.hpp"]
MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.M)
GUARD = re.compile(r"^__TRACY\w*$")
# A declaration's name is between a type and an opening parenthesis.
FUNCTION = re.compile(r"^(?:[\w:*&<>,\s]|\[\[\w+\]\])*?[\w>][\s*&]+(\w+)\s*\((?!.*\bdefine\b)")
CONSTRUCTOR = re.compile(r"^(?:explicit\s+|tracy_force_inline\s+)*([A-Z]\w+)\s*\(")
NOT_NAMES = {"MANGLED_NAME_BASED_ON_CONFIG", "defined", "sizeof", "__attribute__"}


def without_comments(text):
    return re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.S)


def public_declarations(text):
    """The declarations outside of bodies: in namespaces and in the public parts of classes."""
    text = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*$", "", text, flags=re.M)
    text = re.sub(r'"(?:\\.|[^"\\])*"', '""', text)
    out, opened, start = [], [], 0
    for i, c in enumerate(text):
        if c not in ";{}":
            continue
        piece = re.sub(r"\s+", " ", text[start:i]).strip()
        start = i + 1
        access = re.match(r"^(?:.*\b)?(public|private|protected) ?:(?!:) ?(.*)$", piece)
        if access and opened:
            opened[-1] = access.group(1) if opened[-1] != "body" else "body"
            piece = access.group(2)
        if all(kind == "public" for kind in opened) and "(" in piece:
            out.append(piece)
        if c == "{":
            kind = re.match(r"^(?:template ?<[^>]*> ?)?(?:inline )?(namespace|struct|class|extern)\b[^(]*$", piece)
            opened.append("body" if not kind else "private" if kind.group(1) == "class" else "public")
        elif c == "}" and opened:
            opened.pop()
    return out


def names(path):
    with open(path, encoding="utf-8", errors="replace") as f:
        text = without_comments(f.read())
    found = {("macro", macro) for macro in MACRO.findall(text) if not GUARD.match(macro)}
    for declaration in public_declarations(text):
        match = FUNCTION.match(declaration) or CONSTRUCTOR.match(declaration)
        if match and match.group(1) not in NOT_NAMES and not declaration.startswith("typedef"):
            found.add(("function", match.group(1)))
    return found


def main():
    public = sys.argv[1]
    headers = ["tracy/" + name for name in os.listdir(os.path.join(public, "tracy")) if name.startswith("Tracy")]
    lines = set()
    for header in headers + CLASSES:
        for kind, name in names(os.path.join(public, header)):
            lines.add("%s %s %s" % (header, kind, name))
    print("\n".join(sorted(lines)))


main()
