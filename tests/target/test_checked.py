#!/usr/bin/env python3
"""Markers that are wrong do not compile: one error, at their line, in C and in C++; the rest compiles with all warnings."""
import json
import os
import re
import subprocess
import sys
import tempfile

SOURCE = os.environ["TD_SOURCE_DIR"]
NEWLIB = os.environ["TD_NEWLIB"]
BUILD = os.environ["TD_BINARY_DIR"]
TENDRIL = os.path.join(BUILD, "bin", "tendril")
ARCH = ["-march=rv32im", "-mabi=ilp32", "-ffixed-tp", "-DTD_PROFILE", f"-I{SOURCE}/target/include", f"-I{SOURCE}",
        "-isystem", f"{NEWLIB}/include"]
LANGUAGES = {
    "c": ["riscv64-unknown-elf-gcc", "-std=gnu11"],
    "cpp": ["riscv64-unknown-elf-g++", "-std=gnu++17", "-fno-exceptions", "-fno-rtti",
            "-isystem", f"{SOURCE}/target/include/cxx"],
}
HEAD = """#include "tendril/tendril.h"
#include <stdio.h>
struct bits { unsigned b : 3; int whole; };
const char *const text = "text";
"""
FUNCTION = "int f%d(int x, uint32_t u, long long wide, struct bits *bits, volatile uint32_t *reg)\n{\n"
TAIL = "\n    return (int)(u + *reg + (uint32_t)bits->whole + (uint32_t)wide + (uint32_t)x);\n}\n"

# (what, statement, a part of the error)
WRONG = [
    ("a number for %s", 'TD_LOG("%s", 42);', "%s"),
    ("too few arguments", 'TD_LOG("%d %d", 1);', "%d"),
    ("too many arguments", 'TD_LOG("%d", 1, 2);', "too many arguments"),
    ("an argument without a conversion", 'TD_LOG("none", 1);', "too many arguments"),
    ("a float for %d", 'TD_LOG("%d", 1.5);', "%d"),
    ("a pointer for %u", 'ZoneText("%u", text);', "%u"),
    ("an unknown conversion", 'TD_LOG("%y");', "unknown conversion"),
    ("nine arguments", 'TD_LOG("%d%d%d%d%d%d%d%d%d", 1, 2, 3, 4, 5, 6, 7, 8, 9);', "more than 8 arguments"),
    ("twelve arguments of a text", 'ZoneText("x", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);', "more than 8 arguments"),
    ("a 64-bit argument", 'TD_LOG("%lld", wide);', "32 bits wide"),
    ("a format in a variable", "TD_LOG(text);", "string literal"),
    ("a zone's name in a variable", "ZoneScopedN(text);", "string literal"),
    ("a span's name in a variable", "TD_ZONE_BEGIN(span, text); TD_ZONE_END(span);", "string literal"),
    ("a plot's name in a variable", "TD_PLOT_INT(text, 1);", "string literal"),
    ("a flow's name in a variable", "TD_FLOW_OUT(text, 1);", "string literal"),
    ("a wide literal", 'ZoneScopedN(L"wide");', "string literal"),
    ("a raw string", 'ZoneScopedN(R"(raw)");', "string literal"),
    ("a character by its number", 'ZoneScopedN("caf\\u00e9");', "escape sequence"),
    ("a case after a zone", 'switch (x) { case 0:; ZoneScopedN("zone"); u = 2; break; case 1: u = 3; }', None),
    ("a goto past a zone", 'if (x) goto past; ZoneScopedN("zone"); u = 2; past: u++;', None),
]
RIGHT = """
    ZoneScoped;
    ZoneScopedN("\\303\\251 \\"quoted\\" 100% \\\\u00e9 \\x41" "joined");
    TD_LOG("");
    TD_LOG("%d %u %x %lu", x, 7u, u & 1u ? 1u : 2u, (unsigned long)u);
    TD_LOG("value %u of %d: level %x", u, u, *reg);
    TD_LOG("%lu %08lx", u, u);
    TD_LOG("%d %s %c %hhd %f %p", bits->b, text, 'x', (signed char)1, 1.5f, (void *)bits);
    TD_LOG("%d %d %d %d %d %d %d %d", 1, 2, 3, 4, 5, 6, 7, 8);
    ZoneText("%-5d|%5.2f|%%", x, 2.0);
again:
    switch (x) {
    case 0: {
        ZoneScopedN("in a case");
        u++;
        break;
    }
    case 1:
        TD_LOG("one");
    }
    {
        TD_WAIT("left by goto");
        if (*reg)
            goto again;
    }
    (void)wide;
"""


