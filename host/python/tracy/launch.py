"""Starts a program so that it is profiled: as its own interpreter process, which differs from one without the
profiler only in three variables of its environment. So stack traces, arguments, `sys.path`, `__main__` and exit
code of the program are as without it.

The variables reach children, too. A process whose recorder does not take in children removes them."""

import os
import sys

from . import _tracy, tracy_state

VARIABLE = "TENDRIL_PYTHON"  # words: calls, partial, lines
CHILDREN = "TENDRIL_PYTHON_CHILDREN"  # 1, 0: whether children are profiled; default: if the recorder takes them in
INJECT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "inject")


def _with_path(environment):
    path = environment.get("PYTHONPATH")
    return INJECT + os.pathsep + path if path else INJECT


def _without_path(path):
    return os.pathsep.join(folder for folder in path.split(os.pathsep) if folder != INJECT)


def environment(base, partial=False, lines=False):
    """The environment for a program, or a shell whose programs are to be profiled."""
    result = dict(base)
    result[VARIABLE] = "partial" if partial else "calls"
    if partial and lines:
        result[VARIABLE] += ",lines"
    result["PYTHONPATH"] = _with_path(_cleaned(base))
    return result


def _cleaned(base):
    result = dict(base)
    result.pop(VARIABLE, None)
    path = _without_path(result.get("PYTHONPATH", ""))
    if path:
        result["PYTHONPATH"] = path
    else:
        result.pop("PYTHONPATH", None)
    return result


def has_children():
    """Whether children of this process are to be profiled."""
    word = os.environ.get(CHILDREN)
    return word not in ("", "0") if word is not None else "TENDRIL_RUN_DIR" in os.environ


def _program_name():
    """What the interpreter runs, for viewers."""
    words = sys.orig_argv[1:]
    while words:
        word = words.pop(0)
        if word in ("-m", "-c"):
            return words[0] if word == "-m" and words else "python " + word
        if word in ("-W", "-X", "--check-hash-based-pycs"):
            words[:1] = []
        elif word == "-" or not word.startswith("-"):
            return os.path.basename(word)
        elif word.startswith("-m"):
            return word[2:]
    return "python"


def begin_here():
    """Starts the profiler in this process, as its environment says."""
    words = os.environ.get(VARIABLE, "").split(",")
    if not has_children():
        clean = _cleaned(os.environ)
        for name in (VARIABLE, "PYTHONPATH"):
            if name in clean:
                os.environ[name] = clean[name]
            else:
                os.environ.pop(name, None)
    if words == [""]:
        return
    tracy_state.doPartial = "partial" in words
    tracy_state.doLine = "lines" in words
    _tracy.start(_program_name(), has_children())
    if not tracy_state.doPartial:
        _tracy.begin_calls()


def interpreter_words():
    """This interpreter and the options that it was started with."""
    count = len(sys.orig_argv) - (len(sys.argv) - 1)
    words = sys.orig_argv[1:count]
    if words[-2:] == ["-m", "tracy"]:
        return [sys.executable] + words[:-2]
    if words[-1:] == ["-mtracy"]:
        return [sys.executable] + words[:-1]
    import subprocess

    return [sys.executable] + subprocess._args_from_interpreter_flags()
