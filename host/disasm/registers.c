/* Numbers and names of registers, and what a call changes. */
#include "host/disasm/disasm_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Numbers. x86: 16 general ones, flags, vectors, masks, x87's. AArch64: x0 to x30, sp, flags, vectors. ARM: r0 to r14,
 * flags, vectors of 64 bits. RISC-V: x0 to x31, f0 to f31. */
enum { X86_FLAGS = 16, X86_VECTORS, X86_MASKS = X86_VECTORS + 32, X86_FLOATS = X86_MASKS + 8 };
enum { ARM64_LINK = 30, ARM64_STACK, ARM64_FLAGS, ARM64_VECTORS };
enum { ARM32_LINK = 14, ARM32_FLAGS, ARM32_VECTORS };
enum { RISCV_FLOATS = 32 };

static const char *const x86_words[8] = {"ax", "cx", "dx", "bx", "sp", "bp", "si", "di"};
static const char *const riscv_whole[32] = {
    "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0",  "a1",  "a2", "a3", "a4", "a5",
    "a6",   "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6"};
static const char *const riscv_floats[32] = {"ft0", "ft1", "ft2",  "ft3",  "ft4", "ft5", "ft6",  "ft7",
                                             "fs0", "fs1", "fa0",  "fa1",  "fa2", "fa3", "fa4",  "fa5",
                                             "fa6", "fa7", "fs2",  "fs3",  "fs4", "fs5", "fs6",  "fs7",
                                             "fs8", "fs9", "fs10", "fs11", "ft8", "ft9", "ft10", "ft11"};

/* The number after the letters, below `most`; -1: there is none, or more than a number with an ending of `ends`. */
static int number_after(const char *name, const char *letters, int most, const char *ends)
{
    char *end;
    const size_t length = strlen(letters);
    if (strncmp(name, letters, length) != 0 || name[length] < '0' || name[length] > '9')
        return -1;
    const long number = strtol(name + length, &end, 10);
    if (*end && strchr(ends, *end))
        end++;
    return *end || number >= most ? -1 : (int)number;
}

static int x86_number(const char *name)
{
    int n;
    for (int i = 0; i < 8; i++) {
        const char *word = x86_words[i];
        const bool is_prefixed = name[0] == 'r' || name[0] == 'e';
        if (!strcmp(name + is_prefixed, word) ||
            (!strncmp(name, word, 2) && name[2] == 'l' && !name[3])) /* spl */
            return i;
        if (i < 4 && name[0] == word[0] && (name[1] == 'l' || name[1] == 'h') && !name[2])
            return i;
    }
    if ((n = number_after(name, "r", 16, "dwb")) >= 0)
        return n;
    if (strstr(name, "flags"))
        return X86_FLAGS;
    static const char *const vectors[] = {"xmm", "ymm", "zmm"};
    for (int i = 0; i < 3; i++)
        if ((n = number_after(name, vectors[i], 32, "")) >= 0)
            return X86_VECTORS + n;
    if ((n = number_after(name, "k", 8, "")) >= 0)
        return X86_MASKS + n;
    if ((n = number_after(name, "mm", 8, "")) >= 0 || (n = number_after(name, "st(", 8, ")")) >= 0)
        return X86_FLOATS + n;
    return -1;
}

static int arm64_number(const char *name)
{
    int n;
    if ((n = number_after(name, "x", 31, "")) >= 0 || (n = number_after(name, "w", 31, "")) >= 0)
        return n;
    if (!strcmp(name, "sp") || !strcmp(name, "wsp"))
        return ARM64_STACK;
    if (!strcmp(name, "fp") || !strcmp(name, "lr"))
        return ARM64_LINK - (name[0] == 'f');
    if (!strcmp(name, "nzcv"))
        return ARM64_FLAGS;
    const char letter[2] = {name[0]};
    return name[0] && strchr("vqdshb", name[0]) && (n = number_after(name, letter, 32, "")) >= 0
               ? ARM64_VECTORS + n
               : -1;
}

static int arm32_number(const char *name)
{
    static const char *const others[] = {"sb", "sl", "fp",  "ip",
                                         "sp", "lr", "cpsr"}; /* from r9 on, without pc */
    int n;
    if ((n = number_after(name, "r", 15, "")) >= 0)
        return n;
    for (int i = 0; i < 7; i++)
        if (!strcmp(name, others[i]))
            return 9 + i;
    if ((n = number_after(name, "d", 32, "")) >= 0 || (n = number_after(name, "s", 32, "")) >= 0)
        return ARM32_VECTORS + (name[0] == 's' ? n / 2 : n);
    return -1;
}

