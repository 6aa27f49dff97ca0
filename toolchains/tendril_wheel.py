#!/usr/bin/env python3
"""Makes the wheel of the Python package tracy (host/python), as a build backend for pip that needs nothing but a C
compiler, python3-dev and liblz4-dev: neither setuptools nor wheel, so no network.

Usage: tendril_wheel.py FOLDER EXTENSION
EXTENSION is the extension module that CMake has built; for pip, this module compiles it.
"""
import base64
import concurrent.futures
import glob
import hashlib
import os
import re
import shlex
import subprocess
import sys
import sysconfig
import tempfile
import time
import tomllib
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CLIENT = "host/client"
PACKAGES = "host/python"
FLAGS = ["-std=c11", "-O2", "-fPIC", "-pthread", "-fvisibility=hidden", "-I.", "-DNDEBUG", "-D_GNU_SOURCE", "-DTRACY_ENABLE",
         "-DTRACY_DELAYED_INIT", "-DTRACY_SAMPLING_PROFILER_MANUAL_START=2", "-DTD_CLIENT_PART"]
LIBRARIES = ["-llz4", "-lm", "-ldl"]
EXTENSION = "tracy/_tracy" + sysconfig.get_config_var("EXT_SUFFIX")


def read(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
        return file.read()


def sources():
    """host/python, and what host/client/CMakeLists.txt lists."""
    lower = re.findall(r"\.\./((?:symbols|perf|wire|base)/\w+\.c)", read(CLIENT, "CMakeLists.txt"))
    client = set(glob.glob(CLIENT + "/*/*.c", root_dir=ROOT)) - {CLIENT + "/api/malloc.c"}
    client -= set(glob.glob(CLIENT + "/watch/*.c", root_dir=ROOT))
    return sorted(glob.glob(PACKAGES + "/*.c", root_dir=ROOT)) + sorted(client) + ["host/" + path for path in lower]


def compile_extension(folder):
    """The path of the extension module, with all objects in the folder."""
    include = sysconfig.get_path("include")
    if not os.path.exists(os.path.join(include, "Python.h")):
        raise SystemExit(f"there is no {include}/Python.h: apt-get install python3-dev")
    compiler = shlex.split(os.environ.get("CC", "cc"))
    flags = FLAGS + ["-I" + include] + shlex.split(os.environ.get("CFLAGS", ""))

    def run(*words):
        subprocess.run(compiler + list(words), cwd=ROOT, check=True)

    def compile_one(source):
        to = os.path.join(folder, source.replace("/", "-") + ".o")
        run(*flags, "-c", source, "-o", to)
        return to
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = list(pool.map(compile_one, sources()))
    path = os.path.join(folder, os.path.basename(EXTENSION))
    run("-shared", "-pthread", *objects, "-o", path, *shlex.split(os.environ.get("LDFLAGS", "")), *LIBRARIES)
    return path


def project():
    return tomllib.loads(read("pyproject.toml"))["project"]


def distribution():
    return f'{re.sub("[-_.]+", "_", project()["name"])}-{project()["version"]}'


def tag():
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f'{python}-{python}-{re.sub("[-.]", "_", sysconfig.get_platform())}'


def metadata():
    """Files of the folder *.dist-info, but RECORD."""
    about = project()
    lines = [("Metadata-Version", "2.1"), ("Name", about["name"]), ("Version", about["version"]),
             ("Summary", about["description"]), ("License", about["license"]["text"]),
             ("Requires-Python", about["requires-python"])]
    groups = about["entry-points"].items()
    return {
        "LICENSE": read("LICENSE"),
        "METADATA": "".join(f"{name}: {value}\n" for name, value in lines),
        "WHEEL": f"Wheel-Version: 1.0\nGenerator: tendril_wheel\nRoot-Is-Purelib: false\nTag: {tag()}\n",
        "entry_points.txt": "".join(f"[{group}]\n" + "".join(f"{name} = {to}\n" for name, to in entries.items())
                                    for group, entries in groups),
    }


def package_files():
    for where, _, names in os.walk(os.path.join(ROOT, PACKAGES)):
        for name in names:
            if name.endswith((".py", ".pyi")) or name == "py.typed":
                path = os.path.join(where, name)
                yield os.path.relpath(path, os.path.join(ROOT, PACKAGES)), path


def write_wheel(folder, extension):
    """The name of the wheel, which is the same, byte for byte, for the same files (and SOURCE_DATE_EPOCH)."""
    info = distribution() + ".dist-info"
    contents = {f"{info}/{name}": text.encode() for name, text in metadata().items()}
    for name, path in [*package_files(), (EXTENSION, extension)]:
        with open(path, "rb") as file:
            contents[name] = file.read()
    record = ""
    for name in sorted(contents):
        digest = base64.urlsafe_b64encode(hashlib.sha256(contents[name]).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(contents[name])}\n"
    contents[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()

    date = time.gmtime(max(int(os.environ.get("SOURCE_DATE_EPOCH", 0)), 315532800))[:6]  # zip has no year before 1980
    wheel = f"{distribution()}-{tag()}.whl"
    with zipfile.ZipFile(os.path.join(folder, wheel), "w") as file:
        for name in sorted(contents):
            entry = zipfile.ZipInfo(name, date)
            entry.external_attr = (0o100755 if name == EXTENSION else 0o100644) << 16
            file.writestr(entry, contents[name], zipfile.ZIP_DEFLATED)
    return wheel


# ---- what pip calls (PEP 517)


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    folder = distribution() + ".dist-info"
    os.mkdir(os.path.join(metadata_directory, folder))
    for name, text in metadata().items():
        with open(os.path.join(metadata_directory, folder, name), "w", encoding="utf-8") as file:
            file.write(text)
    return folder


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    with tempfile.TemporaryDirectory() as folder:
        return write_wheel(wheel_directory, compile_extension(folder))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: tendril_wheel.py FOLDER EXTENSION")
    os.makedirs(sys.argv[1], exist_ok=True)
    write_wheel(sys.argv[1], sys.argv[2])
