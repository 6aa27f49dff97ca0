"""Checks that go on after a failure, and how many failed; whether tests run all their cases, or one of each kind."""
import os

THOROUGH = bool(os.environ.get("TD_THOROUGH"))  # set by ./build.sh --test --thorough
bad = 0


def check(condition, text):
    """Counts a condition that does not hold and prints what is wrong."""
    global bad
    if not condition:
        bad += 1
        print("wrong: " + text, flush=True)


def failures():
    return bad
