"""Whatever fails, what was collected is written, one line says why, and the exit code is not 0."""
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
        no_board(directory)
        bad_grid(directory)
        full_disk()
        no_folder(directory)
        missing_elf(directory)
        interrupt(directory)
        usage()


main()
