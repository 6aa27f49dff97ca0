#!/usr/bin/env python3
"""The disassembly of whole functions equals that of objdump, up to notation.

The functions are those of code.c, compiled for each processor for which there is a compiler, and kernels of the
examples. Notation that may differ: spaces, case, hexadecimal and decimal numbers, signs of 64-bit numbers,
zero distances, prefixes without effect, and what SAME lists.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
BINARY = os.environ["TD_BINARY_DIR"]
LEAST = 20  # functions of each kind

HEAD = re.compile(r"^([0-9a-f]+) <([^>]+)>:$")
LINE = re.compile(r"^\s*([0-9a-f]+):\t([0-9a-f ]+?)\s*(?:\t(.*))?$")


def run(command, **more):
    return subprocess.run(command, check=True, capture_output=True, text=True, **more).stdout


def functions_of(objdump, path, options):
    """[(name, address, bytes, [(address, text)])] of an ELF, as objdump decodes it."""
    found, lines = [], []
    for line in run([objdump, "-d", "-z", "-w", *options, path]).splitlines():
        head = HEAD.match(line)
        if head:
            lines = []
            found.append([head.group(2), int(head.group(1), 16), "", lines])
            continue
        code = LINE.match(line)
        if code and found and not (code.group(3) or ".").startswith("."):  # bytes between functions: in other pieces
            groups = code.group(2).split()
            # Words of fixed length are printed as numbers, other code byte by byte.
            found[-1][2] += "".join("".join(reversed(re.findall("..", g))) for g in groups)
            lines.append((int(code.group(1), 16), code.group(3) or ""))
    return [f for f in found if f[3]]


def ours(arch, syntax, functions, compressed):
    text = "".join(f"{address:x} {code}\n" for _, address, code, _ in functions)
    command = [os.path.join(BINARY, "tests/print_code"), arch, syntax] + (["c"] if compressed else [])
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    if done.returncode == 77:
        print(f"skipped: {arch}: {done.stderr.strip()}")
        return None
    done.check_returncode()
    result = []
    for part in done.stdout.split("\n\n")[:-1]:
        lines = [line.split(" ", 2) for line in part.splitlines()]
        result.append([(int(line[0], 16), line[2]) for line in lines])
    return result


# Texts that mean the same: ours -> objdump's, of a line without spaces after commas and with decimal numbers.
SAME = {
    "x86-64": [
        (r"\*1\b", ""), (r"\+0\]", "]"), (r"(?<=[ ,*:])0\((?!\))", "("), (r",1\)", ")"), (r"^movabs", "mov"),
        (r"^xchg[wl]? %?ax,%?ax$", "nop"), (r"^(data16 |cs )+", ""), (r"(?<=[ ,])%?cs:|(?<=ptr)cs:", ""),
        (r"^nop $", "nop"), (r"^(ret|leave)q$", r"\1"), (r"^notrack ", ""),
        (r"^jmpq (\d)", r"jmp \1"), (r"^(s[ah][lr])([bwlq]) (%\w+)$", r"\1\2 $1,\3"), (r"^bswap[lq]", "bswap"),
    ],
    "aarch64": [(r"^(fmov .*,)([\d.e+]+)$", lambda m: m.group(1) + str(float(m.group(2)))), (r"^movz ", "mov "),
                (r"^movn (\w)(\d+),(\d+)$", lambda m: inverted(*m.groups()))],
    "riscv": [(r"^(add|and|or|xor|sll|srl|sra)(w?) (.*,\d+)$", r"\1i\2 \3"),
              (r"^zext\.b (\w+),(\w+)$", r"andi \1,\2,255")],
}
PREFIXES = ("rep", "repz", "repe", "repnz", "repne", "lock", "notrack", "bnd", "cs", "data16")
JUMPS = re.compile(r"^((notrack|bnd|data16|cs) )*(j|call|b$|b[. ]|bl$|c\.j|jal|b[egln]|cb|tb|adrp?$)")
NUMBER = re.compile(r"(?<![\w.%])(-?)(0x[0-9a-f]+|\d+)\b")


def inverted(size, register, value):
    return f"mov {size}{register},{~int(value) % (1 << (32 if size == 'w' else 64))}"


def number(match):
    value = int(match.group(2), 0) * (-1 if match.group(1) else 1)
    return str(value % (1 << 64))


def normal(arch, text):
    text = text.lower().replace("\t", " ")
    text = re.sub(r"\s*(#(?!-?\d|:)|//|;).*$", "", text)  # comments: addresses and constants in another form
    text = re.sub(r"\s*<[^>]*>", "", text).replace("#", "").strip()
    head, _, rest = text.partition(" ")
    while head.split(" ")[-1] in PREFIXES and rest:
        second, _, rest = rest.strip().partition(" ")
        head = f"{head} {second}"
    rest = rest.replace(" ", "")
    if JUMPS.match(head):  # objdump prints targets without 0x
        rest = re.sub(r"(^|,)([0-9a-f]+)$", r"\g<1>0x\2", rest)
    text = f"{head} {NUMBER.sub(number, rest)}"
    for pattern, to in SAME["riscv" if arch.startswith("riscv") else arch]:
        text = re.sub(pattern, to, text)
    return text.strip()


def compare(kind, arch, syntax, functions, compressed=False):
    made = ours(arch, syntax, functions, compressed)
    if made is None:
        return 0
    wrong = 0
    for (name, _, _, theirs), mine in zip(functions, made):
        for (at, want), (here, got) in zip(theirs, mine):
            if at != here or normal(arch, want) != normal(arch, got):
                wrong += 1
                if wrong <= 40:
                    print(f"{kind} {name} {at:x}: objdump '{want}', ours '{got}'"
                          f"   [{normal(arch, want)} | {normal(arch, got)}]")
        if len(theirs) != len(mine):
            print(f"{kind} {name}: {len(theirs)} instructions, ours {len(mine)}")
            wrong += 1
    if len(functions) < LEAST:
        print(f"{kind}: {len(functions)} functions, fewer than {LEAST}")
        wrong += 1
    print(f"{kind}: {len(functions)} functions, {sum(len(f[3]) for f in functions)} instructions, {wrong} differ")
    return wrong


def main():
    wrong = 0
    kinds = [
        ("x86-64 intel", "x86-64", "intel", "gcc", [], "objdump", ["-M", "intel"]),
        ("x86-64 AT&T", "x86-64", "att", "gcc", [], "objdump", ["-M", "suffix"]),
        ("x86-64 wide", "x86-64", "intel", "gcc", ["-mavx2", "-mbmi2", "-mfma", "-O3"], "objdump", ["-M", "intel"]),
        ("AArch64", "aarch64", "intel", "aarch64-linux-gnu-gcc", [], "aarch64-linux-gnu-objdump", []),
        ("RV32IM", "riscv32", "intel", "riscv64-unknown-elf-gcc", ["-march=rv32im", "-mabi=ilp32"],
         "riscv64-unknown-elf-objdump", []),
        ("RV64GC", "riscv64", "intel", "riscv64-unknown-elf-gcc", ["-march=rv64gc", "-mabi=lp64d"],
         "riscv64-unknown-elf-objdump", []),
    ]
    with tempfile.TemporaryDirectory() as folder:
        for kind, arch, syntax, compiler, flags, objdump, options in kinds:
            if not shutil.which(compiler) or not shutil.which(objdump):
                print(f"skipped: {kind}: no {compiler} or {objdump}")
                continue
            path = os.path.join(folder, "code.elf")
            run([compiler, "-O2", *flags, "-ffreestanding", "-fno-asynchronous-unwind-tables", "-nostdlib", "-static",
                 "-Wl,-e,add", "-o", path, os.path.join(HERE, "code.c"), "-lgcc"])
            wrong += compare(kind, arch, syntax, functions_of(objdump, path, options), arch == "riscv64")
        elf = os.path.join(BINARY, "examples/matmul/math.elf")
        if os.path.exists(elf) and shutil.which("riscv64-unknown-elf-objdump"):
            wrong += compare("kernel", "riscv32", "intel",
                             functions_of("riscv64-unknown-elf-objdump", elf, [])[:60])
    sys.exit(wrong != 0)


if __name__ == "__main__":
    main()