void td_registers_add_named(struct td_registers *set, enum td_code_arch arch, const char *name)
{
    const int wide = arch == TD_CODE_ARM32 ? number_after(name, "q", 16, "") : -1;
    const int n = wide >= 0                                    ? ARM32_VECTORS + 2 * wide
                  : arch == TD_CODE_X86 || arch == TD_CODE_X64 ? x86_number(name)
                  : arch == TD_CODE_ARM64                      ? arm64_number(name)
                  : arch == TD_CODE_ARM32                      ? arm32_number(name)
                                                               : -1;
    if (n >= 0)
        td_registers_add(set, (unsigned)n);
    if (wide >= 0)
        td_registers_add(set, (unsigned)n + 1);
}

static const char *name_x86(enum td_code_arch arch, unsigned n, char room[TD_REGISTER_BYTES])
{
    const char prefix = arch == TD_CODE_X64 ? 'r' : 'e';
    if (n < 8)
        snprintf(room, TD_REGISTER_BYTES, "%c%s", prefix, x86_words[n]);
    else if (n < X86_FLAGS)
        snprintf(room, TD_REGISTER_BYTES, "r%u", n & 15);
    else if (n == X86_FLAGS)
        snprintf(room, TD_REGISTER_BYTES, "flags");
    else if (n < X86_MASKS)
        snprintf(room, TD_REGISTER_BYTES, "xmm%u", (n - X86_VECTORS) & 31);
    else
        snprintf(room, TD_REGISTER_BYTES, "%s%u", n < X86_FLOATS ? "k" : "st", (n - X86_MASKS) & 7);
    return room;
}

const char *td_register_name(enum td_code_arch arch, unsigned n, char room[TD_REGISTER_BYTES])
{
    n &= TD_REGISTERS - 1;
    if (arch == TD_CODE_X86 || arch == TD_CODE_X64)
        return name_x86(arch, n, room);
    if (arch == TD_CODE_RISCV32 || arch == TD_CODE_RISCV64)
        snprintf(room, TD_REGISTER_BYTES, "%s", (n < RISCV_FLOATS ? riscv_whole : riscv_floats)[n & 31]);
    else if (arch == TD_CODE_ARM64 && n < ARM64_VECTORS && n > ARM64_LINK)
        snprintf(room, TD_REGISTER_BYTES, n == ARM64_STACK ? "sp" : "flags");
    else if (arch == TD_CODE_ARM64)
        snprintf(room, TD_REGISTER_BYTES, "%c%u", n < ARM64_VECTORS ? 'x' : 'v',
                 n < ARM64_VECTORS ? n : (n - ARM64_VECTORS) & 31);
    else if (n > 12 && n < ARM32_VECTORS)
        snprintf(room, TD_REGISTER_BYTES, n == ARM32_FLAGS ? "flags" : n == ARM32_LINK ? "lr" : "sp");
    else
        snprintf(room, TD_REGISTER_BYTES, "%c%u", n < ARM32_VECTORS ? 'r' : 'd',
                 n < ARM32_VECTORS ? n : (n - ARM32_VECTORS) & 31);
    return room;
}

static void add_range(struct td_registers *set, unsigned first, unsigned last)
{
    for (unsigned n = first; n <= last; n++)
        td_registers_add(set, n);
}

void td_registers_add_changed_by_call(struct td_registers *set, enum td_code_arch arch)
{
    switch (arch) {
    case TD_CODE_X86:
    case TD_CODE_X64:
        add_range(set, 0, 2);
        if (arch == TD_CODE_X64) {
            add_range(set, 6, 11);
            add_range(set, X86_VECTORS, X86_MASKS - 1);
        }
        td_registers_add(set, X86_FLAGS);
        break;
    case TD_CODE_ARM64: /* of v8 to v15 the lower halves are kept */
        add_range(set, 0, 18);
        add_range(set, ARM64_LINK, ARM64_LINK);
        add_range(set, ARM64_FLAGS, ARM64_VECTORS + 7);
        add_range(set, ARM64_VECTORS + 16, ARM64_VECTORS + 31);
        break;
    case TD_CODE_ARM32:
        add_range(set, 0, 3);
        td_registers_add(set, 12);
        add_range(set, ARM32_LINK, ARM32_VECTORS + 7);
        add_range(set, ARM32_VECTORS + 16, ARM32_VECTORS + 31);
        break;
    case TD_CODE_RISCV32:
    case TD_CODE_RISCV64:
        td_registers_add(set, 1);
        add_range(set, 5, 7);
        add_range(set, 10, 17);
        add_range(set, 28, RISCV_FLOATS + 7);
        add_range(set, RISCV_FLOATS + 10, RISCV_FLOATS + 17);
        add_range(set, RISCV_FLOATS + 28, RISCV_FLOATS + 31);
        break;
    default:
        break;
    }
}
