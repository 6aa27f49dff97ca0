"""Compiles the kernels of a tree of tt-metal, unchanged, with Tendril's headers, and counts those that do.

    tt_kernels.py TREE [--build FOLDER] [--jobs N] [--only TEXT]... [--every N] [--quick] [--list FILE]
                  [--write-docs PAGE] [--name TEXT]

A kernel is a C++ file of TREE with "kernels" at the end of a folder's name. Kernels that compute are compiled for TRISC0,
TRISC1 and TRISC2, others for BRISC. All compile-time arguments, also those with names, are 1; a kernel that asserts more of
them is tried with 2 and 32. What the operations' host programs define (ELTWISE_OP ...) is in tt_kernels.txt, for kernels
that use it. --quick checks the syntax only, of TRISC1 only. --list writes the first error of each file. --write-docs replaces
the page's tables, and its list of files that do not compile; --name is what the page calls the tree. --build is a folder
with newlib (default: build).
"""
import argparse
import collections
import concurrent.futures
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))
GXX = os.environ.get("TENDRIL_CROSS", "riscv64-unknown-elf-") + "g++"
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.M)
COMPUTES = re.compile(r'#\s*include\s*[<"](api/compute|compute_kernel_api|ckernel|llk_|experimental/llk|sfpi)')
NAMED = re.compile(r'get_named_(?:compile_time_arg_val|ct_arg)\(\s*"([^"]*)"')
ARGUMENTS = 256
# For kernels whose arguments have to differ: small, and none of them describes a sharded tensor.
EVEN = (2, 16, 4, 32, 6, 48, 8, 18, 10, 64, 12, 20, 14, 22, 24, 26, 28, 30, 34, 36, 38, 40)
# An error that other arguments may not have.
NUMBERS = re.compile(r"error: .*(static assertion|constant expression|narrowing|array|division|non-constant|overflow|unroll|different types)")


def kernels(tree):
    for folder, names, files in os.walk(tree):
        names.sort()
        if any(part.endswith("kernels") for part in os.path.relpath(folder, tree).split(os.sep)):
            for file in sorted(files):
                if file.endswith(".cpp"):
                    yield os.path.relpath(os.path.join(folder, file), tree)


