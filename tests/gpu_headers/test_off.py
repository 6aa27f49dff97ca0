#!/usr/bin/env python3
"""Without TRACY_ENABLE the markers of GPU interfaces leave nothing and need no interface's header; with it, headers
that cannot record anything here say so in one line, and those whose interface is missing, too. Each name of Tracy's
headers is used by a program of this folder, or not_there.txt says why it is not there."""
import filecmp
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

import gpu_run as run

HEADERS = ["TracyCUDA.hpp", "TracyD3D11.hpp", "TracyD3D12.hpp", "TracyMetal.hmm", "TracyOpenCL.hpp", "TracyOpenGL.hpp",
           "TracyVulkan.hpp", "TracyLua.hpp", "TracyWebGPU.hpp"]
NOT_HERE = ["TracyD3D11.hpp", "TracyD3D12.hpp", "TracyMetal.hmm", "TracyWebGPU.hpp"]
NEED_OTHERS = ["TracyOpenGL.hpp", "TracyVulkan.hpp", "TracyLua.hpp"]
FINDS = {"TracyCUDA.hpp": "cupti.h"}  # itself, if it is there


def compare(compiler, scratch):
    bad = 0
    shutil.copy(os.path.join(run.HERE, "off.cpp"), scratch)
    for standard in run.STANDARDS:
        for how, name in (([], "marked.o"), (["-DPLAIN"], "plain.o")):
            bad += subprocess.run([compiler, "-std=" + standard, "-Wall", "-Wextra", "-Werror", "-O1", *how,
                                   "-I" + run.INCLUDE, "-c", "off.cpp", "-o", name], cwd=scratch).returncode
        if bad or not filecmp.cmp(os.path.join(scratch, "marked.o"), os.path.join(scratch, "plain.o"), shallow=False):
            print("%s %s: markers that are off leave something" % (compiler, standard))
            return 1
    return 0


def one_error(compiler, header):
    """What the compiler says must name the header, in an error that is the only one."""
    done = subprocess.run([compiler, "-std=c++17", "-DTRACY_ENABLE", "-I" + run.INCLUDE, "-x", "c++", "-fsyntax-only", "-"],
                          input="#include <tracy/%s>\n" % header, stderr=subprocess.PIPE, universal_newlines=True)
    errors = [line for line in done.stderr.splitlines() if "error:" in line]
    if done.returncode == 0 or not errors or "tracy/" + header not in errors[0]:
        print("%s %s: %s" % (compiler, header, done.stderr[:500]))
        return 1
    if header in NOT_HERE and len(errors) != 1:
        print("%s %s: more than one error: %s" % (compiler, header, errors[:3]))
        return 1
    return 0


def read(*paths):
    return "\n".join(open(path, encoding="utf-8").read() for path in paths)


def check_names():
    """The lists of names are those of tests/headers."""
    used = set(re.findall(r"\w+", read(*glob.glob(os.path.join(run.HERE, "*.cpp")), os.path.join(run.HERE, "script.lua"))))
    excused = set(re.findall(r"\w+", re.sub(r"^#.*", "", read(os.path.join(run.HERE, "not_there.txt")), flags=re.M)))
    names = set()
    for path in glob.glob(os.path.join(run.SOURCE, "tests", "headers", "names-*.txt")):
        for line in read(path).splitlines():
            header, _, name = line.split()
            if os.path.basename(header) in HEADERS:
                names.add(name)
    missing, stale = sorted(names - used - excused), sorted(excused - names)
    if missing:
        print("not used, and not_there.txt has no reason:", " ".join(missing))
    if stale:
        print("in not_there.txt, but no release has them:", " ".join(stale))
    print("%d names: %d used, %d with a reason" % (len(names), len(names & used), len(names & excused)))
    return bool(missing) + bool(stale)


def main():
    bad = check_names()
    with tempfile.TemporaryDirectory() as scratch:
        for compiler in run.compilers():
            bad += compare(compiler, scratch)
            missing = [header for header, what in FINDS.items() if not run.has_header(compiler, what, [])]
            bad += sum(one_error(compiler, header) for header in NOT_HERE + NEED_OTHERS + missing)
    return bad != 0


sys.exit(main())
