#!/usr/bin/env python3
"""Every command prints its usage; the man pages are valid roff; bash, zsh and fish complete."""
import glob
import os
import pty
import re
import select
import shutil
import subprocess
import sys
import time

from common import BINARY, TENDRIL, check, exit_status


def output(*command, **more):
    return subprocess.run(command, capture_output=True, text=True, timeout=200, **more)


def commands():
    return output(TENDRIL, "commands").stdout.split()


def helps():
    listed = output(TENDRIL, "--help").stdout
    for command in commands():
        check(f"{command} is listed", f"  {command} " in listed)
        if command == "sim" and not os.path.exists(os.path.join(BINARY, "bin", "tensix_sim")):
            continue
        asked, other = output(TENDRIL, command, "--help"), output(TENDRIL, "help", command)
        check(f"{command} --help", asked.returncode == 0 and asked.stdout.startswith("Usage: "), asked.stderr)
        check(f"help {command} says the same", asked.stdout == other.stdout)
        check(f"{command} refuses what it does not know", output(TENDRIL, command, "--no-such-thing").returncode == 2)
        longest = max(len(line) for line in asked.stdout.splitlines() if not line.startswith(" " * 2))
        check(f"{command} --help fits", longest <= 100, longest)
    check("no such command", output(TENDRIL, "help", "nothing").returncode == 2)
    check("no command at all", output(TENDRIL).returncode == 2)
    check("version", re.fullmatch(r"tendril \d+\.\d+\.\d+\n", output(TENDRIL, "--version").stdout))
    verbose = output(TENDRIL, "--version", "--verbose")
    check("version --verbose", verbose.returncode == 0 and verbose.stdout.startswith("tendril "), verbose.stderr)
    for words in "features", "zstd ", "libusb ", "elfutils ", "69           0.11.1", "Tenstorrent's fork":
        check(f"version --verbose says {words}", words in verbose.stdout, verbose.stdout)
    refused = output(TENDRIL, "--version", "--loud")
    check("version takes nothing else", refused.returncode == 2 and "--loud" in refused.stderr, refused.stderr)


def installed_programs():
    rules = glob.glob(os.path.join(BINARY, "**", "cmake_install.cmake"), recursive=True)
    found = set()
    for rule in rules:
        with open(rule, encoding="utf-8") as f:
            found |= set(re.findall(r'TYPE EXECUTABLE FILES "[^"]*/([^/"]+)"', f.read()))
    return found


def pages():
    folder = os.path.join(BINARY, "man")
    names = sorted(os.listdir(folder))
    programs = installed_programs()
    check("programs are installed", {"tendril", "tendril-watch"} <= programs, programs)
    for program in programs:
        check(f"page of {program}", f"{program}.1" in names)
    for command in commands():
        check(f"page of {command}", command == "sim" or f"tendril-{command}.1" in names)
    for name in names:
        path = os.path.join(folder, name)
        with open(path, encoding="utf-8") as f:
            text = f.read()
        for section in ("NAME", "SYNOPSIS", "DESCRIPTION", "EXIT STATUS"):
            check(f"{name}: {section}", f".SH {section}" in text)
        if shutil.which("man") and shutil.which("groff"):
            r = output("man", "--warnings", "-l", path, env={**os.environ, "LC_ALL": "C", "MANPAGER": "cat"})
            check(f"{name} under man", r.returncode == 0 and not r.stderr, r.stderr)
        if shutil.which("mandoc"):
            r = output("mandoc", "-T", "lint", "-W", "error", path)
            check(f"{name} under mandoc", r.returncode == 0, r.stdout + r.stderr)


