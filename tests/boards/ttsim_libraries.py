"""The libraries of the vendor's simulator, which are not part of this tree: TD_TTSIM_DIR is their folder."""
import os

LIBRARIES = {"wormhole": "libttsim_wh.so", "blackhole": "libttsim_bh.so"}  # of one chip, by board


def find_library(name):
    """The library's path. None, and a line, where it is not there."""
    path = os.path.join(os.environ.get("TD_TTSIM_DIR", ""), name)
    if os.path.isabs(path) and os.path.exists(path):
        return path
    print(f"not run: TD_TTSIM_DIR names no folder with {name}")
    return None