def compile_source(folder, language, bodies, flags):
    """The status, the messages, and the line at which each of the functions' bodies begins."""
    text, lines = HEAD, []
    for number, body in enumerate(bodies):
        text += FUNCTION % number
        lines.append(text.count("\n") + 1)
        text += body + TAIL
    path = os.path.join(folder, "kernel." + language)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    run = subprocess.run([*LANGUAGES[language], *ARCH, *flags, "-c", path, "-o", os.path.join(folder, "kernel.o")],
                         capture_output=True, text=True, check=False)
    return run.returncode, run.stderr, lines


def errors_in(output):
    return re.split(r"\n(?=[^\n]*[eE]rror:)", "\n" + output)[1:]


def errors_at(output, language, line):
    """The errors of a line, each with its notes, which name the line where the error is in a macro of a header."""
    return [error for error in errors_in(output) if f"kernel.{language}:{line}:" in error]


def check_wrong(folder, language, flags):
    """All in one file; what is no error there, since the optimizer or the assembler finds it, once more alone."""
    wrong = 0
    _, together, lines = compile_source(folder, language, [statement for _, statement, _ in WRONG], flags)
    for (what, statement, part), line in zip(WRONG, lines):
        errors, output = errors_at(together, language, line), together
        if not errors:
            _, output, alone = compile_source(folder, language, [statement], flags)
            errors = errors_in(output) if f"kernel.{language}:{alone[0]}:" in output else []
        if not errors or (part and (len(errors) != 1 or part not in errors[0])):
            wrong += 1
            print(f"{language} {' '.join(flags)}: {what}: {statement}: expected one error with '{part}':\n{output}")
    return wrong


def link(folder, zones, *flags):
    """Links a kernel of many zones; its status, the linker's last line, the image's path."""
    source, image = os.path.join(folder, "many.c"), os.path.join(folder, "many.elf")
    with open(source, "w", encoding="utf-8") as f:
        f.write('#include "tendril/tendril.h"\nint main(void)\n{\n')
        f.writelines(f'    {{ ZoneScopedN("zone {i}"); }}\n' for i in range(zones))
        f.write("    return 0;\n}\n")
    lib = os.path.join(BUILD, "lib", "device")
    subprocess.run([*LANGUAGES["c"], *ARCH, "-O1", "-ffunction-sections", *flags, "-c", source, "-o", source + ".o"], check=True)
    run = subprocess.run([os.path.join(SOURCE, "toolchains", "link-kernel.sh"), LANGUAGES["c"][0], "-march=rv32im", "-mabi=ilp32",
                          "-nostdlib", "-nostartfiles", "-Wl,--gc-sections", "-Wl,--build-id=sha1", "-Wl,--no-warn-rwx-segments",
                          f"-L{SOURCE}/ld", f"-L{SOURCE}/ld/local", f"-T{BUILD}/ld/BRISC.ld", f"{lib}/crt0.o", source + ".o", "-Wl,--start-group",
                          f"{lib}/libtendril_rt.a", f"{NEWLIB}/lib/libc.a", "-lgcc", "-Wl,--end-group", "-o", image],
                         capture_output=True, text=True, check=False, env=dict(os.environ, TENDRIL=TENDRIL))
    return run.returncode, (run.stderr.splitlines() or [""])[-1], image


def check_advice(folder):
    """What the message about an image that is too large says is true of the image that fits."""
    if not os.path.exists(TENDRIL):
        print("without the program tendril: the message about images that do not fit is not checked")
        return 0
    zones = 1500
    status, line, image = link(folder, zones)
    found = re.search(r"the kernel's (\d+) markers take (\d+) bytes .* TD_TINY .* would save about (\d+)$", line)
    tiny_status, _, _ = link(folder, zones, "-DTD_TINY")
    size = subprocess.run([TENDRIL, "size", "--json", image], capture_output=True, text=True, check=False).stdout
    left = json.loads(size)[0]["marker_bytes"] if tiny_status == 0 else 0
    if status and found and int(found[1]) == zones + 1 and abs(int(found[2]) - int(found[3]) - left) < 0.02 * int(found[2]):
        return 0
    print(f"an image that is too large: status {status}, {line}; with TD_TINY: status {tiny_status}, {left} bytes")
    return 1


def main():
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for language in LANGUAGES:
            wrong += check_wrong(folder, language, ["-O2"])
            for flags in (["-O0"], ["-O2", "-Wall", "-Wextra", "-Werror", "-Wno-unused-label"],
                          ["-Os", "-flto", "-Wall", "-Wextra", "-Werror"]):
                status, output, _ = compile_source(folder, language, [RIGHT], flags)
                if status or output:
                    wrong += 1
                    print(f"{language} {' '.join(flags)}: correct markers do not compile silently:\n{output}")
        wrong += check_advice(folder)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
