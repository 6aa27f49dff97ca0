"""tracy.Trace: rows, columns, zones, several traces, mistakes."""
import itertools
import os
import subprocess
import sys

import kit
from kit import SOURCE, check

TRACE = os.path.join(SOURCE, "tests/data/trace/0.11.1/features.tracy")
GPU = os.path.join(SOURCE, "tests/data/trace/0.11.1/gpu.tracy")


def fails(error, part, function, *words, **named):
    try:
        function(*words, **named)
    except error as failure:
        check(part in str(failure), str(failure))
    else:
        check(False, f"{words} {named} is no error")


def answers(tracy):
    trace = tracy.Trace(TRACE)
    rows = trace.query("SELECT name, count(*) AS n FROM zones WHERE name = :name GROUP BY name", name="worker")
    check(rows == [{"name": "worker", "n": 300}], str(rows))
    check(trace.query("SELECT :i + 1 AS i, :r AS r, :t AS t, :b AS b, NULL AS x", i=2**53 + 1, r=0.5, t="a b", b=True) ==
          [{"i": 2**53 + 2, "r": 0.5, "t": "a b", "b": 1, "x": None}], "parameters")
    columns = trace.columns("SELECT start_ns, duration_ns / 2.0 AS half, name, text FROM zones ORDER BY id")
    check(columns["start_ns"].typecode == "q" and columns["half"].typecode == "d" and len(columns["start_ns"]) == 896, "types")
    check(memoryview(columns["start_ns"]).itemsize == 8 and isinstance(columns["name"], list), "buffers")
    check(sum(columns["start_ns"]) == trace.query("SELECT sum(start_ns) AS s FROM zones")[0]["s"], "a column's sum")
    check(trace.columns("SELECT 1 AS x WHERE 0") == {}, "no rows")
    first = list(itertools.islice(trace.rows("SELECT id FROM zones ORDER BY id"), 3))
    check(first == [{"id": 0}, {"id": 1}, {"id": 2}], str(first))
    check(sum(1 for _ in trace.zones("name = :n AND depth = 0", n="worker")) == 300, "zones")
    both = tracy.Trace(old=TRACE, new=GPU)
    check(both.query("SELECT (SELECT count(*) FROM old.zones) AS a, (SELECT count(*) FROM new.zones) AS b") ==
          [{"a": 896, "b": 25}], "two traces")


def mistakes(tracy):
    trace = tracy.Trace(TRACE)
    fails(tracy.QueryError, "no such column: nme", trace.query, "SELECT nme FROM zones")
    fails(tracy.QueryError, "can only read", trace.query, "DROP TABLE zones")
    fails(tracy.QueryError, "needs a value for :n", trace.query, "SELECT :n")
    fails(tracy.QueryError, "no/such.tracy", tracy.Trace("no/such.tracy").query, "SELECT 1")
    fails(ValueError, "IS NULL", trace.query, "SELECT :n", n=None)
    fails(ValueError, "takes a path", tracy.Trace)
    fails(ValueError, "takes a path", tracy.Trace, TRACE, at="127.0.0.1:8086")


def served(tracy):
    server = subprocess.Popen([kit.TENDRIL, "serve", TRACE, "-p", "0"], stdout=subprocess.PIPE, text=True)
    try:
        where = server.stdout.readline().split()[-1]
        check(tracy.Trace(at=where).query("SELECT count(*) AS n FROM zones") == [{"n": 896}], "a served trace")
    finally:
        server.terminate()
        server.wait(60)


def main():
    """In an interpreter that has the package."""
    if "TD_TRACE_INSIDE" not in os.environ:
        return subprocess.run([kit.PYTHON, __file__], env=kit.environment(
            TD_TRACE_INSIDE="1", TD_SOURCE_DIR=SOURCE, TD_BINARY_DIR=kit.BINARY), timeout=200, check=False).returncode
    import tracy
    answers(tracy)
    mistakes(tracy)
    served(tracy)
    return 1 if kit.failures() else print("ok") or 0


if __name__ == "__main__":
    sys.exit(main())
