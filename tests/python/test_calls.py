"""Every call of a function is a zone: as many as sys.setprofile() counts in another run of the same program."""
import os
import sys
import tempfile

import kit
from kit import Trace, check, counted

PROGRAMS = {
    "shapes": [kit.PROGRAMS + "/shapes.py"],
    "tasks": [kit.PROGRAMS + "/tasks.py"],
    # Programs of Debian's packages.
    "json": ["-m", "json.tool", kit.SOURCE + "/CMakePresets.json"],
    "pyflakes": ["-m", "pyflakes", kit.SOURCE + "/tests/ports.py", kit.SOURCE + "/tests/checks.py"],
    "pygments": ["-m", "pygments", "-f", "html", kit.SOURCE + "/tests/ports.py"],
    "unittest": ["-m", "unittest", "-q", "pyflakes.test.test_dict"],
    "pytest": [kit.PROGRAMS + "/run_pytest.py", "-k", "test_return or test_continue", "--pyargs",
               "pyflakes.test.test_other"],
}
OURS = ("/tests/python/counter/", "/host/python/tracy/", "/build/python/tracy/")
# What depends on times, on addresses, or on what the other run has imported before the program.
VARIES = ("<frozen importlib", "<frozen posixpath", "<frozen os", "/importlib/", "/_weakrefset.py", "/weakref.py",
          "/pathlib.py", "/contextlib.py", "/tracy/", "/_distutils_hack/")


# What runs after the counter has stopped, and what the counter replaces.
ENDS = ("PY_FUNC__removeHandlerRef", "remove", "PY_FUNC__acquireLock", "PY_FUNC__releaseLock", "acquire", "release",
        "start_new_thread")


def plain(counts):
    """C functions by their own name: "str.join" is "join" for the counter."""
    result = {}
    for (path, line, name), count in counts.items():
        name = name if name.startswith("PY_FUNC_") else name.rsplit(".", 1)[-1]
        if name not in ENDS and not any(part in path for part in OURS + VARIES):
            result[path, line, name] = result.get((path, line, name), 0) + count
    return result


def odd_names():
    """File and function names that are not ASCII, or not UTF-8."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "odd \udcff name.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write("def f\u00e9():\n    pass\nf\u00e9()\n")
        trace = Trace(path)
        check(trace.code == 0 and not trace.err, trace.err)
        check(trace.count("PY_FUNC_f\u00e9") == 1, str([name for _, _, name in trace.zones() if "PY_FUNC_f" in name]))
    return 1 if kit.failures() else print("ok") or 0


def main(name):
    if name == "odd":
        return odd_names()
    words = PROGRAMS[name]
    trace = Trace(*words)
    counts, code, out = counted(*words)
    check(trace.code == code, f"exit code {trace.code} instead of {code}: {trace.err}")
    ours, theirs = plain(trace.zones()), plain(counts)
    if name == "tasks": # how often the event loop turns depends on times
        ours, theirs = ({key: count for key, count in counts.items() if key[0] == words[0]} for counts in (ours, theirs))
        info = trace.info()
        check(not info["open_zones"] and not any("unmatched" in line for line in info["app_info"]), str(info["app_info"]))
        check(theirs[words[0], 15, "PY_FUNC_deep"] == 2 * 20 * 14 + 1, str(theirs))
    differ = [key for key in set(ours) | set(theirs) if ours.get(key, 0) != theirs.get(key, 0)]
    for key in sorted(differ)[:20]:
        check(False, f"{key}: {ours.get(key, 0)} zones, {theirs.get(key, 0)} calls")
    check(len(theirs) > 15, f"only {len(theirs)} functions were compared")
    print(f"{name}: {len(theirs)} functions and calls of C functions, {sum(theirs.values())} calls")
    return 1 if kit.failures() else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
