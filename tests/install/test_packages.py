#!/usr/bin/env python3
"""debian/ has what this build installs: each file is in exactly one package, and what build.sh installs to build
is in Build-Depends. tests/install/build_packages.sh builds the packages and tries them."""
import fnmatch
import glob
import os
import re
import subprocess
import sys
import tempfile

SOURCE, BUILD = os.environ["TD_SOURCE_DIR"], os.environ["TD_BINARY_DIR"]
DEBIAN = os.path.join(SOURCE, "debian")
MANUAL = "usr/share/doc/tendril/html"  # is made with TD_BUILD_MANUAL, as debian/rules configures
failures = 0


def check(what, ok, detail=""):
    global failures
    failures += not ok
    if not ok:
        print(f"{what}: {detail}")


def read(*path):
    with open(os.path.join(SOURCE, *path), encoding="utf-8") as file:
        return file.read()


def patterns(path):
    return [line for line in read(path).splitlines() if line and not line.startswith("#")]


def as_debian_installs(path):
    """debian/rules configures other folders for libraries and for the Python package."""
    path = re.sub(r"^usr/lib/pkgconfig/tendril-device", "usr/share/pkgconfig/tendril-device", path)
    path = re.sub(r"^usr/lib/python3\.\d+/site-packages/", "usr/lib/python3/dist-packages/", path)
    return re.sub(r"^usr/lib/(?!python3/|systemd/)", "usr/lib/x86_64-linux-gnu/", path)


def each_file_is_in_one_package(folder):
    subprocess.run(["cmake", "--install", BUILD, "--prefix", "/usr"], check=True, stdout=subprocess.DEVNULL,
                   env=dict(os.environ, DESTDIR=folder))
    packages = {os.path.basename(path): patterns(path)
                for path in sorted(glob.glob(DEBIAN + "/*.install")) + [DEBIAN + "/not-installed"]}
    used = set()
    count = 0
    for where, _, names in os.walk(folder):
        for name in names:
            path = as_debian_installs(os.path.relpath(os.path.join(where, name), folder))
            takers = [(package, pattern) for package, wanted in packages.items() for pattern in wanted
                      if fnmatch.fnmatch(path, pattern) or fnmatch.fnmatch(path, pattern + "/*")]
            check(path, len({package for package, _ in takers}) == 1, f"packages that take it: {takers}")
            used.update(takers)
            count += 1
    check("installed files", count > 500, count)
    check("debian/rules", "-DTD_BUILD_MANUAL=ON" in read("debian", "rules"), "no manual is made")
    for package, wanted in packages.items():
        for pattern in wanted:
            check(f"debian/{package}", (package, pattern) in used or pattern == MANUAL, f"nothing is installed as {pattern}")


def build_dependencies_are_what_build_sh_installs():
    text = re.search(r"Build-Depends:\n((?: .*\n)+)", read("debian", "control")).group(1)
    depends = {re.sub(r" \(.*", "", line.strip(" ,")) for line in text.splitlines()} - {"debhelper-compat", "dh-python"}
    installs = set()
    for line in patterns(os.path.join(SOURCE, "toolchains", "packages.txt")):
        name, _, tag = line.partition(" # ")
        if tag in ("", "viewer", "manual"):
            installs.add(name)
    # build-essential needs no mention; the last two are for programs that run.
    installs -= {"build-essential", "libgl1-mesa-dri", "fonts-dejavu-core"}
    check("Build-Depends", depends == installs, sorted(depends ^ installs))


def one_version():
    version = re.search(r"project\(tendril VERSION (\S+)", read("CMakeLists.txt")).group(1)
    check("debian/changelog", read("debian", "changelog").startswith(f"tendril ({version}) "), version)
    check("pyproject.toml", f'\nversion = "{version}"\n' in read("pyproject.toml"), version)
    check("CHANGELOG.md", f"\n## {version}\n" in read("CHANGELOG.md"), version)


with tempfile.TemporaryDirectory() as temporary:
    each_file_is_in_one_package(temporary)
build_dependencies_are_what_build_sh_installs()
one_version()
sys.exit(failures != 0)
