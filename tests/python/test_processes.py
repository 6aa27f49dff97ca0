"""Children join the recording; `-p` and `-l` record what they say."""
import sys

import kit
from kit import PROGRAMS, Trace, check, run


def children():
    trace = Trace(PROGRAMS + "/children.py")
    code, out, err = run(PROGRAMS + "/children.py")
    check((trace.code, trace.out, trace.err) == (code, out, err), f"{trace.out} {trace.err} instead of {out} {err}")
    for name, count in (("forked", 1), ("pooled", 4), ("spawned", 1), ("started", 1), ("before", 1), ("after", 1)):
        check(trace.count("PY_FUNC_work_" + name) == count,
              f"{trace.count('PY_FUNC_work_' + name)} zones of the {name} child, not {count}")
    check(len(trace.info()["processes"]) >= 6, str(trace.info()["processes"]))
    alone = Trace(PROGRAMS + "/children.py", variables={"TENDRIL_PYTHON_CHILDREN": "0"})
    check(alone.count("PY_FUNC_work_started") == 0 and alone.out == out, "TENDRIL_PYTHON_CHILDREN=0 has no effect")


def partial():
    trace = Trace("-p", PROGRAMS + "/partial.py")
    counts = {name: trace.count("PY_FUNC_" + name) for name in ("before", "inside", "helper")}
    check(counts == {"before": 0, "inside": 2, "helper": 3}, f"-p: {counts}")
    lines = Trace("-p", "-l", PROGRAMS + "/partial.py")
    check(lines.count("PY_FUNC_inside") == 2, "-l: functions are no zones")
    zones = {line: count for (path, line, name), count in lines.zones().items() if name == "PY_LINE_inside"}
    check(zones == {10: 2, 11: 8, 12: 6, 13: 2}, f"-l: zones of lines {zones}")
    plain = Trace(PROGRAMS + "/partial.py")
    check(plain.count("PY_FUNC_before") == 2, "without -p, Profiler must not end the zones")
    off = Trace(PROGRAMS + "/partial.py", before=())
    check(not off.zones(), "Profiler has an effect without python -m tracy -p")


def server():
    trace = Trace(PROGRAMS + "/server.py")
    code, out, err = run(PROGRAMS + "/server.py")
    check((trace.code, trace.out, trace.err) == (code, out, err), f"{trace.out} {trace.err} instead of {out} {err}")
    check(trace.count("PY_FUNC_handle") == 20 and trace.count("PY_FUNC_look_up") == 20, "not a zone for each request")
    fibers = [track for track in trace.info()["tracks"] if track["fiber"]]
    names = [track["name"] for track in fibers]
    check("serve" in names and "handle" in names, f"fibers {names}")
    for row in trace.table("-u", "-f", "PY_FUNC_look_up"):
        check(int(row["exec_time_ns"]) > 1_900_000, f"a coroutine's zone without its wait: {row['exec_time_ns']} ns")
    check(all(not track["open_zones"] for track in trace.info()["tracks"]), "zones are open at the end")


def main(which):
    {"children": children, "partial": partial, "server": server}[which]()
    return 1 if kit.failures() else print("ok") or 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
