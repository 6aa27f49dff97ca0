"""Starts the profiler in an interpreter whose environment asks for it (tracy/launch.py). The interpreter imports
this file before it runs a program, because the folder is in PYTHONPATH. It leaves no trace of itself: the path
is as without it, and a sitecustomize of the system or the user is imported as usual."""

import os
import sys


def begin():
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [folder for folder in sys.path if os.path.abspath(folder) != here]
    sys.path_importer_cache.pop(here, None)
    sys.modules.pop("sitecustomize", None)
    packages = os.path.dirname(os.path.dirname(here))
    sys.path.insert(0, packages)
    try:
        from tracy import launch
    except ImportError:  # another version of Python than the extension is for
        launch = None
    finally:
        sys.path.remove(packages)
    return launch


launch = begin()
try:
    import sitecustomize
finally:
    if launch:
        launch.begin_here()
