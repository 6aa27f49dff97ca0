"""`-r`: records a program, and leaves the folders that tt-metal's tools expect."""

import os
import shlex
import shutil
import signal
import subprocess

from .messages import TROUBLE, Failure, say

DEFAULT_CHILDREN = ["CompileProgram", "HWCommandQueue_write_buffer"]
PROGRAM_FAILED = 4  # with --check-exit-code
DEVICE_LOG = "profile_log_device.csv"
COPIED = ("tracy_profile_log_host.tracy", DEVICE_LOG)
RECORDED = {"TTNN_OP_PROFILER": "1", "TT_METAL_PROFILER_TRACE_TRACKING": "1"}


def _is_trusted(path):
    """A program that is found by its place belongs to the user, to root, or to the owner of this package: in a folder
    such as /tmp, another user may have put it there."""
    return os.access(path, os.X_OK) and os.stat(path).st_uid in (0, os.geteuid(), os.stat(__file__).st_uid)


def find_tendril(folder):
    """The program: of --tracy-tools-folder, next to this package, or of PATH."""
    if folder is not None:
        path = os.path.join(folder, "tendril")
        if not os.access(path, os.X_OK):
            raise Failure(f"--tracy-tools-folder: there is no program tendril in {folder}")
        return path
    here = os.path.dirname(os.path.abspath(__file__))
    for near in ("../../bin", "../../../../bin", "../../../../../bin"):  # a build folder, an installed tree
        path = os.path.normpath(os.path.join(here, near, "tendril"))
        if _is_trusted(path):
            return path
    path = shutil.which("tendril")
    if not path:
        raise Failure("the program tendril is neither next to this package nor in PATH (--tracy-tools-folder)")
    return path


def _record_words(tendril, values, folders, command):
    words = [tendril, "record", "-o", folders.trace]
    if not values.verbose:
        words.append("-q")
    boards = not values.no_device and (values.board or values.at)
    if boards:
        words += [word for name in values.board for word in ("-b", name)]
        words += [word for where in values.at for word in ("--at", where)]
    else:
        words += ["-b", "none"]
    if values.port:  # `record` sets the port; so the program gets this one after it
        words += ["-a", f"127.0.0.1:{values.port}"]
        command = ["/usr/bin/env", f"TRACY_PORT={values.port}", *command]
    return words + ["--", *command]


def _wait(process):
    """The exit code. Signals go to the recorder, which ends the program and saves what it has."""

    def forward(number, frame):
        if number != signal.SIGINT:  # the terminal sends that to all
            process.send_signal(number)

    before = {number: signal.signal(number, forward) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    try:
        return process.wait()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def record(values, folders, command, environment):
    tendril = find_tendril(values.tracy_tools_folder)
    shutil.rmtree(folders.logs, ignore_errors=True)
    os.makedirs(folders.logs)
    environment.update(RECORDED)
    if values.no_device:
        environment.pop("TT_METAL_DEVICE_PROFILER", None)
    else:
        environment["TT_METAL_DEVICE_PROFILER"] = "1"
    words = _record_words(tendril, values, folders, command)
    if values.verbose:
        say("runs " + shlex.join(words))
    code = _wait(subprocess.Popen(words, env=environment))
    if code and values.check_exit_code:
        say(f"{shlex.join(command)} ended with exit code {code}; there is no report")
        return PROGRAM_FAILED
    if not os.path.exists(folders.trace):
        return code or TROUBLE
    trouble = from_logs(values, folders)
    return code or trouble


def _export(tendril, folders, output, *options):
    done = subprocess.run([tendril, "csvexport", "--style", "tt", *options, "-o", output, folders.trace])
    if done.returncode:
        raise Failure(f"{output} cannot be written")


def _op_report(tendril, values, folders, children):
    """Calls `tendril report`, which makes the folder of a report. Returns the folder."""
    device_log = os.path.join(folders.logs, DEVICE_LOG)
    words = [tendril, "report", "-o", folders.output]
    if not values.verbose:
        words.append("-q")
    if values.name_append:
        words += ["-n", values.name_append]
    words += [word for name in children for word in ("--child-function", name)]
    words.append(folders.output if os.path.exists(device_log) else folders.trace)
    before = set(folders.reports(values.name_append))
    if values.verbose:
        say("runs " + shlex.join(words))
    if subprocess.run(words).returncode:
        raise Failure("there is no report of the operations")
    now = folders.reports(values.name_append)
    return max(set(now) - before or now)


def from_logs(values, folders):
    if not os.path.exists(folders.trace):
        raise Failure(f"there is no trace {folders.trace}")
    tendril = find_tendril(values.tracy_tools_folder)
    children = [name for name in (values.child_functions or "").split(",") if name]
    children = list(dict.fromkeys(children + DEFAULT_CHILDREN))
    _export(tendril, folders, folders.ops_times, "-u", "-t", "TT_", "-x", ",".join(children))
    _export(tendril, folders, folders.ops_data, "-m", "-s", ";")
    folder = _op_report(tendril, values, folders, children)
    for name in COPIED:
        path = os.path.join(folders.logs, name)
        if os.path.exists(path):
            shutil.copy2(path, folder)
    say(f"logs are in {folders.logs}, the report is in {folder}")
    return 0
