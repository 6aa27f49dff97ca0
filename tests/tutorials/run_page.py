#!/usr/bin/env python3
"""Does what a page says, in a fresh folder with an installed tree, and compares what it prints.

Usage: run_page.py --prefix DIR [--update] [--keep] PAGE...

Blocks of a page that count; all others are only to be read:

  ```sh run                commands for bash, which stops at the first that fails; `run fails`: the last one fails
  ```sh run needs=NAME     only where there is a program or an environment variable of this name; else the page ends
  ```c file=NAME           a file with this text
  ```text output           lines that the commands before it print, in this order; others may be in between.
                           Any number and unit of time stands for any other; `exact`: for itself

Each picture of the page must be made by its commands, in the size that it has next to the page. --update puts the
new pictures there: look at them. --keep leaves the folder.
"""
import argparse
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from checks import check, failures  # noqa: E402
from ports import free_port  # noqa: E402

BLOCK = re.compile(r"^```(\w+) +(\S[^\n]*)\n(.*?)^```$", re.M | re.S)
PICTURE = re.compile(r"!\[[^\]]*\]\(([^)]+)\)")
NUMBER = re.compile(r"\d[\d.,]*(?: [num]?s\b)?")
SECONDS = 100


def blocks(text):
    """(line, kind, words, content) of each block that counts."""
    for match in BLOCK.finditer(text):
        kind, words, content = match.groups()
        yield text.count("\n", 0, match.start()) + 1, kind, words.split(), content


def pattern(line, exact):
    parts = [line] if exact else NUMBER.split(line)
    return re.compile(re.sub(r"(?:\\ )+", r"\\s+", NUMBER.pattern.join(re.escape(part) for part in parts)))


def missing_line(printed, wanted, exact):
    """The first of the wanted lines that is not printed after those before it, or None."""
    at, lines = 0, [line.strip() for line in printed.splitlines()]
    for line in wanted.splitlines():
        if not line.strip() or line.strip() == "...":
            continue
        while at < len(lines) and not pattern(line.strip(), exact).fullmatch(lines[at]):
            at += 1
        if at == len(lines):
            return line
        at += 1
    return None


def environment(prefix, folder):
    """That of a user who has installed Tendril, on ports that nobody else uses."""
    port = str(free_port())
    config = os.path.join(folder, ".tendril.conf")
    with open(config, "w", encoding="ascii") as f:
        f.write(f"[capture]\nport = {port}\n")
    python = os.path.join(prefix, "lib", f"python3.{sys.version_info.minor}", "site-packages")
    return dict(os.environ, PATH=os.path.join(prefix, "bin") + ":" + os.environ["PATH"], HOME=folder,
                PKG_CONFIG_PATH=os.path.join(prefix, "lib", "pkgconfig"), CMAKE_PREFIX_PATH=prefix, PYTHONPATH=python,
                TRACY_PORT=port, TENDRIL_CONFIG=config, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                OMPI_MCA_rmaps_base_oversubscribe="1")


def run_commands(commands, folder, env):
    """The exit code and what is printed. Variables that are exported are kept for the next commands."""
    kept = os.path.join(folder, ".environment")
    script = f"[ ! -e {kept} ] || . {kept}\nset -e\ntrap 'export -p >{kept}' EXIT\n{commands}"
    done = subprocess.run(["bash", "-c", script], cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=SECONDS)
    return done.returncode, done.stdout


def is_there(name, env):
    return name in env or shutil.which(name, path=env["PATH"]) is not None


def do_page(text, folder, env, name):
    """Whether all of it was done."""
    printed = ""
    for line, _, words, content in blocks(text):
        needs = [word[6:] for word in words if word.startswith("needs=")]
        lacking = [need for need in needs if not is_there(need, env)]
        if lacking:
            print(f"{name}:{line}: not run from here on: there is no {lacking[0]}")
            return False
        if words[0].startswith("file="):
            with open(os.path.join(folder, words[0][5:]), "w", encoding="utf-8") as f:
                f.write(content)
        elif words[0] == "run":
            code, printed = run_commands(content, folder, env)
            check((code != 0) == ("fails" in words), f"{name}:{line}: exit code {code}\n{printed}")
        elif words[0] == "output":
            lacks = missing_line(printed, content, "exact" in words)
            check(lacks is None, f"{name}:{line}: this line is not printed: {lacks}\nbut:\n{printed}")
    return True


def size_of_png(path):
    with open(path, "rb") as f:
        return struct.unpack(">II", f.read(24)[16:])


def compare_pictures(text, folder, beside, name, update):
    for picture in PICTURE.findall(text):
        made, kept = os.path.join(folder, picture), os.path.join(beside, picture)
        if not os.path.exists(made):
            check(False, f"{name}: its commands do not make {picture}")
        elif update:
            shutil.copyfile(made, kept)
        else:
            check(os.path.exists(kept) and size_of_png(made) == size_of_png(kept),
                  f"{name}: {picture} is not the one that is made: run_page.py --update")


def test_page(page, prefix, update, keep):
    name = os.path.basename(page)
    with open(page, encoding="utf-8") as f:
        text = f.read()
    folder = tempfile.mkdtemp(prefix="tendril-tutorial-")
    count = sum(1 for block in blocks(text) if block[2][0] == "run")
    check(count > 0, f"{name}: there is nothing to run")
    if do_page(text, folder, environment(prefix, folder), name):
        compare_pictures(text, folder, os.path.dirname(page), name, update)
    print(f"{name}: {count} blocks of commands" + (f", in {folder}" if keep else ""))
    if not keep:
        shutil.rmtree(folder, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--prefix", required=True)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("pages", nargs="+")
    args = parser.parse_args()
    for page in args.pages:
        test_page(page, os.path.abspath(args.prefix), args.update, args.keep)
    return 1 if failures() else 0


if __name__ == "__main__":
    sys.exit(main())
