"""Markers for Python programs."""

import functools
import inspect

from ._tracy import (app_info, frame_begin, frame_end, frame_mark, is_connected, memory_alloc, memory_free, message,
                     plot, plot_config, program_name, thread_name, wait_connected, zone)  # noqa: F401


def decorated(function, name, color, text):
    """The function with a zone around each call; of a coroutine function, until the coroutine has ended."""
    arguments = (name, color, text, getattr(inspect.unwrap(function), "__code__", None))
    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def wrapper(*args, **kwargs):
            with zone(*arguments):
                return await function(*args, **kwargs)

    else:

        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            with zone(*arguments):
                return function(*args, **kwargs)

    return wrapper


class frame:
    """A frame of a set with gaps: `with frame("simulation"):`, or `@frame("simulation")`."""

    def __init__(self, name):
        self.name = name

    def __enter__(self):
        frame_begin(self.name)
        return self

    def __exit__(self, *exception):
        frame_end(self.name)

    def __call__(self, function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            with self:
                return function(*args, **kwargs)

        return wrapper
