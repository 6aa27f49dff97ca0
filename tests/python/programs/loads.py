"""Loads a library that contains a client, and calls it."""
import ctypes
import sys

import tracy


def calls():
    with tracy.zone("around"):
        ctypes.CDLL(sys.argv[1]).work_in_library()


calls()
