"""What these tests share: running `tendril record` next to programs that listen, and reading its traces."""
import json
import os
import subprocess
import sys
import tempfile
import time

SOURCE = os.environ["TD_SOURCE_DIR"]
BINARY = os.environ["TD_BINARY_DIR"]
TENDRIL = os.path.join(BINARY, "bin", "tendril")
MARKED = os.path.join(BINARY, "tests", "client_marked")
sys.path.insert(0, os.path.join(SOURCE, "tests"))
from ports import free_port  # noqa: E402
from unchanged import unchanged  # noqa: E402


def expect(condition, text):
    if not condition:
        print("FAILED: " + text)
        sys.exit(1)


def start_record(out, *words, env=None):
    full = dict(os.environ, **(env or {}))
    return subprocess.Popen([TENDRIL, "record", "-o", out, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            text=True, env=full)


def finish(recorder, code=0, timeout=120):
    out = recorder.communicate(timeout=timeout)[0]
    expect(recorder.returncode == code, "record exited with %s\n%s" % (recorder.returncode, out))
    return out


def record(out, *words, code=0, env=None):
    said = finish(start_record(out, *words, env=env), code)
    if not code and os.path.isfile(out):
        info(out)
    return said


def start_client(port, *argv):
    env = dict(os.environ, TRACY_PORT=str(port), TENDRIL_WAIT_CONNECT_MS="30000", TRACY_ONLY_LOCALHOST="1")
    return subprocess.Popen(argv, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def info(trace):
    """The facts of a trace, whose times were not changed."""
    out = subprocess.run([TENDRIL, "info", "--json", trace], stdout=subprocess.PIPE, text=True, timeout=60, check=True)
    return unchanged(json.loads(out.stdout))


def dump(trace):
    out = subprocess.run([os.path.join(BINARY, "tests", "trace_dump"), trace], stdout=subprocess.PIPE, timeout=60, check=True)
    return json.loads(out.stdout)


def wait_for(condition, what, seconds=30):
    until = time.monotonic() + seconds
    while not condition():
        expect(time.monotonic() < until, "waited in vain for " + what)
        time.sleep(0.02)


def folder():
    return tempfile.TemporaryDirectory(prefix="tendril-test-")
