"""The markers of the package are in the trace."""
import sys

import kit
from kit import PROGRAMS, Trace, check, run


def zones_and_others(before, label):
    trace = Trace(PROGRAMS + "/markers.py", before=before)
    check(trace.code == 0 and "no exception" not in trace.out, f"{label}: {trace.out} {trace.err}")
    rows = trace.table("-u")
    names = [row["name"] for row in rows]
    for name, count in (("plain", 2), ("named", 1), ("waits", 1), ("inner", 1)):
        check(names.count(name) == count, f"{label}: {names.count(name)} zones {name}")
    info = trace.info()
    deep = {row["name"]: row for row in rows if row["name"].startswith("deep")}
    check(len(deep) == 1 and [row["name"] for row in rows].count("deep") == 3, f"{label}: {list(deep)}")
    messages = trace.messages()
    for text in ("`TT_SIGNPOST: start`", "`TT_SIGNPOST: Run number 5", "after warmup`", "a message"):
        check(text in messages, f"{label}: no message {text} among {messages}")
    plots = {plot["name"]: plot for plot in info["plots"]}
    check({"integers", "reals"} <= set(plots), f"{label}: plots {list(plots)}")
    frames = {frame["name"] for frame in info["frame_sets"]}
    check({"set", "gaps", "decorated"} <= frames, f"{label}: frames {frames}")
    check("a line of the description" in info["app_info"], f"{label}: {info['app_info']}")
    check(any(pool["name"] == "pool" for pool in info["memory_pools"]), f"{label}: {info['memory_pools']}")
    if not before: # a recorder asks for the name of a thread once, at its first event
        check("a thread with a name" in trace.tracks(), f"{label}: {trace.tracks()}")


def without_a_recorder():
    code, out, err = run(PROGRAMS + "/markers.py")
    check(code == 0 and not err, f"{code} {err}")


def main():
    zones_and_others((), "markers alone")
    zones_and_others(("-m", "tracy"), "profiled")
    without_a_recorder()
    return 1 if kit.failures() else print("ok") or 0


if __name__ == "__main__":
    sys.exit(main())
