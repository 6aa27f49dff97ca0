"""The names of Tracy's own Python module, on the package tracy: programs that are marked for it run unchanged.

PYTEST_DONT_REWRITE: pytest leaves the asserts of this package alone.
"""

from tracy import _tracy

_NAMES = ["is_enabled", "program_name", "thread_name", "app_info", "PlotFormatType", "frame_mark", "frame_mark_start",
          "frame_mark_end", "frame_image", "alloc", "free", "message", "plot", "plot_config", "ScopedZone", "ScopedFrame",
          "ScopedZoneDecorator", "ScopedFrameDecorator"]
__all__ = ["ColorType", *_NAMES]


def _find(name):
    """Imports what is used, as the package tracy does."""
    if name == "ColorType":
        from .colors import ColorType as value
    elif name in _NAMES:
        from . import names

        value = getattr(names, name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


__getattr__ = _tracy.unseen(_find)
