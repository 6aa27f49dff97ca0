"""Markers for Python programs."""

import functools
import inspect

from . import _tracy
from ._tracy import (app_info, frame_begin, frame_end, frame_mark, is_connected, memory_alloc, memory_free, message,
                     plot, plot_config, program_name, thread_name, wait_connected)  # noqa: F401


class zone(_tracy.Zone):
    """A zone: `with zone("load"):`, or a decorator: `@zone`, `@zone("load", color=0x80ff00)`. Without a name, the
    function is shown. The zone of a coroutine function lasts until the coroutine has ended."""

    def __new__(cls, name=None, color=0, text=None, code=None):
        if callable(name):
            return zone()(name)
        return super().__new__(cls, name, color, text, code)

    def __init__(self, name=None, color=0, text=None, code=None):
        self.arguments = (name, color, text)

    def __call__(self, function):
        arguments = (*self.arguments, inspect.unwrap(function).__code__)
        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def wrapper(*args, **kwargs):
                with _tracy.Zone(*arguments):
                    return await function(*args, **kwargs)

        else:

            @functools.wraps(function)
            def wrapper(*args, **kwargs):
                with _tracy.Zone(*arguments):
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
