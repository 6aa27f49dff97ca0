"""Clients of other releases, each compiled once in a build folder, for all tests that link programs with it."""
import fcntl
import os
import subprocess

FLAGS = ["-std=c++17", "-w", "-DTRACY_ENABLE", "-DTRACY_FIBERS"]  # for the programs, too


def client_object(public, binary, release, *flags):
    """The object of the client whose sources are in `public`, with FLAGS and more flags; RuntimeError when it cannot be
    built. Half of the time of compiling it would be for making it fast."""
    source = os.path.join(public, "TracyClient.cpp")
    made = os.path.join(binary, "tests", "stock-clients", "".join([release, *flags]) + ".o")
    os.makedirs(os.path.dirname(made), exist_ok=True)
    with open(made + ".lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not os.path.exists(made) or os.path.getmtime(made) < max(map(os.path.getmtime, (source, __file__))):
            built = subprocess.run(["g++", *FLAGS, *flags, "-O0", "-g1", "-I" + public, "-c", source, "-o", made + ".new"],
                                   stderr=subprocess.PIPE, universal_newlines=True, check=False)
            if built.returncode:
                raise RuntimeError("the client cannot be built: " + built.stderr[:1500])
            os.rename(made + ".new", made)
    return made
