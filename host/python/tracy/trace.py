"""Questions about traces, in SQL: `tendril query`."""

import array
import json
import subprocess

from .report import find_tendril


class QueryError(Exception):
    """Why a question has no answer: the line that `tendril query` says."""


class Trace:
    """One trace, or several: Trace("a.tracy"); Trace(old="a.tracy", new="b.tracy"), whose tables are old.zones, new.zones
    ...; Trace(at="127.0.0.1:8086"), a program that runs, or a served trace, of which each question is about what there is
    then. docs/query.md has the tables and functions."""

    def __init__(self, path=None, *, at=None, tendril=None, **named):
        if (path is not None) + (at is not None) + bool(named) != 1:
            raise ValueError("Trace takes a path, names with paths, or at=")
        if at is not None:
            self._words = ["--at", at]
        elif path is not None:
            self._words = [str(path)]
        else:
            self._words = [f"{name}={path}" for name, path in named.items()]
        self._tendril = tendril or find_tendril(None)

    def _start(self, sql, parameters):
        words = [self._tendril, "query", "--format=jsonl", "-f", "-"]
        for name, value in parameters.items():
            if value is None:
                raise ValueError(f"{name}: None has no place in a parameter; write IS NULL")
            words += ["-p", f"{name}={int(value) if isinstance(value, bool) else value}"]
        process = subprocess.Popen([*words, *self._words], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, encoding="utf-8")
        try:
            process.stdin.write(sql)
            process.stdin.close()
        except BrokenPipeError:  # it has said why
            pass
        return process

    def rows(self, sql, **parameters):
        """The rows one by one, as they are found: a dict each."""
        with self._start(sql, parameters) as process:
            try:
                for line in process.stdout:
                    yield json.loads(line)
                said = process.stderr.read()
                if process.wait():
                    raise QueryError(said.strip().removeprefix("tendril query: "))
            finally:
                process.terminate()  # the caller wants no more rows

    def query(self, sql, **parameters):
        """The rows as a list: a dict each."""
        return list(self.rows(sql, **parameters))

    def columns(self, sql, **parameters):
        """The columns by name. One of numbers is an array.array, of 64-bit integers or of doubles, which numpy.asarray()
        takes without a copy; one with texts or with missing values is a list."""
        lists = {}
        for row in self.rows(sql, **parameters):
            for name, value in row.items():
                lists.setdefault(name, []).append(value)
        return {name: _typed(values) for name, values in lists.items()}

    def zones(self, where="1", **parameters):
        """The zones for which a condition of SQL holds, one by one: zones("name = :n", n="worker")."""
        return self.rows(f"SELECT * FROM zones WHERE {where}", **parameters)


def _typed(values):
    kinds = {type(value) for value in values}
    if kinds == {int}:
        return array.array("q", values)
    if kinds <= {int, float}:
        return array.array("d", values)
    return values
