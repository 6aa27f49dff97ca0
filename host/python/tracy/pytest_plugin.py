"""Plugin of pytest: the fixture tracy_profile, and one trace for each test (--tracy-traces DIR)."""

import os
import re
import subprocess

import pytest

from . import Profiler, _tracy, tracy_state
from .messages import Failure


def pytest_addoption(parser):
    group = parser.getgroup("tracy")
    group.addoption("--tracy-traces", metavar="DIR", help="write a trace of each test into DIR")


def pytest_configure(config):
    folder = config.getoption("--tracy-traces")
    if folder:
        config.pluginmanager.register(TracePerTest(folder), "tracy-trace-per-test")


@pytest.fixture
def tracy_profile():
    """Zones of all calls of the test, in a run under `python -m tracy -p`."""
    profiler = Profiler()
    profiler.enable()
    yield profiler
    profiler.disable()


@pytest.hookimpl(hookwrapper=True, trylast=True)
def pytest_runtest_protocol(item):
    if not _tracy.is_started():
        yield
        return
    with _tracy.zone("test", text=item.nodeid):
        yield


class TracePerTest:
    """A session for each test, saved to a file, of which `tendril import` makes a trace."""

    def __init__(self, folder):
        from .report import find_tendril

        self.folder = folder
        self.names = set()
        try:
            self.tendril = find_tendril(None)
            os.makedirs(folder, exist_ok=True)
        except (Failure, OSError) as error:
            raise pytest.UsageError(f"--tracy-traces: {error}") from None
        if _tracy.is_connected():
            raise pytest.UsageError("--tracy-traces: a recorder takes this run's events already")

    def _path(self, item):
        plain = re.sub(r"[^\w.\[\]-]+", "_", item.nodeid)[:200]
        name, number = plain, 1
        while name in self.names:
            number += 1
            name = f"{plain}-{number}"
        self.names.add(name)
        return os.path.join(self.folder, name)

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item):
        path = self._path(item)
        stream = path + ".stream"
        if os.path.exists(stream):
            os.remove(stream)
        _tracy.begin_file(stream)
        if not tracy_state.doPartial:
            _tracy.begin_calls()
        yield
        _tracy.end_calls()
        _tracy.end_file()
        done = subprocess.run([self.tendril, "import", "-q", "-o", path + ".tracy", stream], stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if done.returncode == 0:
            os.remove(stream)
        else:
            item.warn(pytest.PytestWarning(f"no trace: {done.stderr.strip()}"))
