"""The extension of the Python package tracy: host/python with the client library's sources. With the variable
TENDRIL_PYTHON_EXTENSION, the file that CMake has built is taken instead."""
import glob
import os
import re
import shutil

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

CLIENT = "host/client"


def sources():
    """host/python, and what host/client/CMakeLists.txt lists."""
    with open(os.path.join(CLIENT, "CMakeLists.txt"), encoding="utf-8") as file:
        lower = re.findall(r"\.\./((?:symbols|perf|wire|base)/\w+\.c)", file.read())
    client = set(glob.glob(CLIENT + "/*/*.c")) - {CLIENT + "/api/malloc.c"} - set(glob.glob(CLIENT + "/watch/*.c"))
    return sorted(glob.glob("host/python/*.c")) + sorted(client) + ["host/" + path for path in lower]


class build(build_ext):
    def build_extension(self, extension):
        built = os.environ.get("TENDRIL_PYTHON_EXTENSION")
        if not built:
            super().build_extension(extension)
            return
        path = self.get_ext_fullpath(extension.name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        shutil.copyfile(built, path)


def main():
    # Apart from what CMake has in build/.
    folder = os.environ.get("TENDRIL_PYTHON_BUILD", "build/setuptools")
    os.makedirs(folder, exist_ok=True)
    extension = Extension(
        "tracy._tracy",
        sources(),
        include_dirs=["."],
        define_macros=[("TRACY_ENABLE", None), ("TRACY_DELAYED_INIT", None),
                       ("TRACY_SAMPLING_PROFILER_MANUAL_START", "2"), ("TD_CLIENT_PART", None),
                       ("_GNU_SOURCE", "1")],
        extra_compile_args=["-std=c11", "-O2", "-fvisibility=hidden", "-Wno-unused-parameter"],
        libraries=["lz4", "m", "pthread", "dl"],
    )
    setup(ext_modules=[extension], cmdclass={"build_ext": build}, options={
        "build": {"build_base": folder}, "egg_info": {"egg_base": folder}})


if __name__ == "__main__":
    main()
