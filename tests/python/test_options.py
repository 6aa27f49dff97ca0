"""The options: docs/python.md and help have them all, wrong ones end with a line, and those for hardware say what they
set."""
import importlib.util
import json
import os
import re
import sys
import tempfile

import kit
from kit import PROGRAMS, check, run

PRINT_VARIABLES = "import json, os; print(json.dumps(dict(os.environ)))"


def load_options():
    spec = importlib.util.spec_from_file_location("options", os.path.join(kit.PACKAGES, "tracy", "options.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def one_line(what, *words, code=2, holds=""):
    status, out, err = run("-m", "tracy", *words)
    check(status == code and not out and err.startswith("tracy: ") and err.count("\n") == 1 and holds in err,
          f"{what}: exit code {status}, {out}{err}")


def wrong_usage():
    one_line("unknown option", "--no-such-option", "x.py", holds="--no-such-option")
    one_line("no program", holds="missing")
    one_line("missing script", "no_such_script.py", holds="no_such_script.py")
    one_line("no argument", "-o", holds="-o")
    one_line("port", "-t", "99999", "x.py", holds="99999")
    one_line("count", "--op-support-count", "many", "x.py", holds="many")
    one_line("groups", "--profiler-capture-perf-counters", "fpu,nothing", "x.py", holds="nothing")
    one_line("two L1 groups", "--profiler-capture-perf-counters", "l1_0,l1_1", "x.py", holds="l1_0")
    one_line("exclusive", "--dump-device-data-mid-run", "--profile-dispatch-cores", "x.py", holds="exclude")
    one_line("tools", "-r", "--tracy-tools-folder", "/nowhere", PROGRAMS + "/shapes.py", code=1, holds="/nowhere")
    with tempfile.TemporaryDirectory() as folder:
        one_line("no logs", "--process-logs-only", "-o", folder, code=1, holds="no trace")


def page():
    options = load_options()
    with open(os.path.join(kit.SOURCE, "docs", "python.md"), encoding="utf-8") as file:
        rows = dict(re.findall(r"^\| (`-.+?) \| (.+?) \|", file.read(), re.M))
    for option in options.OPTIONS:
        names = ", ".join(f"`{name}`" for name in option.names)
        if option.value:
            names = names[:-1] + f" {option.value}`"
        meaning = option.meaning
        if option.sets:
            meaning += ": " + ", ".join(f"`{name}`" for name in option.sets)
        check(rows.get(names) == meaning, f"docs/python.md has no row | {names} | {meaning} |")
    code, out, _ = run("-m", "tracy", "--help")
    check(code == 0 and all(option.meaning.split()[0] in out for option in options.OPTIONS), out)
    check(all(name in out for option in options.OPTIONS for name in option.names), out)
    check(max(map(len, out.splitlines())) <= 100, "help is wider than 100 columns")


def variables():
    with tempfile.TemporaryDirectory() as folder:
        words = ["--sync-host-device", "--enable-sum-profiling", "--op-support-count", "17", "--no-op-info-cache",
                 "--collect-noc-traces", "--profiler-capture-perf-counters", "fpu,pack", "-o", folder, "-t", "9123"]
        script = os.path.join(folder, "program.py")
        with open(script, "w", encoding="utf-8") as file:
            file.write(PRINT_VARIABLES)
        code, out, err = run("-m", "tracy", *words, script)
        found = json.loads(out)
        wanted = {"TT_METAL_PROFILER_SYNC": "1", "TT_METAL_PROFILER_SUM": "1",
                  "TT_METAL_PROFILER_PROGRAM_SUPPORT_COUNT": "17", "TT_METAL_PROFILER_NO_CACHE_OP_INFO": "1",
                  "TT_METAL_DEVICE_PROFILER_NOC_EVENTS": "1", "TT_METAL_PROFILER_DIR": folder,
                  "TT_METAL_DEVICE_PROFILER_NOC_EVENTS_RPT_PATH": os.path.join(folder, ".logs"),
                  "TT_METAL_PROFILE_PERF_COUNTERS": "3", "TRACY_PORT": "9123"}
        for name, value in wanted.items():
            check(found.get(name) == value, f"{name} is {found.get(name)}, not {value}")
            if name != "TRACY_PORT":
                check(f"{name}={value}" in err, f"no line says that {name} is set: {err}")
        check("TT_METAL_PROFILER_CPP_POST_PROCESS" not in found, "sums exclude the analysis while the program runs")
        found = json.loads(run("-m", "tracy", script, variables={"TT_METAL_PROFILER_NO_CACHE_OP_INFO": "1"})[1])
        check(found.get("TT_METAL_PROFILER_CPP_POST_PROCESS") == "1", "the analysis is not on by default")
        check("TT_METAL_PROFILER_NO_CACHE_OP_INFO" not in found, "the cache of op data is not on by default")


def commands():
    check(run("-m", "tracy", "echo some words") == (0, "some words\n", ""), "a command as one word")
    check(run("-m", "tracy", "echo", "two  words") == (0, "two  words\n", ""), "a command as several words")
    check(run("-m", "tracy", "sh", "-c", "exit 9")[0] == 9, "a command's exit code")


def main(which):
    {"wrong": wrong_usage, "page": page, "variables": variables, "commands": commands}[which]()
    return 1 if kit.failures() else print("ok") or 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
