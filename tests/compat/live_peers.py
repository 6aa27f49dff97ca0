"""The two ends of a session: clients (program/features.cpp with a release's client, or with ours) and recorders (a
release's capture, or `tendril capture`)."""
import os
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from ports import free_port
from stock_clients import FLAGS, client_object

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))
PROGRAM = os.path.join(HERE, "program", "features.cpp")
OURS = "tendril"
# The program's possible exit codes in the modes that end by a signal.
ENDS = {"killed": -signal.SIGKILL, "crash": (-signal.SIGSEGV, -signal.SIGABRT)}


def stock_folder(release):
    return os.path.join(os.environ.get("TD_STOCK_DIR", "/nonexistent"), release)


class Client:
    """The program, built with a release's client from its sources, or with ours. `builds`: where programs are kept."""

    def __init__(self, release, binary, builds):
        self.release, self.binary, self.builds = release, binary, builds
        self.public = os.path.join(stock_folder(release), "src", "public")

    def found(self):
        return self.release == OURS or os.access(os.path.join(self.public, "TracyClient.cpp"), os.R_OK)

    def sources(self):
        if self.release == OURS:
            return [PROGRAM, os.path.join(self.binary, "lib", "libtendril-client.a")]
        return [PROGRAM, os.path.join(self.public, "TracyClient.cpp")]

    def flags(self):
        """Compiler flags that describe which arguments the functions of the headers take."""
        with open(os.path.join(self.public, "tracy", "TracyC.h"), encoding="utf-8", errors="replace") as file:
            interface = " ".join(file.read().split())
        with open(os.path.join(self.public, "common", "TracySystem.hpp"), encoding="utf-8", errors="replace") as file:
            system = file.read()
        fork = os.path.exists(os.path.join(self.public, "tracy", "TracyTTDevice.hpp"))
        return (["-DFORK"] if fork else []) + (["-DCOLORS"] if "const char* name, size_t nameSz, uint32_t color" in interface else []) + \
            (["-DHINTS"] if "SetThreadNameWithHint" in system else [])

    def compile(self, program, on_demand):
        """Compiles in the program's own folder, so that the file of its source locations is "features.cpp". The output of
        the compiler, or nothing."""
        folder, name = os.path.split(PROGRAM)
        base = ["g++", *FLAGS]
        if self.release == OURS:
            with open(os.path.join(self.binary, "CMakeCache.txt"), encoding="utf-8") as cache:
                sanitize = ["-fsanitize=address,undefined"] if "TD_ASAN:BOOL=ON" in cache.read() else []
            base += sanitize + ["-DHINTS", "-DCOLORS", "-I" + os.path.join(SOURCE, "host", "client", "include")]
            client = [self.sources()[1], "-llz4"]
        else:
            when = ["-DTRACY_ON_DEMAND"] if on_demand else []
            base += self.flags() + when + ["-I" + self.public]
            client = [client_object(self.public, self.binary, self.release, *when)]
        built = subprocess.run([*base, "-O1", "-g", "-rdynamic", name, *client, "-o", program, "-lpthread", "-ldl", "-lm"],
                               cwd=folder, stderr=subprocess.PIPE, universal_newlines=True, check=False)
        return built.stderr or "the compiler fails" if built.returncode else ""

    def program(self, on_demand):
        """Path of the program; RuntimeError when it cannot be built. It is always called features."""
        kind = "-on-demand" if on_demand and self.release != OURS else ""
        program = os.path.join(self.builds, self.release + kind, "features")
        os.makedirs(os.path.dirname(program), exist_ok=True)
        parts = [os.path.join(os.path.dirname(PROGRAM), name) for name in os.listdir(os.path.dirname(PROGRAM))]
        newest = max(os.path.getmtime(path) for path in self.sources() + parts + [__file__])
        if not os.path.exists(program) or os.path.getmtime(program) < newest:
            wrong = self.compile(program, on_demand)
            if wrong:
                raise RuntimeError("the program cannot be built: " + wrong[:1500])
        return program

    def start(self, mode, port, arguments=(), recorder=OURS, folder=None):
        program = self.program(mode == "ondemand")
        env = {k: v for k, v in os.environ.items() if not k.startswith(("TRACY_", "TENDRIL_"))}
        env["TRACY_PORT"] = str(port)
        env["TRACY_NO_SYS_TRACE"] = "1"
        env["LC_ALL"] = "C"
        if mode == "ondemand":
            env["TRACY_ON_DEMAND"] = "1"
        else:
            env["TRACY_NO_EXIT"] = "1"
            env["TENDRIL_WAIT_CONNECT_MS"] = "60000"
        if self.release == OURS and recorder == "ttfork":
            env["TENDRIL_PEER"] = "tt"
        return subprocess.Popen([program, mode, *arguments], env=env, cwd=folder, stdout=subprocess.PIPE,
                                stderr=subprocess.DEVNULL, universal_newlines=True)


class Recorder:
    """A release's capture, or ours."""

    def __init__(self, release, binary):
        self.release, self.binary = release, binary
        self.program = os.path.join(binary, "bin", "tendril") if release == OURS else \
            os.path.join(stock_folder(release), "bin", "capture")

    def found(self):
        return os.access(self.program, os.X_OK)

    def command(self, port, out, client, seconds=None, more=()):
        command = [self.program]
        if self.release == OURS:
            command.append("capture")
            if client == "0.9.0":  # its protocol is that of 0.9.1, whose files it does not read
                command += ["--format", "0.9.0"]
        command += ["-f", "-a", "127.0.0.1", "-p", str(port), "-o", out]
        return command + (["-s", str(seconds)] if seconds else []) + list(more)

    def record(self, port, out, client, seconds=None, more=()):
        """Runs the recorder to its end in the file's folder, which has none of the program's sources."""
        try:
            done = subprocess.run(self.command(port, out, client, seconds, more), stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, cwd=os.path.dirname(out), timeout=120, check=False)
            return done.returncode, done.stdout.decode(errors="replace")
        except subprocess.TimeoutExpired:
            return None, "it does not end"


def ended(process, mode, seconds=60):
    """A line if the program did not end as expected in this mode; and the program's output."""
    try:
        said, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return "the program does not end", ""
    expected = ENDS.get(mode, 0)
    good = process.returncode in (expected if isinstance(expected, tuple) else (expected,))
    return None if good else f"the program's status is {process.returncode}", said
