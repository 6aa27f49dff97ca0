/* Disassembles functions for test_objdump.py. Arguments: ARCH att|intel [compressed]. Each line of the input is
 * an address and the function's bytes, in hexadecimal. Each instruction becomes a line: address, length,
 * mnemonic and operands. After a function comes an empty line. */
#include "host/disasm/disasm.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t read_bytes(const char *text, uint8_t *code, size_t room)
{
    size_t n = 0;
    unsigned byte;
    for (; n < room && sscanf(text + 2 * n, "%2x", &byte) == 1; n++)
        code[n] = (uint8_t)byte;
    return n;
}

int main(int argc, char **argv)
{
    static char line[1 << 20], text[1 << 20];
    static uint8_t code[1 << 19];
    struct td_err err = {0};
    if (argc < 3)
        return 2;
    enum td_code_arch arch = TD_CODE_ARCHS;
    while (--arch > TD_CODE_UNKNOWN && strcmp(td_code_arch_name(arch), argv[1]))
        ;
    struct td_disasm *d = td_disasm_open(
        &(struct td_disasm_options){.arch = arch, .att = !strcmp(argv[2], "att"), .compressed = argc > 3},
        &err);
    if (!d || td_disasm_missing(d)) {
        fprintf(stderr, "%s\n", d ? td_disasm_missing(d) : err.text);
        td_disasm_close(d);
        return 77;
    }
    while (fgets(line, sizeof line, stdin)) {
        uint64_t address;
        struct td_insn insn;
        if (sscanf(line, "%" SCNx64 " %1048575s", &address, text) != 2)
            break;
        size_t bytes = read_bytes(text, code, sizeof code);
        for (size_t at = 0; at < bytes; at += insn.length) {
            td_disasm_next(d, code + at, bytes - at, address + at, &insn);
            printf("%" PRIx64 " %u %s %s\n", insn.address, insn.length, insn.mnemonic, insn.operands);
        }
        putchar('\n');
    }
    td_disasm_close(d);
    return 0;
}
