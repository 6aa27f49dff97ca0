"""Questions about traces, in SQL: a `tendril query --session` answers them."""

import array
import csv
import glob
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time

from .report import find_tendril


class QueryError(Exception):
    """Why a question has no answer: the line that `tendril query` says."""


class _Session:
    """A process that has read the traces, and answers one question after the other."""

    def __init__(self, words):
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.owner = os.getpid()
        self.answers = None  # of a question that was not read to its end
        self.live = False

    def ask(self, request):
        """Blocks of rows: each the names of its columns, and a list or an array for each of them."""
        self.answers = self._blocks(request)
        return self.answers

    def _blocks(self, request):
        whole = False
        try:
            try:
                self.process.stdin.write(json.dumps(request).encode() + b"\n")
                self.process.stdin.flush()
            except BrokenPipeError:  # it has said why
                pass
            while True:
                head = self._head()
                if "columns" not in head:
                    break
                yield head["columns"], [self._column(*each, head["rows"]) for each in zip(head["kinds"], head["bytes"])]
            whole = True
        finally:
            self.answers = None
            if not whole:
                self._skip()
        if "error" in head:
            raise QueryError(head["error"])
        self.live = head["live"]

    def _head(self):
        line = self.process.stdout.readline()
        if line:
            return json.loads(line)
        said = self.process.stderr.read().decode(errors="replace").strip()
        self.close()
        raise QueryError(said.removeprefix("tendril query: "))

    def _skip(self):
        """The caller wants no more: ends the question, and reads what is left of its answer."""
        if self.process.poll() is not None or sys.is_finalizing():
            return
        try:
            self.process.send_signal(signal.SIGINT)
            head = self._head()
            while "columns" in head:
                for bytes_ in head["bytes"]:
                    self.process.stdout.read(bytes_)
                head = self._head()
        except (QueryError, ValueError):  # it broke off in the middle of a block
            self.close()

    def _column(self, kind, bytes_, rows):
        if kind in "qd":
            column = array.array(kind, [0]) * rows
            self._fill(memoryview(column).cast("B"))
            return column
        data = self.process.stdout.read(bytes_)
        if kind == "j":
            return json.loads(data)
        lengths, at, texts = array.array("q", data[:8 * rows]), 8 * rows, []
        for length in lengths:
            texts.append(str(data[at:at + length], "utf-8", "replace"))
            at += length
        return texts

    def _fill(self, room):
        while room:
            count = self.process.stdout.readinto(room)
            if not count:
                self._head()  # the error
            room = room[count:]

    def is_usable(self):
        return self.process.poll() is None and self.owner == os.getpid()

    def close(self):
        process = self.process
        if self.owner != os.getpid():  # a child process: the parent's questions go on
            return
        for pipe in (process.stdin, process.stdout, process.stderr):
            try:
                pipe.close()
            except OSError:
                pass
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


