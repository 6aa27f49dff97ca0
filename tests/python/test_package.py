"""The package as it is installed, its stubs, and libraries with a client next to it."""
import ast
import json
import os
import subprocess
import sys
import tempfile
import zipfile

import kit
from kit import PROGRAMS, SOURCE, Trace, check


def stubs():
    """The stubs have the names of the package, and no others."""
    with open(os.path.join(SOURCE, "host/python/tracy/__init__.pyi"), encoding="utf-8") as file:
        tree = ast.parse(file.read())
    stubbed = {node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    stubbed |= {name.asname for node in tree.body if isinstance(node, ast.ImportFrom) for name in node.names if name.asname}
    stubbed = {name for name in stubbed if not name.startswith("_")}
    code, out, err = kit.run("-c", "import json, tracy; print(json.dumps([n for n in tracy.__all__ if hasattr(tracy, n)]))")
    names = set(json.loads(out or "[]"))
    check(code == 0 and stubbed == names, f"{err} only in stubs: {stubbed - names}, only in the package: {names - stubbed}")
    with open(os.path.join(SOURCE, "docs/python.md"), encoding="utf-8") as file:
        page = file.read()
    for name in names - {"tracy_state"}:
        check(f"`{name}" in page or f"{name}(" in page or f"@{name}" in page, f"docs/python.md does not name {name}")


def installed():
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["cmake", "--install", kit.BINARY, "--prefix", folder, "--component", "python"], check=True,
                       stdout=subprocess.DEVNULL)
        site = [where for where, _, names in os.walk(folder) if "py.typed" in names and where.endswith("tracy")]
        check(len(site) == 1 and os.path.exists(site[0] + "_client/names.py"), str(site))
        result = subprocess.run([kit.PYTHON, "-m", "tracy", PROGRAMS + "/shapes.py"], capture_output=True, text=True,
                                env=dict(kit.environment(), PYTHONPATH=os.path.dirname(site[0])))
        check(result.returncode == 0 and result.stdout.startswith("144 1225"), result.stdout + result.stderr)


def wheel():
    """A wheel of this build's extension has all files of the package."""
    with tempfile.TemporaryDirectory() as folder:
        built = [name for name in os.listdir(os.path.join(kit.PACKAGES, "tracy")) if name.endswith(".so")][0]
        variables = dict(kit.environment(), TENDRIL_PYTHON_EXTENSION=os.path.join(kit.PACKAGES, "tracy", built),
                         TENDRIL_PYTHON_BUILD=os.path.join(folder, "build"))
        done = subprocess.run([kit.PYTHON, "setup.py", "-q", "bdist_wheel", "-d", folder, "-b", folder + "/wheel"], cwd=SOURCE,
                              env=variables, capture_output=True, text=True)
        wheels = [name for name in os.listdir(folder) if name.endswith(".whl")]
        check(len(wheels) == 1, done.stdout + done.stderr)
        names = set(zipfile.ZipFile(os.path.join(folder, wheels[0])).namelist())
        tree = os.path.join(SOURCE, "host/python")
        wanted = {os.path.relpath(os.path.join(where, name), tree) for where, _, files in os.walk(tree)
                  for name in files if name.endswith((".py", ".pyi", ".typed"))} | {"tracy/" + built}
        check(wanted <= names, f"not in the wheel: {wanted - names}")
        entry = [name for name in names if name.endswith("entry_points.txt")]
        check(len(entry) == 1, str(names))
    sys.path.insert(0, SOURCE)
    os.chdir(SOURCE)
    import setup

    with open(os.path.join(kit.BINARY, "compile_commands.json"), encoding="utf-8") as file:
        commands = json.load(file)
    compiled = {os.path.relpath(entry["file"], SOURCE) for entry in commands
                if "/td_client_parts.dir/" in entry["command"] or "/td_python.dir/" in entry["command"]}
    check(set(setup.sources()) == compiled, f"setup.py and CMake compile other files: {set(setup.sources()) ^ compiled}")


def library():
    """A library's own client makes way for the package's."""
    for before in ((), ("-m", "tracy")):
        trace = Trace(PROGRAMS + "/loads.py", os.path.join(kit.BINARY, "tests", "libpython_plugin.so"), before=before)
        tracks = [track["name"] for track in trace.info()["tracks"]
                  if {"around", "in the library"} <= {zone["name"] for zone in track["names"]}]
        check(tracks == ["Main thread"], f"the library's zone is not in the program's: {trace.err} {trace.tracks()}")


def main(which):
    {"stubs": stubs, "installed": installed, "wheel": wheel, "library": library}[which]()
    return 1 if kit.failures() else print("ok") or 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
