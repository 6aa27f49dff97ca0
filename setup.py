"""The extension of the Python package tracy: host/python with the client library's sources."""
import glob
import os
import re

from setuptools import Extension, setup

CLIENT = "host/client"


def sources():
    """host/python, and what host/client/CMakeLists.txt lists."""
    with open(os.path.join(CLIENT, "CMakeLists.txt"), encoding="utf-8") as file:
        lower = re.findall(r"\.\./((?:symbols|wire|base)/\w+\.c)", file.read())
    client = set(glob.glob(CLIENT + "/*/*.c")) - {CLIENT + "/api/malloc.c"}
    return sorted(glob.glob("host/python/*.c")) + sorted(client) + ["host/" + path for path in lower]


# Apart from what CMake has in build/.
setup(options={"build": {"build_base": "build/setuptools"}}, ext_modules=[Extension(
    "tracy._tracy",
    sources(),
    include_dirs=["."],
    define_macros=[("TRACY_ENABLE", None), ("TRACY_DELAYED_INIT", None), ("TD_CLIENT_PART", None), ("_GNU_SOURCE", "1")],
    extra_compile_args=["-std=c11", "-O2", "-fvisibility=hidden", "-Wno-unused-parameter"],
    libraries=["lz4", "m", "pthread", "dl"],
)])
