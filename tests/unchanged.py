"""Recording and importing change no time. Tests read the facts of a trace with this, unless its input is broken on
purpose; trace_dump has the same rule."""


def unchanged(facts):
    """`facts`: what `tendril info --json` prints; of one operation it has no such count."""
    changed = facts.get("clamped", 0)
    assert changed == 0, f"{changed} times were changed"
    return facts
