"""python -m tracy"""

import io
import os
import shlex
import shutil
import sys

from . import launch, options
from .devices import variables
from .folders import Folders
from .messages import TROUBLE, Failure, say
from .options import UsageError

WRONG_USAGE = 2


def _is_python(path):
    """Whether the file is Python source. A file that is meant to be, but has an error, is: the interpreter then
    reports the error."""
    try:
        with io.open_code(path) as file:
            text = file.read()
    except OSError as error:
        raise Failure(f"cannot read {path}: {error.strerror}") from None
    first = text.split(b"\n", 1)[0]
    if path.endswith((".py", ".pyw")) or (first.startswith(b"#!") and b"python" in first):
        return True
    try:
        compile(text, path, "exec", dont_inherit=True)
        return True
    except (ValueError, SyntaxError):
        return False


def program_words(values, rest):
    """The command line that runs the program."""
    word = rest[0]
    if values.module:
        return launch.interpreter_words() + ["-m"] + rest
    if os.path.isdir(word) and os.path.exists(os.path.join(word, "__main__.py")):
        return launch.interpreter_words() + rest
    if os.path.isfile(word):
        if _is_python(word):
            return launch.interpreter_words() + rest
        return ["/bin/sh", "-c", shlex.join([os.path.join(".", word) if os.sep not in word else word] + rest[1:])]
    if len(rest) == 1 and word.strip() and any(letter.isspace() for letter in word):
        return ["/bin/sh", "-c", word]
    if shutil.which(word):
        return ["/bin/sh", "-c", shlex.join(rest)]
    raise Failure(f"{word}: there is no such script or command", WRONG_USAGE)


def _runs_pytest(values, rest):
    return os.path.basename(rest[0]) in ("pytest", "py.test") or (values.module and rest[0].startswith("pytest"))


def program_environment(values, rest, changes):
    environment = launch.environment(os.environ, values.partial, values.lines)
    for name, value in changes.items():
        if value is None:
            environment.pop(name, None)
        else:
            environment[name] = value
    if values.port:
        environment["TRACY_PORT"] = values.port
    if _runs_pytest(values, rest):
        plugins = environment.get("PYTEST_PLUGINS")
        environment["PYTEST_PLUGINS"] = ",".join(filter(None, [plugins, "tracy.pytest_plugin"]))
    return environment


def check(values):
    if values.port and (not values.port.isdigit() or not 0 < int(values.port) < 65536):
        raise UsageError(f"-t: '{values.port}' is not a port")
    if values.lines and not values.partial:
        say("-l has an effect only with -p")
    if sys.flags.ignore_environment or sys.flags.no_site:
        raise UsageError("the options -E, -I and -S of Python exclude profiling")


def run(words):
    values, rest = options.parse(words)
    if values.help:
        print(options.help_text())
        return 0
    check(values)
    folders = Folders(values.output_folder)
    changes, lines = variables(values, folders.logs)
    if values.output_folder:
        changes["TT_METAL_PROFILER_DIR"] = values.output_folder
        lines.insert(0, f"--output-folder: TT_METAL_PROFILER_DIR={values.output_folder}")
    if values.process_logs_only:
        from . import report

        return report.from_logs(values, folders)
    if not rest:
        raise UsageError("what is to be run is missing (see python -m tracy --help)")
    for line in lines:
        say(line)
    command = program_words(values, rest)
    environment = program_environment(values, rest, changes)
    if values.report:
        from . import report

        return report.record(values, folders, command, environment)
    if values.verbose:
        say("runs " + shlex.join(command))
    sys.stdout.flush()
    os.execve(command[0], command, environment)


def main():
    try:
        return run(sys.argv[1:])
    except UsageError as error:
        say(error)
        return WRONG_USAGE
    except Failure as error:
        say(error)
        return error.code
    except OSError as error:
        say(f"{error.filename or ''}: {error.strerror}".lstrip(": "))
        return TROUBLE


if __name__ == "__main__":
    sys.exit(main())