def definitions():
    """[(text of a path, {name: value})]: the first ones are of all files."""
    found = [("", {})]
    with open(os.path.join(HERE, "tt_kernels.txt"), encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("["):
                found.append((line.strip()[1:-1], {}))
            elif line.strip() and not line.startswith("#"):
                name, _, value = line.rstrip("\n").partition(" ")
                found[-1][1][name] = value
    return found


class Compiler:
    def __init__(self, tree, build, quick):
        self.tree, self.quick, self.defined = tree, quick, definitions()
        version = subprocess.run([GXX, "-dumpversion"], capture_output=True, text=True, check=True).stdout.split(".")[0]
        multiarch = subprocess.run(["gcc", "-print-multiarch"], capture_output=True, text=True, check=False).stdout.strip()
        library = [f for f in (f"/usr/include/c++/{version}", f"/usr/include/{multiarch}/c++/{version}") if os.path.isdir(f)]
        system = [os.path.join(SOURCE, "target/include/cxx")] + library + [os.path.join(build, "newlib/newlib/include")]
        includes = [os.path.join(SOURCE, "target/include"), SOURCE]
        last = [tree] + [os.path.join(tree, f) for f in ("ttnn", "ttnn/cpp", "tt_metal")]
        self.flags = [GXX, "-march=rv32im", "-mabi=ilp32", "-ffixed-tp", "-O2", "-std=gnu++17", "-fno-exceptions", "-fno-rtti",
                      "-fno-threadsafe-statics", "-fno-use-cxa-atexit", "-w", "-fmax-errors=1", "-DTD_PROFILE", "-DKERNEL_BUILD",
                      "-DKERNEL_CB_FORMATS=" + ",".join(["5"] * 64)]
        self.flags += [f"-I{f}" for f in includes] + [f for s in system for f in ("-isystem", s)]
        self.flags += [f for s in last for f in ("-idirafter", s)]
        self.goal = ["-fsyntax-only"] if quick else ["-c", "-o", os.devnull]
        self.folder = tempfile.mkdtemp(prefix="tt_kernels.")
        self.header, self.lock, self.ready = os.path.join(self.folder, "first.h"), threading.Lock(), {}

    def first(self, flags):
        """Flags that include what tt-metal's build includes; compiled once for each core."""
        with self.lock:
            if tuple(flags) not in self.ready:
                name = os.path.join(self.folder, f"{len(self.ready)}", "first.h")
                os.mkdir(os.path.dirname(name))
                with open(name, "w", encoding="utf-8") as out:
                    out.write('#include "riscv/fence.h"\n#include "api/dataflow/dataflow_api.h"\n')
                run = subprocess.run(self.flags + flags + ["-x", "c++-header", name, "-o", name + ".gch"], check=False,
                                     capture_output=True, text=True)
                if run.returncode:
                    sys.exit(run.stderr)
                self.ready[tuple(flags)] = ["-include", name]
            return self.ready[tuple(flags)]

    def text(self, path, seen):
        """The file and the headers of the tree that it includes."""
        if path in seen or not os.path.isfile(path):
            return ""
        seen.add(path)
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read()
        all_text = text
        for name in INCLUDE.findall(text):
            for folder in (os.path.dirname(path), self.tree, f"{self.tree}/ttnn", f"{self.tree}/ttnn/cpp"):
                found = os.path.normpath(os.path.join(folder, name))
                if os.path.isfile(found) and "/tt_metal/hw/" not in found:
                    all_text += self.text(found, seen)
                    break
        return all_text

    def options(self, file, text, own):
        """Definitions that a kernel needs besides arguments; those that change tt-metal's headers; names of arguments."""
        defined = {}
        for part, names in self.defined:
            if part in file:
                defined.update(names)
        used = [f"-D{name}={value}" for name, value in defined.items()
                if re.search(rf"\b{re.escape(name.partition('(')[0])}\b", text)
                and not re.search(rf"#\s*define\s+{re.escape(name.partition('(')[0])}\b", text)]
        if "PROCESS_ACTIVATIONS" in text: # the names are put together from parts
            used += [f"-D{name}={value}" for name, value in defined.items() if "(" in name]
        changes = []
        if re.search(r"#\s*(el)?if.*get_compile_time_arg_val", own):
            changes += ["-DTD_NUMBERED_ARGS"] + [f"-DKERNEL_COMPILE_TIME_ARG_{n}=1" for n in range(64)]
        names = NAMED.findall(text)
        if re.search(r"get_named_compile_time_arg_val\(\s*[a-z]", own): # of a table of names
            names += re.findall(r'"(\w+)"', own)
        return used, changes, sorted(set(names))

    def compile(self, file):
        """(True, "") or (False, first error)."""
        path = os.path.join(self.tree, file)
        text = self.text(path, set())
        with open(path, encoding="utf-8", errors="replace") as source:
            own = source.read()
        computes = "/compute/" in file or COMPUTES.search(own) or \
            (COMPUTES.search(text) and "dataflow_api.h" not in own and "/dataflow/" not in file)
        cores = [f"TRISC={n}" for n in ((1,) if self.quick else (0, 1, 2))] if computes else ["BRISC"]
        used, changes, names = self.options(file, text, own)
        error = ""
        for number in (1, 2, 32, 0):
            values = [str(number or EVEN[n % len(EVEN)]) for n in range(ARGUMENTS)]
            arguments = [f"-DKERNEL_COMPILE_TIME_ARGS={','.join(values)}"]
            if names:
                arguments.append("-DKERNEL_COMPILE_TIME_ARG_MAP=" +
                                 ",".join(f'{{"{name}",{value}}}' for name, value in zip(names, values)))
            failed = next(filter(None, (self.run(path, core, used, changes, arguments) for core in cores)), None)
            if not failed:
                return True, f"with all arguments {number}" if number > 1 else "" if number else "with even arguments"
            error = error or first_error(failed, self.tree)
            if not NUMBERS.search(failed):
                break
        return False, error

    def run(self, path, core, used, changes, arguments):
        """None, or what the compiler printed."""
        arguments = arguments + changes + [f"-DCOMPILE_FOR_{core}"]
        first = ["-include", "riscv/fence.h", "-include", "api/dataflow/dataflow_api.h"]
        if len(arguments) == 2:
            first = self.first(arguments)
        run = subprocess.run(self.flags + used + arguments + first + self.goal + [path],
                             capture_output=True, text=True, errors="replace", check=False)
        return run.stderr or "?" if run.returncode else None


def first_error(text, tree):
    for line in text.splitlines():
        if "error:" in line:
            return line.replace(tree + "/", "").replace(SOURCE + "/", "")
    return text.strip().splitlines()[-1] if text.strip() else "?"


def kind(error):
    """What is missing, of an error line."""
    for pattern in (r"fatal error: ([^:]+): No such", r"error: (.*)"):
        found = re.search(pattern, error)
        if found:
            return found.group(1)
    return error


# What a kernel needs that this board has not, by what it or a header of the tree's that it includes names.
LEFT_OUT = (
    ("the fabric between chips", re.compile(r'include\s*[<"]([^>"]*fabric|ttnn/operations/ccl|[^>"]*ccl_)')),
    ("sockets between chips and hosts", re.compile(r"socket_api|NOC_XY_PCIE_ENCODING|pcie_noc_utils")),
    ("Ethernet", re.compile(r"internal/ethernet|eth_l1_address_map|eth_send_|erisc_info|/erisc/")),
    ("Quasar", re.compile(r"tt-2xx|quasar", re.I)),
    ("the layer below (SFPI, `llk_*`, instructions)", re.compile(r'include\s*[<"](llk_|ckernel|sfpi|cmath_common)|TTI_|vFloat')),
    ("tt-metal's firmware (mailboxes, streams, dispatch)", re.compile(r"mailboxes_t|dev_msgs|\bSTREAM_|NOC_CMD_|\bcq_|\bCQ_|go_msg|watcher")),
)


NEWER_COMPILER = "a newer compiler (template arguments in `#pragma GCC unroll`)"
# Files that need these could run on the tiles of a chip: they count among those that should compile.
ON_TILES = ("the layer below (SFPI, `llk_*`, instructions)", NEWER_COMPILER)


def reason(compiler, file, error):
    if "GCC unroll" in error:
        return NEWER_COMPILER
    text = file + compiler.text(os.path.join(compiler.tree, file), set())
    return next((name for name, names in LEFT_OUT if names.search(text)), None) or "other: " + kind(error)


def summary(compiler, results):
    good = sum(good for _, (good, _) in results)
    reasons = [reason(compiler, file, error) for file, (good, error) in results if not good]
    elsewhere = sum(not key.startswith("other") and key not in ON_TILES for key in reasons)
    wanted = len(results) - elsewhere
    return (f"{good} of the {wanted} files that need nothing but the tiles of a chip compile ({100 * good / max(wanted, 1):.0f} %). "
            f"{elsewhere} need other chips, hosts, other cores or tt-metal's firmware.")


def group(file):
    parts = file.split("/")
    return "/".join(parts[:2]) if parts[0] in ("tt_metal", "tests") else parts[0]


def page(name, compiler, results):
    """The part of the page between its two marks."""
    lines = ["", f"{name}: {len(results)} files, of which {sum(good for _, (good, _) in results)} compile.",
             *textwrap.wrap(summary(compiler, results), 110), "",
             "| files of | number | compile |", "|---|---|---|"]
    groups = collections.defaultdict(lambda: [0, 0])
    for file, (good, _) in results:
        groups[group(file)][0] += 1
        groups[group(file)][1] += good
    lines += [f"| `{key}` | {number} | {good} |" for key, (number, good) in sorted(groups.items())]
    reasons = collections.defaultdict(list)
    for file, (good, error) in results:
        if not good:
            reasons[reason(compiler, file, error)].append(file)
    lines += ["", "| what the others need | files |", "|---|---|"]
    named = [(key, files) for key, files in sorted(reasons.items(), key=lambda item: -len(item[1])) if key[:5] != "other"]
    others = [(key[7:], file) for key, files in sorted(reasons.items()) if key[:5] == "other" for file in files]
    lines += [f"| {key} | {len(files)} |" for key, files in named] + [f"| other things | {len(others)} |"]
    lines += ["", "Files that need other things, with the first error:", "", "```"]
    lines += [f"{file}\n    {error}" for error, file in sorted(others, key=lambda item: item[1])] + ["```", ""]
    return "\n".join(lines)


def write_page(path, text):
    with open(path, encoding="utf-8") as file:
        old = file.read()
    begin, end = "<!-- kernels: tests/compat/tt_kernels.py --write-docs -->\n", "<!-- end of kernels -->"
    if begin not in old or end not in old:
        sys.exit(f"tt_kernels.py: no place for the tables in {path}")
    with open(path, "w", encoding="utf-8") as file:
        file.write(old[:old.index(begin)] + begin + text + old[old.index(end):])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree")
    parser.add_argument("--build", default=os.path.join(SOURCE, "build"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--every", type=int, default=1, help="compile every Nth kernel only")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--list")
    parser.add_argument("--write-docs")
    parser.add_argument("--name", default="The tree")
    args = parser.parse_args()
    tree = os.path.abspath(args.tree)
    files = [f for f in kernels(tree) if not args.only or any(o in f for o in args.only)]
    files = files[::args.every]
    if not files:
        sys.exit(f"tt_kernels.py: no kernels in {args.tree}")
    compiler = Compiler(tree, args.build, args.quick)
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        results = list(zip(files, pool.map(compiler.compile, files)))
    shutil.rmtree(compiler.folder)
    missing = collections.Counter(kind(error) for _, (good, error) in results if not good)
    for what, count in missing.most_common(60):
        print(f"{count:5} {what}")
    print(summary(compiler, results))
    print(f"{sum(good for _, (good, _) in results)} of {len(results)} kernels compile")
    if args.list:
        with open(args.list, "w", encoding="utf-8") as out:
            for file, (good, error) in results:
                out.write(f"{'yes' if good else 'no'}\t{file}\t{error}\n")
    if args.write_docs:
        write_page(args.write_docs, page(args.name, compiler, results))


if __name__ == "__main__":
    main()
