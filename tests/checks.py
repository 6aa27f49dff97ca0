"""Checks that go on after a failure, and how many failed."""
bad = 0


def check(condition, text):
    """Counts a condition that does not hold and prints what is wrong."""
    global bad
    if not condition:
        bad += 1
        print("wrong: " + text, flush=True)


def failures():
    return bad
