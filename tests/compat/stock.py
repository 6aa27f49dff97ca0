"""Stock programs, found in $TD_STOCK_DIR/RELEASE/bin: which releases there are, what each accepts, and how they are called."""
import os
import subprocess


def number(text):
    return tuple(int(x) for x in text.split("."))


class Release:
    """`oldest`, `newest`: payload versions it opens; `parallel`: it knows parallel containers; `style`: the name of its
    tables for `tendril csvexport --style`; `folder`: its traces in the corpus."""

    def __init__(self, name, oldest, newest, parallel, modes, style=None, folder=None):
        self.name, self.oldest, self.newest = name, number(oldest), number(newest)
        self.parallel, self.modes = parallel, modes
        self.style, self.folder = style or name, folder or name

    def program(self, name):
        return os.path.join(os.environ.get("TD_STOCK_DIR", "/nonexistent"), self.name, "bin", name)

    def found(self):
        return os.access(self.program("csvexport"), os.X_OK) and os.access(self.program("update"), os.X_OK)

    def accepts(self, version, form):
        return self.oldest <= version <= self.newest and (self.parallel or form == "classic")


# What `csvexport` of a release prints: option -m came with 0.10, -g and -p with 0.12.
OLD = ("", "-e", "-u")
MESSAGES = OLD + ("-m", "-f e -s ;", "-c -f e -e")
ALL = MESSAGES + ("-u -p", "-g")

RELEASES = (
    Release("0.9.0", "0.7.0", "0.9.0", False, OLD, style="0.9.1", folder="none"),
    Release("0.9.1", "0.8.0", "0.9.1", False, OLD),
    Release("0.10", "0.8.0", "0.10.0", False, MESSAGES),
    Release("ttfork", "0.9.0", "0.10.0", False, MESSAGES, style="tt"),
    Release("0.11.1", "0.9.0", "0.11.1", True, MESSAGES),
    Release("0.12.2", "0.9.0", "0.12.2", True, ALL),
    Release("0.13.1", "0.9.0", "0.13.1", True, ALL),
    Release("0.14.0", "0.9.0", "0.14.0", True, ALL),
)

# --format of `tendril update`, and the version that the payload then has
FORMATS = {"0.9.0": "0.9.0", "0.9.1": "0.9.1", "0.10.0": "0.10.0", "tt": "0.10.0", "0.11.0": "0.11.0",
           "0.11.1": "0.11.1", "0.12.2": "0.12.2", "0.13.1": "0.13.1", "0.14.0": "0.14.0"}
# Versions that only development builds wrote; tested with the traces that have every section.
BETWEEN = {v: v for v in ("0.9.2", "0.11.2", "0.11.3", "0.12.3", "0.12.4", "0.13.2", "0.13.4", "0.13.5", "0.13.6")}


class Answer:
    """`out`: what a program printed, `status`: its exit status; below 0: killed by that signal."""

    def __init__(self, command, seconds=120):
        try:
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=seconds, check=False)
            self.out, self.error, self.status = done.stdout, done.stderr.decode(errors="replace"), done.returncode
        except subprocess.TimeoutExpired:
            self.out, self.error, self.status = b"", "it hangs", -1
        self.command = " ".join(command)


def stock_table(release, mode, path, wanted=lambda out: True):
    """Stock csvexport's table. With -g and -p it does not wait for its own background work, and sometimes leaves out
    rows; and once in thousands of runs it crashes on a file that it otherwise reads. So it is run again, up to four times,
    after a crash or a table that is not as wanted."""
    command = [release.program("csvexport"), *mode.split(), path]
    answer = Answer(command)
    waits = "-g" not in mode and "-p" not in mode
    for _ in range(4):
        crashed = answer.status < -1
        if not crashed and (waits or wanted(answer.out)):
            break
        answer = Answer(command)
    return answer
