#!/usr/bin/env python3
"""Markers that are wrong do not compile: one error, at their line, in C and in C++; the rest compiles with all warnings."""
import os
import subprocess
import sys
import tempfile

SOURCE = os.environ["TD_SOURCE_DIR"]
NEWLIB = os.environ["TD_NEWLIB"]
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
int f(int x, uint32_t u, long long wide, struct bits *bits, volatile uint32_t *reg)
{
"""
LINE = HEAD.count("\n") + 1
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


def compile_source(folder, language, body, flags):
    path = os.path.join(folder, "kernel." + language)
    with open(path, "w", encoding="utf-8") as f:
        f.write(HEAD + body + TAIL)
    run = subprocess.run([*LANGUAGES[language], *ARCH, *flags, "-c", path, "-o", os.path.join(folder, "kernel.o")],
                         capture_output=True, text=True, check=False)
    return run.returncode, run.stderr


def check_wrong(folder, language, flags, what, statement, part):
    status, output = compile_source(folder, language, statement, flags)
    errors = [line for line in output.splitlines() if "error:" in line or "Error:" in line]
    at = f"kernel.{language}:{LINE}:"
    wrong = (status == 0 or not errors or bool(part and part not in output)
             or bool(part and len(errors) != 1) or at not in output)
    if wrong:
        print(f"{language} {' '.join(flags)}: {what}: {statement}: status {status}, expected one error with '{part}' "
              f"at line {LINE}:\n{output}")
    return wrong


def main():
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for language in LANGUAGES:
            for case in WRONG:
                wrong += check_wrong(folder, language, ["-O2"], *case)
            for flags in (["-O0"], ["-O2", "-Wall", "-Wextra", "-Werror", "-Wno-unused-label"],
                          ["-Os", "-flto", "-Wall", "-Wextra", "-Werror"]):
                status, output = compile_source(folder, language, RIGHT, flags)
                if status or output:
                    wrong += 1
                    print(f"{language} {' '.join(flags)}: correct markers do not compile silently:\n{output}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
