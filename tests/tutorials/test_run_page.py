#!/usr/bin/env python3
"""run_page.py fails when a command fails, when a line is not printed, and when a picture is not made."""
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from checks import check, failures  # noqa: E402

PAGES = [
    ("a command that succeeds", True, "```sh run\ntrue\n```\n"),
    ("a command that fails", False, "```sh run\nfalse\ntrue\n```\n"),
    ("a failure that is expected", True, "```sh run fails\nfalse\n```\n"),
    ("a failure that does not come", False, "```sh run fails\ntrue\n```\n"),
    ("nothing to run", False, "```sh\nfalse\n```\n"),
    ("a file", True, "```c file=a.c\nint a;\n```\n```sh run\ngrep 'int a' a.c\n```\n"),
    ("a variable for later blocks", True, "```sh run\nexport A=1\n```\n```sh run\n[ $A = 1 ]\n```\n"),
    ("other numbers", True, "```sh run\necho '7 zones   in 1.25 us'\n```\n```text output\n12 zones in 3 ms\n```\n"),
    ("other exact numbers", False, "```sh run\necho '7 zones'\n```\n```text output exact\n8 zones\n```\n"),
    ("other words", False, "```sh run\necho '7 zones'\n```\n```text output\n7 cores\n```\n"),
    ("another order", False, "```sh run\nprintf 'a\\nb\\n'\n```\n```text output\nb\na\n```\n"),
    ("lines in between", True, "```sh run\nprintf 'a\\nb\\nc\\n'\n```\n```text output\na\n...\nc\n```\n"),
    ("a picture that is not made", False, "```sh run\ntrue\n```\n![a](a.png)\n"),
    ("a program that is not there", True, "```sh run needs=no-such-program\nfalse\n```\n"),
]


def main():
    with tempfile.TemporaryDirectory(prefix="tendril-test-") as folder:
        page = os.path.join(folder, "page.md")
        for name, good, text in PAGES:
            with open(page, "w", encoding="ascii") as f:
                f.write(text)
            done = subprocess.run([sys.executable, os.path.join(HERE, "run_page.py"), "--prefix", folder, page],
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=100)
            check((done.returncode == 0) == good, f"{name}: {done.stdout}")
    return 1 if failures() else 0


sys.exit(main())
