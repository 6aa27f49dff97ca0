"""Memory of Python's allocators, as pools of the trace: "python", and "python raw" for memory that the interpreter
takes without its lock. As with tracemalloc, what was allocated before start() is unknown."""

from . import _tracy


def start():
    """From now on allocations are recorded."""
    _tracy.begin_memory()


def stop():
    """New allocations are not recorded any more. The ends of recorded ones are."""
    _tracy.end_memory()


class recorded:
    """`with recorded():` records the allocations of the body."""

    def __enter__(self):
        start()
        return self

    def __exit__(self, *exception):
        stop()
