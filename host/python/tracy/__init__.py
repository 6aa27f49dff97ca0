"""Zones, messages, plots and frames of Python programs, for Tendril and for Tracy's viewers.

PYTEST_DONT_REWRITE: pytest leaves the asserts of this package alone.
"""

import os as _os
import sys as _sys

# Libraries that contain a client, too, and are loaded later, use this one: one session for one process.
_flags = _sys.getdlopenflags()
_sys.setdlopenflags(_flags | _os.RTLD_GLOBAL)
try:
    from . import _tracy
finally:
    _sys.setdlopenflags(_flags)

_NAMES = {
    "profiler": ["Profiler", "signpost"],
    "operations": ["operation", "on_op"],
    "trace": ["Trace", "QueryError"],
    "markers": ["zone", "frame", "message", "plot", "plot_config", "frame_mark", "frame_begin", "frame_end", "app_info",
                "thread_name", "program_name", "memory_alloc", "memory_free", "is_connected", "wait_connected"],
}
_MODULES = ["memory", "tracy_state", *_NAMES]
_PLACES = {name: module for module, names in _NAMES.items() for name in names}

__all__ = ["memory", "tracy_state", *_PLACES]


def _find(name):
    """Imports what is used. So a program that is profiled, but uses nothing of this, imports the same modules as
    without the profiler."""
    if name not in _PLACES and name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    full = f"{__name__}.{_PLACES.get(name, name)}"
    __import__(full)
    module = _sys.modules[full]
    value = module if name in _MODULES else getattr(module, name)
    globals()[name] = value
    return value


__getattr__ = _tracy.unseen(_find)  # what is imported for markers makes no zones


def __dir__():
    return sorted({*globals(), *__all__})
