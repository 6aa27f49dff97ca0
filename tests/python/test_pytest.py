"""The pytest plugin: the fixture tracy_profile, and one trace a test."""
import os
import subprocess
import sys
import tempfile

import kit
from kit import PROGRAMS, Trace, check, run

TESTS = PROGRAMS + "/failing_tests.py"
PYTEST = ["-m", "pytest", "-p", "no:cacheprovider", "-q", "--rootdir", PROGRAMS, TESTS]


def fixture():
    trace = Trace("-p", *PYTEST)
    check(trace.code == 1, f"{trace.code} {trace.out} {trace.err}")
    check(trace.count("PY_FUNC_test_profiled") == 1 and trace.count("PY_FUNC_double") == 1,
          "not the zones of the test with the fixture, and those alone")
    texts = [row["zone_text"] for row in trace.table("--style", "tt", "-u", "-f", "test") if row["name"] == "test"]
    check("failing_tests.py::test_many[2]" in texts and len(texts) == 9, str(texts))


def warnings_are_errors():
    """The package gives a program no warning, however early it was imported."""
    for words in ("-m", "tracy"), (), ("-c", "import tracy, tracy_client, sys, pytest; sys.exit(pytest.main(sys.argv[1:]))"):
        options = PYTEST[2:] if words and words[0] == "-c" else PYTEST
        code, out, err = run(*words, *options, "-W", "error", "-p", "tracy.pytest_plugin", "-k", "test_passes")
        check(code == 0 and "1 passed" in out and "warning" not in out.lower(), f"{words} {out} {err}")


def trace_per_test():
    with tempfile.TemporaryDirectory() as folder:
        code, out, err = run("-m", "tracy", *PYTEST, "--tracy-traces", folder)
        check(code == 1 and "3 failed, 4 passed, 1 skipped, 1 xfailed" in out, out + err)
        names = sorted(os.listdir(folder))
        check(len(names) == 9 and "failing_tests.py_test_many[2].tracy" in names, str(names))
        for name, calls in (("failing_tests.py_test_passes.tracy", 1), ("failing_tests.py_test_raises.tracy", 0)):
            done = subprocess.run([kit.TENDRIL, "csvexport", os.path.join(folder, name)], capture_output=True, text=True)
            found = sum(int(row.split(",")[5]) for row in done.stdout.splitlines() if row.startswith("PY_FUNC_double,"))
            check(found == calls, f"{found} zones of double() in {name}, not {calls}: {done.stderr}")
        trace = Trace(*PYTEST, "--tracy-traces", folder)
        check(trace.code == 4 and "recorder" in trace.err, f"with a recorder: {trace.code} {trace.err}")


def main(which):
    {"fixture": fixture, "traces": trace_per_test, "warnings": warnings_are_errors}[which]()
    return 1 if kit.failures() else print("ok") or 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
