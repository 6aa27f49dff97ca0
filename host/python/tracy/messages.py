"""What `python -m tracy` says: one line each, on standard error."""

import sys

TROUBLE = 1


class Failure(Exception):
    """What ends `python -m tracy`: one line, and the exit code."""

    def __init__(self, line, code=TROUBLE):
        super().__init__(line)
        self.code = code


def say(line):
    print(f"tracy: {line}", file=sys.stderr, flush=True)