class Trace:
    """One trace, or several: Trace("a.tracy"); Trace(old="a.tracy", new="b.tracy"), whose tables are old.zones, new.zones
    ...; Trace(at="127.0.0.1:8086"), a program that runs, or a served trace: each question ends the session first, and is
    about all that the program has marked. With follow=True the session goes on, and questions are about what has arrived.
    docs/query.md has the tables and functions. The trace is read once; close() or `with` ends the process that has it."""

    def __init__(self, path=None, *, at=None, follow=False, tendril=None, **named):
        if (path is not None) + (at is not None) + bool(named) != 1:
            raise ValueError("Trace takes a path, names with paths, or at=")
        if follow and at is None:
            raise ValueError("follow=True needs at=")
        if at is not None:
            self._words = ["--at", at]
        elif path is not None:
            self._words = [os.fspath(path)]
        else:
            self._words = [f"{name}={os.fspath(each)}" for name, each in named.items()]
        self._ends = at is not None and not follow
        self._tendril = tendril or find_tendril(None)
        self._session = None
        self._rest = []  # generators whose rows are read before the next question
        self._lock = threading.RLock()

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def close(self):
        """Ends the process. The next question starts one again."""
        with self._lock:
            if self._session:
                self._session.close()
            self._session = None

    def __del__(self):
        if getattr(self, "_session", None):
            self._session.close()

    def _ask(self, sql, parameters, whole):
        values = {}
        for name, value in parameters.items():
            if value is None:
                raise ValueError(f"{name}: None has no place in a parameter; write IS NULL")
            values[name] = str(int(value) if isinstance(value, bool) else value)
        if self._session and (self._ends or not self._session.is_usable()):
            self.close()
        if not self._session:
            self._session = _Session([self._tendril, "query", "--session", *self._words])
        return self._session.ask({"sql": sql, "parameters": values, "whole": whole, "finish": self._ends})

    def _blocks(self, sql, parameters):
        """Blocks of rows as they come. Another question in between has the rest of them read first."""
        waiting = []

        def read_rest():
            waiting.extend(answers)

        with self._lock:
            self._read_rest()
            answers = self._ask(sql, parameters, False)
            self._rest = [read_rest]
        try:
            while True:
                with self._lock:
                    block = waiting.pop(0) if waiting else next(answers, None)
                if block is None:
                    return
                yield block
        finally:
            with self._lock:
                if read_rest in self._rest:
                    self._rest = []
                answers.close()

    def _read_rest(self):
        rest, self._rest = self._rest, []
        for read in rest:
            read()

    def rows(self, sql, **parameters):
        """The rows one by one, as they are found: a dict each."""
        for names, columns in self._blocks(sql, parameters):
            for values in zip(*columns):
                yield dict(zip(names, values))

    def query(self, sql, **parameters):
        """The rows as a list: a dict each."""
        return list(self.rows(sql, **parameters))

    def columns(self, sql, **parameters):
        """The columns by name. One of numbers is an array.array, of 64-bit integers or of doubles, which numpy.asarray()
        takes without a copy; one with texts or with missing values is a list."""
        with self._lock:
            self._read_rest()
            blocks = list(self._ask(sql, parameters, True))
        if len(blocks) > 1:
            raise ValueError("columns() takes one statement")
        return dict(zip(*blocks[0])) if blocks else {}

    def zones(self, where="1", **parameters):
        """The zones for which a condition of SQL holds, one by one: zones("name = :n", n="worker")."""
        return self.rows(f"SELECT * FROM zones WHERE {where}", **parameters)

    @property
    def live(self):
        """Whether the program still ran when the last question was asked."""
        return bool(self._session and self._session.live)

    def follow(self, sql, every=1.0, **parameters):
        """The answer to a question, again and again every so many seconds, until the program has ended: the last answer is
        about all of it. For Trace(at=..., follow=True)."""
        while True:
            yield self.query(sql, **parameters)
            if not self.live:
                return
            time.sleep(every)

    def ops_perf_results(self, name=None):
        """The rows of tt-metal's ops_perf_results_*.csv, a dict each, in its columns; what is a number there is one here.
        `name`: as of `tendril report --name`."""
        if len(self._words) != 1:
            raise ValueError("ops_perf_results() takes a trace of one path")
        with tempfile.TemporaryDirectory() as folder:
            words = [self._tendril, "report", "-q", "--only", "ops", "-o", folder, *(["-n", name] if name else [])]
            done = subprocess.run([*words, self._words[0]], capture_output=True, text=True, check=False)
            if done.returncode:
                raise QueryError(done.stderr.strip().removeprefix("tendril report: "))
            rows = []
            for path in glob.glob(os.path.join(folder, "reports", "**", "ops_perf_results_*.csv"), recursive=True):
                with open(path, newline="", encoding="utf-8") as file:
                    rows += [{key: _number(value) for key, value in row.items()} for row in csv.DictReader(file)]
            return rows


def _number(text):
    """The value that pandas.read_csv() makes of a cell; None: it is empty."""
    if not text:
        return None
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text
