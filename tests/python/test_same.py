"""A program's output and exit code are the same with and without the profiler."""
import re
import sys
import tempfile

import kit
from kit import PROGRAMS, Trace, check, run

ENDINGS = ["raise", "exit", "exit-text", "os-exit", "signal", "interrupt", "thread", "task", "names"]


def plain(text):
    """Without addresses and times."""
    text = re.sub(r"0x[0-9a-f]+", "0x", text)
    return re.sub(r"\d+\.\d+s", "s", text)


def compare(what, *words, **more):
    before = run(*words, **more)
    profiled = run("-m", "tracy", *words, **more)
    check([plain(str(part)) for part in before] == [plain(str(part)) for part in profiled],
          f"{what}: {before} without, {profiled} with the profiler")
    return before


def endings():
    for how in ENDINGS:
        code, out, err = compare(how, PROGRAMS + "/endings.py", how)
        check(how == "names" or code or err, f"{how} does not end as it should: {code} {out} {err}")
    compare("input", PROGRAMS + "/endings.py", "stdin", input="some words\n")
    compare("missing module", "-m", "no_such_module")


def recursion():
    """The interpreter's own tracing moves the place of the error by a frame."""
    before, profiled = (run(*words, PROGRAMS + "/endings.py", "recursion") for words in ((), ("-m", "tracy")))
    check(before[0] == profiled[0] == 1, f"{before[0]} without, {profiled[0]} with the profiler")
    check("RecursionError: maximum recursion depth exceeded" in profiled[2], profiled[2])


def own_profilers():
    _, out, _ = compare("profilers", PROGRAMS + "/profilers.py")
    check("'leaf'" in out, out)
    trace = Trace(PROGRAMS + "/profilers.py")
    check(trace.count("PY_FUNC_after") == 10, "zones end with the program's own profiler")
    check(trace.count("PY_FUNC_note") == 0, "the program's profiler is itself profiled")


def pytest_with_failures():
    with tempfile.TemporaryDirectory() as folder:
        words = ["-m", "pytest", "-p", "no:cacheprovider", "--rootdir", folder, PROGRAMS + "/failing_tests.py"]
        compare("pytest without tracy_profile", *words, "-k", "not profiled")
        code, out, err = run("-m", "tracy", *words)
        check(code == 1 and "3 failed, 4 passed, 1 skipped, 1 xfailed" in out, out + err)


def main(which):
    {"endings": endings, "profilers": own_profilers, "recursion": recursion, "pytest": pytest_with_failures}[which]()
    return 1 if kit.failures() else print("ok") or 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
