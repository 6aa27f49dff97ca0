"""The package as it is installed, its stubs, and libraries with a client next to it."""
import ast
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile

import kit
from checks import THOROUGH
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
    """A wheel of this build's extension has all files of the package, and is the same each time."""
    sys.path.insert(0, os.path.join(SOURCE, "toolchains"))
    import tendril_wheel

    built = [name for name in os.listdir(os.path.join(kit.PACKAGES, "tracy")) if name.endswith(".so")][0]
    with tempfile.TemporaryDirectory() as folder:
        contents = []
        for part in "first", "second":
            done = subprocess.run([kit.PYTHON, tendril_wheel.__file__, os.path.join(folder, part),
                                   os.path.join(kit.PACKAGES, "tracy", built)], env=kit.environment(), capture_output=True, text=True)
            check(done.returncode == 0, done.stderr)
            with open(os.path.join(folder, part, os.listdir(os.path.join(folder, part))[0]), "rb") as file:
                contents.append(file.read())
        check(contents[0] == contents[1], "two wheels of the same files differ")
        names = set(zipfile.ZipFile(io.BytesIO(contents[0])).namelist())
    tree = os.path.join(SOURCE, "host/python")
    wanted = {os.path.relpath(os.path.join(where, name), tree) for where, _, files in os.walk(tree)
              for name in files if name.endswith((".py", ".pyi", ".typed"))} | {"tracy/" + built}
    check(wanted <= names, f"not in the wheel: {wanted - names}")
    check({os.path.basename(name) for name in names - wanted} ==
          {"LICENSE", "METADATA", "RECORD", "WHEEL", "entry_points.txt"}, str(names - wanted))

    with open(os.path.join(kit.BINARY, "compile_commands.json"), encoding="utf-8") as file:
        commands = json.load(file)
    compiled = {os.path.relpath(entry["file"], SOURCE) for entry in commands
                if "/td_client_parts.dir/" in entry["command"] or "/td_python.dir/" in entry["command"]}
    sources = set(tendril_wheel.sources())
    check(sources == compiled, f"tendril_wheel.py and CMake compile other files: {sources ^ compiled}")


def pip():
    """`pip install .` in a plain venv, with nothing from a network: the package compiles, is installed, and goes again."""
    variables = kit.environment(PIP_CONFIG_FILE=os.devnull, PIP_NO_CACHE_DIR="1", PIP_DISABLE_PIP_VERSION_CHECK="1")
    del variables["PYTHONPATH"]
    if not THOROUGH:
        variables.update(CC="ccache cc" if shutil.which("ccache") else "cc", CFLAGS="-O0")
    with tempfile.TemporaryDirectory() as folder:
        def run(*words, **more):
            done = subprocess.run(words, env=variables, capture_output=True, text=True, **more)
            check(done.returncode == 0, f"{words}: {done.stdout}{done.stderr}")
            return done.stdout
        python = os.path.join(folder, "bin", "python")
        run(kit.PYTHON, "-m", "venv", folder)
        run(python, "-m", "pip", "install", "--no-index", ".", cwd=SOURCE)
        files = run(python, "-c", "import tracy, tracy_client; print(tracy.__file__, tracy_client.__file__)", cwd="/").split()
        check(len(files) == 2 and all(name.startswith(folder) for name in files), str(files))
        out = run(python, "-m", "tracy", PROGRAMS + "/shapes.py", cwd="/")
        check(out.startswith("144 1225"), out)
        group = "import importlib.metadata as m; print([e.value for e in m.entry_points(group='pytest11')])"
        check(run(python, "-c", group, cwd="/") == "['tracy.pytest_plugin']\n", "pytest does not find the plugin")
        run(python, "-m", "pip", "uninstall", "-y", "tendril-tracy", cwd="/")
        check(not os.path.exists(os.path.dirname(files[0])), "files are left")


def library():
    """A library's own client makes way for the package's."""
    for before in ((), ("-m", "tracy")):
        trace = Trace(PROGRAMS + "/loads.py", os.path.join(kit.BINARY, "tests", "libpython_plugin.so"), before=before)
        tracks = [track["name"] for track in trace.info()["tracks"]
                  if {"around", "in the library"} <= {zone["name"] for zone in track["names"]}]
        check(tracks == ["Main thread"], f"the library's zone is not in the program's: {trace.err} {trace.tracks()}")


def main(which):
    {"stubs": stubs, "installed": installed, "wheel": wheel, "pip": pip, "library": library}[which]()
    return 1 if kit.failures() else print("ok") or 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