def typed(shell, keys, until):
    """The terminal's output when the keys are typed into the shell."""
    pid, fd = pty.fork()
    if pid == 0:
        os.environ.update(PATH=os.path.join(BINARY, "bin") + ":" + os.environ["PATH"], TERM="dumb", PS1="> ",
                          HISTFILE="/dev/null", HOME="/nonexistent", LC_ALL="C")
        os.execvp(shell[0], shell)
    seen, end = "", time.monotonic() + 100
    try:
        for key in keys:
            os.write(fd, key.encode())
            while until not in seen and time.monotonic() < end:
                ready = select.select([fd], [], [], 0.5)[0]
                if not ready:
                    break
                seen += os.read(fd, 65536).decode(errors="replace")
        while until not in seen and time.monotonic() < end:
            if select.select([fd], [], [], 1)[0]:
                seen += os.read(fd, 65536).decode(errors="replace")
    except OSError:
        pass
    os.close(fd)
    os.kill(pid, 9)
    os.waitpid(pid, 0)
    return seen


def bash_completes():
    script = os.path.join(BINARY, "completion", "bash", "tendril")
    check("bash script is sound", output("bash", "-n", script).returncode == 0)
    cases = [("tendril csve", "csvexport"), ("tendril compare --fai", "--fail-if"),
             ("tendril record --policy ov", "overwrite"), ("tendril record --policy=ov", "overwrite"),
             ("tendril completion z", "zsh"), ("tendril help upd", "update"), ("tendril --vers", "--version"),
             ("tendril update -", "--strip"), ("tendril record -b tensix_sim_n", "tensix_sim_n300"), ("tendril hang --board bl", "blackhole"),
             ("tendril view --open st", "statistics")]
    for line, word in cases:
        words = line.replace("=", " = ").split()
        program = (f"source '{script}'; COMP_WORDS=({' '.join(words)}); COMP_CWORD={len(words) - 1}; _tendril; "
                   'printf "%s\\n" "${COMPREPLY[@]}"')
        got = output("bash", "--norc", "-c", program, env={**os.environ, "PATH": os.path.dirname(TENDRIL) + ":" + os.environ["PATH"]})
        check(f"bash: {line}", word in got.stdout.split(), got.stdout + got.stderr)
    seen = typed(["bash", "--norc", "-i"], [f"source '{script}'\n", "tendril compa\t", "--perc\t"], "--percentiles")
    check("bash completes what is typed", "tendril compare --percentiles" in seen, repr(seen))


def zsh_completes():
    script = os.path.join(BINARY, "completion", "zsh", "_tendril")
    check("zsh script is sound", output("zsh", "-n", script).returncode == 0)
    folder = os.path.dirname(script)
    start = f"fpath=('{folder}' $fpath); autoload -U compinit; compinit -u -D\n"
    for keys, word in (("tendril compa\t", "compare"), ("tendril record --policy ov\t", "overwrite"),
                       ("tendril compare --perc\t", "--percentiles"), ("tendril completion fi\t", "fish"),
                       ("tendril record -b qem\t", "qemu_virt"), ("tendril view --open stat\t", "statistics")):
        seen = typed(["zsh", "-f", "-i"], [start, keys], word)
        check(f"zsh: {keys.strip()}", word in seen, repr(seen))


def fish_completes():
    script = os.path.join(BINARY, "completion", "fish", "tendril.fish")
    check("fish script is sound", output("fish", "-n", script).returncode == 0)
    for line, word in (("tendril csve", "csvexport"), ("tendril compare --fai", "--fail-if"),
                       ("tendril record --policy ov", "overwrite"), ("tendril completion z", "zsh"),
                       ("tendril help upd", "update"), ("tendril record -b qem", "qemu_virt"),
                       ("tendril view --open stat", "statistics")):
        got = output("fish", "--no-config", "-c", f"set PATH '{BINARY}/bin' $PATH; source '{script}'; complete -C '{line}'")
        check(f"fish: {line}", any(w.split("\t")[0] == word for w in got.stdout.splitlines()), got.stdout + got.stderr)


helps()
pages()
bash_completes()
for shell, test in (("zsh", zsh_completes), ("fish", fish_completes)):
    if shutil.which(shell):
        test()
    else:
        print(f"skipped: no {shell} here")
sys.exit(exit_status())
