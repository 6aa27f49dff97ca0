"""Counts calls with sys.setprofile(), and writes them into the file COUNTS at the end: lines of file, line, name and
count. A resumed coroutine is not a call. It knows nothing of the package tracy: tests compare the two. It imports
only what the interpreter has imported anyway, so that the program's own imports are counted."""
import _thread
import atexit
import os
import sys

COROUTINE = 0x0080 | 0x0100
calls = {}


def is_resumed(frame):
    code = frame.f_code
    return code.co_flags & COROUTINE and frame.f_lasti >= 0 and code.co_code[frame.f_lasti + 1] != 0


def count(frame, event, arg):
    if event == "call":
        if is_resumed(frame):
            return
        key = (frame.f_code.co_filename, frame.f_code.co_firstlineno, "PY_FUNC_" + frame.f_code.co_name)
    elif event == "c_call":
        key = (frame.f_code.co_filename, frame.f_lineno, arg.__name__)
    else:
        return
    calls[key] = calls.get(key, 0) + 1


def save():
    sys.setprofile(None)
    with open(os.environ["COUNTS"], "w", encoding="utf-8") as file:
        for (path, line, name), value in calls.items():
            file.write(f"{path}\t{line}\t{name}\t{value}\n")


def start_new_thread(function, args, kwargs={}):
    def run():
        sys.setprofile(count)
        try:
            function(*args, **kwargs)
        finally:
            sys.setprofile(None)

    return start(run, ())


sys.path.remove(os.path.dirname(os.path.abspath(__file__)))
del sys.modules["sitecustomize"]
try:
    import sitecustomize
except ImportError:
    pass
start = _thread.start_new_thread
_thread.start_new_thread = start_new_thread
atexit.register(save)
sys.setprofile(count)
