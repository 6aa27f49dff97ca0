"""The names that tt-metal's module has."""

import sys

from . import _tracy, tracy_state


class Profiler:
    """Zones of all calls between enable() and disable(), in a program that runs under `python -m tracy -p`. With
    `-l`, zones of lines, too. In other programs, and where the program has a profiler or tracer of its own, both
    do nothing. Threads that are started in between are profiled, too."""

    def __init__(self):
        self.doProfile = tracy_state.doPartial and sys.gettrace() is None and sys.getprofile() is None
        self.doLine = tracy_state.doLine

    def enable(self):
        if self.doProfile:
            _tracy.begin_calls(self.doLine)

    def disable(self):
        if self.doProfile:
            _tracy.end_calls()

    def __enter__(self):
        self.enable()
        return self

    def __exit__(self, *exception):
        self.disable()


def signpost(header, message=None):
    """A message that op reports show as a row of its own."""
    text = f"{header}\n{message}" if message else f"{header}"
    _tracy.message(f"`TT_SIGNPOST: {text}`")
