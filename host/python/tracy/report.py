"""`-r`: records a program, and leaves the folders that tt-metal's tools expect."""

import os
import shlex
import shutil
import signal
import subprocess

from .messages import TROUBLE, Failure, say

DEFAULT_CHILDREN = ["CompileProgram", "HWCommandQueue_write_buffer"]
PROGRAM_FAILED = 4  # with --check-exit-code
COPIED = ("tracy_profile_log_host.tracy", "profile_log_device.csv")
RECORDED = {"TTNN_OP_PROFILER": "1", "TT_METAL_PROFILER_TRACE_TRACKING": "1"}


def find_tendril(folder):
    """The program: of --tracy-tools-folder, next to this package, or of PATH."""
    if folder is not None:
        path = os.path.join(folder, "tendril")
        if not os.access(path, os.X_OK):
            raise Failure(f"--tracy-tools-folder: there is no program tendril in {folder}")
        return path
    here = os.path.dirname(os.path.abspath(__file__))
    for near in ("../../bin", "../../../../bin", "../../../bin"):  # a build folder, an installed tree
        path = os.path.normpath(os.path.join(here, near, "tendril"))
        if os.access(path, os.X_OK):
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


def _op_report(tendril, values, folders):
    """The one place that calls `tendril report`."""
    known = subprocess.run([tendril, "report", "--help"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if known.returncode:
        say("this tendril has no command 'report': there is no table of ops")
        return 0
    return subprocess.run([tendril, "report", folders.output]).returncode


def from_logs(values, folders):
    if not os.path.exists(folders.trace):
        raise Failure(f"there is no trace {folders.trace}")
    tendril = find_tendril(values.tracy_tools_folder)
    children = [name for name in (values.child_functions or "").split(",") if name]
    children = list(dict.fromkeys(children + DEFAULT_CHILDREN))
    _export(tendril, folders, folders.ops_times, "-u", "-t", "TT_", "-x", ",".join(children))
    _export(tendril, folders, folders.ops_data, "-m", "-s", ";")
    folder, _ = folders.new_report(values.name_append)
    for name in COPIED:
        path = os.path.join(folders.logs, name)
        if os.path.exists(path):
            shutil.copy2(path, folder)
    say(f"logs are in {folders.logs}, the report is in {folder}")
    return _op_report(tendril, values, folders)
