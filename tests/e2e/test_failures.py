"""After each kind of failure the trace has what was collected, one line gives the reason, and the exit code is not 0."""
import os
import signal
import subprocess

from boards import wait_for
from kit import BUILD, TENDRIL, example, expect, folder, info, record, run


def one_line(done, word):
    lines = [line for line in done.stderr.splitlines() if line.startswith("tendril")]
    expect(done.returncode != 0, f"exit code of {done.args}")
    expect(len(lines) == 1, f"one line of error, not: {done.stderr!r}")
    expect(word in lines[0], f"'{word}' in {lines[0]!r}")


def program_fails(directory):
    trace = os.path.join(directory, "a.tracy")
    done = record(trace, ["/bin/sh", "-c", f"{example('hello')}; exit 7"], check=False)
    one_line(done, "exited with code 7")
    expect(done.returncode == 7, "the program's own code is returned")
    expect(info(trace)["zones"] >= 11, "zones before the failure are there")


def program_crashes(directory):
    trace = os.path.join(directory, "b.tracy")
    done = record(trace, ["/bin/sh", "-c", f"{example('hello')}; kill -SEGV $$"], check=False)
    one_line(done, "signal 11")
    expect(info(trace)["zones"] >= 11, "zones before the crash are there")


def no_program(directory):
    one_line(record(os.path.join(directory, "c.tracy"), ["/nonexistent/program"], check=False), "/nonexistent/program")


def make_file(path, content, mode=0o755):
    with open(path, "wb") as f:
        f.write(content)
    os.chmod(path, mode)
    return path


def odd_programs(directory):
    """A file that is not a program is refused before a board starts, and the line says what the file is. Text without a
    `#!` line runs as a script."""
    elf = os.path.join(os.path.dirname(example("hello")), "kernel.elf")
    with open(elf, "rb") as f:
        kernel = f.read()
    with open("/bin/true", "rb") as f:
        other = f.read()
    other = other[:18] + b"\xf3\x7f" + other[20:]  # no machine has this number
    trace = os.path.join(directory, "odd.tracy")
    os.mkfifo(os.path.join(directory, "fifo"))
    for program, word in (
            (elf, "td_device_load()"), (make_file(os.path.join(directory, "k"), kernel), "RISC-V"),
            (make_file(os.path.join(directory, "plain_k"), kernel, 0o644), "RISC-V"),
            (make_file(os.path.join(directory, "cut"), kernel[:52]), "RISC-V"),
            (make_file(os.path.join(directory, "other"), other), "does not run"),
            (make_file(os.path.join(directory, "plain"), b"echo", 0o644), "chmod +x"),
            (make_file(os.path.join(directory, "data"), bytes(range(256))), "neither a program nor a script"),
            (make_file(os.path.join(directory, "lost"), b"#! /no/such/shell -x\n"), "/no/such/shell, which is missing"),
            (os.path.join(directory, "fifo"), "not a regular file"), (directory, "a folder"), (".", "a folder"),
            ("", "without a name"), ("no-such-program", "no folder in PATH has it"), ("/dev/null/x", "Not a directory"),
            ("x" * 5000, "too long"), ("/" + "x" * 5000, "too long")):
        one_line(record(trace, [program], check=False), word)
        expect(not os.path.exists(trace), f"no trace of {program}")
    # A file in the current folder is not found through PATH.
    at_hand = subprocess.run([TENDRIL, "record", "-o", trace, "--", "k"], cwd=directory, capture_output=True, text=True, check=False)
    one_line(at_hand, "write ./k")
    record(trace, [make_file(os.path.join(directory, "script"), b"exit 0\n")])
    record(trace, ["true"])
    record(trace, ["k"], env={"PATH": make_path(directory)})


def make_path(directory):
    """A PATH with two files k: the first is not executable, the second is."""
    for name, mode in ("first", 0o644), ("second", 0o755):
        os.mkdir(os.path.join(directory, name))
        make_file(os.path.join(directory, name, "k"), b"#!/bin/sh\nexit 0\n", mode)
    return ":".join((os.path.join(directory, "first"), os.path.join(directory, "second"), os.environ["PATH"]))


def no_board(directory):
    one_line(record(os.path.join(directory, "d.tracy"), ["/bin/true"], "-b", "nosuchboard", check=False), "nosuchboard")


def bad_grid(directory):
    one_line(record(os.path.join(directory, "e.tracy"), ["/bin/true"], "--grid", "99x99", check=False), "99")


def full_disk():
    if not os.path.exists("/dev/full"):
        print("skipped: full disk (no /dev/full)")
        return
    one_line(record("/dev/full", [example("hello")], check=False), "/dev/full")


def no_folder(directory):
    done = record(os.path.join(directory, "no/such/folder/t.tracy"), [example("hello")], check=False)
    one_line(done, "no/such/folder")


def missing_elf(directory):
    trace = os.path.join(directory, "f.tracy")
    done = record(trace, ["/bin/sh", "-c", f"TENDRIL_RUN_DIR= exec {example('hello')}"], check=False)
    one_line(done, "--elf")
    expect(info(trace)["zones"] >= 11, "zones are there, without names")
    elf = os.path.dirname(example("hello"))
    trace = os.path.join(directory, "g.tracy")
    record(trace, ["/bin/sh", "-c", f"TENDRIL_RUN_DIR= exec {example('hello')}"], "--elf", elf)
    expect(info(trace)["zones"] >= 11, "zones with names")


def interrupt(directory):
    trace = os.path.join(directory, "h.tracy")
    done = os.path.join(directory, "done")
    process = subprocess.Popen([TENDRIL, "record", "-o", trace, "--", "/bin/sh", "-c",
                                f"{example('hello')}; touch {done}; exec sleep 1000"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_for(lambda: os.path.exists(done), "the program has run")
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=200)
    expect(process.returncode != 0 and "stopped by the user" in stderr, f"says so: {stderr!r}")
    expect(info(trace)["zones"] >= 11, "Ctrl-C still writes what ran")


def usage():
    for argv in ([TENDRIL, "record"], [TENDRIL, "record", "--nonsense", "--", "/bin/true"],
                 [TENDRIL, "record", "--policy", "maybe", "--", "/bin/true"], [TENDRIL, "info"],
                 [TENDRIL, "info", "/nonexistent.tracy"], [TENDRIL, "csvexport", os.path.join(BUILD, "bin", "tendril")],
                 [TENDRIL, "view", "/nonexistent.tracy", "--screenshot", "/dev/null"]):
        if argv[1] == "view" and "view" not in run([TENDRIL, "commands"]).stdout.split():
            continue
        one_line(run(argv, check=False), "")


def main():
    with folder() as directory:
        program_fails(directory)
        program_crashes(directory)
        no_program(directory)
        odd_programs(directory)
        no_board(directory)
        bad_grid(directory)
        full_disk()
        no_folder(directory)
        missing_elf(directory)
        interrupt(directory)
        usage()


main()
