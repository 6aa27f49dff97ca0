"""tracy.Trace: rows, columns, zones, several traces, mistakes."""
import itertools
import os
import signal
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
    check(trace.columns("SELECT 1 AS x WHERE 0") == {"x": []}, "no rows")
    mixed = trace.columns("SELECT value AS any, NULL AS none, value + 0 AS number FROM json_each('[1, 2.5]')")
    check(list(mixed["any"]) == [1, 2.5] and mixed["number"].typecode == "d" and mixed["none"] == [None, None], str(mixed))
    check(trace.columns("SELECT value AS x FROM json_each('[1, \"a\", null]')")["x"] == [1, "a", None], "values of several types")
    odd = trace.query("SELECT 'a' || char(10) || 'ä' AS t, cast(x'ff' AS TEXT) AS bad, '' AS e, -9223372036854775807 - 1 AS i, 1e300 AS d")
    check(odd == [{"t": "a\nä", "bad": "\ufffd", "e": "", "i": -2**63, "d": 1e300}], str(odd))
    first = list(itertools.islice(trace.rows("SELECT id FROM zones ORDER BY id"), 3))
    check(first == [{"id": 0}, {"id": 1}, {"id": 2}], str(first))
    check(sum(1 for _ in trace.zones("name = :n AND depth = 0", n="worker")) == 300, "zones")
    both = tracy.Trace(old=TRACE, new=GPU)
    check(both.query("SELECT (SELECT count(*) FROM old.zones) AS a, (SELECT count(*) FROM new.zones) AS b") ==
          [{"a": 896, "b": 25}], "two traces")


def session(tracy):
    with tracy.Trace(TRACE) as trace:
        process = trace.query("SELECT 1") and trace._session.process
        few = trace.rows("SELECT a.id FROM zones a, zones b")  # 800,000
        check([next(few)["id"], next(few)["id"]] == [0, 0], "the first rows")
        few.close()
        check(trace.query("SELECT count(*) AS n FROM zones") == [{"n": 896}], "after rows that were not read")
        every = trace.rows("SELECT id FROM zones a, (SELECT 1 UNION SELECT 2 UNION SELECT 3) ORDER BY id")
        seen = [next(every)["id"] for _ in range(5)]
        check(trace.query("SELECT 2 AS x") == [{"x": 2}], "a question between two rows")
        seen += [row["id"] for row in every]
        check(seen == [i // 3 for i in range(3 * 896)], "rows around another question")
        fails(tracy.QueryError, "no such column", trace.query, "SELECT nme FROM zones")
        check(trace._session.process is process and process.poll() is None, "one process for all")
        signal.signal(signal.SIGALRM, signal.default_int_handler)  # as Ctrl-C
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        fails(KeyboardInterrupt, "", trace.query,
              "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c")
        check(trace.query("SELECT 6 AS x") == [{"x": 6}] and trace._session.process is process, "after Ctrl-C")
        child = os.fork()
        if not child:
            right = trace.query("SELECT count(*) AS n FROM zones") == [{"n": 896}]
            trace.close()
            os._exit(0 if right else 1)
        check(os.waitpid(child, 0)[1] == 0 and trace.query("SELECT 3 AS x") == [{"x": 3}], "a child process asks, too")
        process.kill()
        process.wait()
        check(trace.query("SELECT 4 AS x") == [{"x": 4}], "the process was killed")
    check(trace._session is None and trace.query("SELECT 5 AS x") == [{"x": 5}], "after close()")
    trace.close()


def mistakes(tracy):
    trace = tracy.Trace(TRACE)
    fails(tracy.QueryError, "no such column: nme", trace.query, "SELECT nme FROM zones")
    fails(tracy.QueryError, "can only read", trace.query, "DROP TABLE zones")
    fails(tracy.QueryError, "needs a value for :n", trace.query, "SELECT :n")
    fails(tracy.QueryError, "no/such.tracy", tracy.Trace("no/such.tracy").query, "SELECT 1")
    fails(ValueError, "IS NULL", trace.query, "SELECT :n", n=None)
    fails(ValueError, "takes a path", tracy.Trace)
    fails(ValueError, "needs at=", tracy.Trace, TRACE, follow=True)
    fails(ValueError, "one statement", trace.columns, "SELECT 1 AS a; SELECT 2 AS b")
    fails(ValueError, "takes a path", tracy.Trace, TRACE, at="127.0.0.1:8086")


def served(tracy):
    server = subprocess.Popen([kit.TENDRIL, "serve", TRACE, "-p", "0"], stdout=subprocess.PIPE, text=True)
    try:
        where = server.stdout.readline().split()[-1]
        check(tracy.Trace(at=where).query("SELECT count(*) AS n FROM zones") == [{"n": 896}], "a served trace")
        with tracy.Trace(at=where, follow=True) as trace:
            for answer in trace.follow("SELECT count(*) AS n FROM zones", every=0.01):
                if answer == [{"n": 896}]:
                    break
            process = trace._session.process
            names = "SELECT * FROM names ORDER BY name, function, file, line"
            for grown, finished in zip(trace.query(names), tracy.Trace(TRACE).query(names)):
                check(grown == {**finished, "std_ns": grown["std_ns"], "mean_ns": grown["mean_ns"]} and
                      abs(grown["std_ns"] - finished["std_ns"]) < 1, f"names of a trace that grows: {grown} {finished}")
            check(trace.query("SELECT count(*) AS n FROM names") == tracy.Trace(TRACE).query("SELECT count(*) AS n FROM names"), "names")
            check(trace.query("SELECT count(*) AS n FROM zones") == [{"n": 896}] and trace._session.process is process, "one session")
            server.terminate()
            for last in trace.follow("SELECT count(*) AS n FROM zones", every=0.01):
                pass
            check(last == [{"n": 896}] and not trace.live, "the end of what was served")
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
    session(tracy)
    mistakes(tracy)
    served(tracy)
    return 1 if kit.failures() else print("ok") or 0


if __name__ == "__main__":
    sys.exit(main())
