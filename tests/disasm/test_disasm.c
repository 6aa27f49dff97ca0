/* What instructions do: kinds and targets; and what becomes of bytes that are no instructions. */
#include "host/disasm/costs.h"
#include "host/disasm/registers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

struct expected {
    enum td_code_arch arch;
    uint64_t address;
    uint8_t code[8], length;
    enum td_insn_kind kind;
    uint64_t target; /* 0: none */
    const char *mnemonic, *operands;
};

/* False: this build has no library for the architecture. */
static bool decode(const struct expected *e, struct td_disasm **d, struct td_insn *insn)
{
    *d = td_disasm_open(&(struct td_disasm_options){.arch = e->arch, .compressed = e->length == 2}, NULL);
    assert_non_null(*d);
    if (td_disasm_missing(*d))
        return false;
    td_disasm_next(*d, e->code, e->length, e->address, insn);
    return true;
}

static void jumps_and_calls_have_kinds_and_targets(void **state)
{
    static const struct expected all[] = {
        {TD_CODE_X64, 0x1000, {0xe8, 0xfb, 0x0f, 0, 0}, 5, TD_INSN_CALL, 0x2000, "call", "0x2000"},
        {TD_CODE_X64, 0x1000, {0xeb, 0xfe}, 2, TD_INSN_JUMP, 0x1000, "jmp", "0x1000"},
        {TD_CODE_X64, 0x1000, {0x74, 0x10}, 2, TD_INSN_BRANCH, 0x1012, "je", "0x1012"},
        {TD_CODE_X64, 0x1000, {0xc3}, 1, TD_INSN_RETURN, 0, "ret", ""},
        {TD_CODE_X64, 0x1000, {0xff, 0xd0}, 2, TD_INSN_CALL, 0, "call", "rax"},
        {TD_CODE_X64, 0x1000, {0x90}, 1, TD_INSN_PLAIN, 0, "nop", ""},
        {TD_CODE_ARM64, 0x1000, {0x02, 0, 0, 0x94}, 4, TD_INSN_CALL, 0x1008, "bl", "#0x1008"},
        {TD_CODE_ARM64, 0x1000, {0xff, 0xff, 0xff, 0x17}, 4, TD_INSN_JUMP, 0xffc, "b", "#0xffc"},
        {TD_CODE_ARM64, 0x1000, {0x41, 0, 0, 0x54}, 4, TD_INSN_BRANCH, 0x1008, "b.ne", "#0x1008"},
        {TD_CODE_ARM64, 0x1000, {0x40, 0, 0, 0xb4}, 4, TD_INSN_BRANCH, 0x1008, "cbz", "x0, #0x1008"},
        {TD_CODE_ARM64, 0x1000, {0xc0, 0x03, 0x5f, 0xd6}, 4, TD_INSN_RETURN, 0, "ret", ""},
        {TD_CODE_RISCV32, 0x1000, {0xef, 0, 0, 0x01}, 4, TD_INSN_CALL, 0x1010, "jal", "0x1010"},
        {TD_CODE_RISCV32, 0x1000, {0x6f, 0xf0, 0xdf, 0xff}, 4, TD_INSN_JUMP, 0xffc, "j", "0xffc"},
        {TD_CODE_RISCV32, 0x1000, {0xe3, 0x18, 0xb5, 0xfe}, 4, TD_INSN_BRANCH, 0xff0, "bne", "a0, a1, 0xff0"},
        {TD_CODE_RISCV32, 0x1000, {0x67, 0x80, 0, 0}, 4, TD_INSN_RETURN, 0, "ret", ""},
        {TD_CODE_RISCV32, 0x1000, {0x13, 0x05, 0x15, 0}, 4, TD_INSN_PLAIN, 0, "addi", "a0, a0, 1"},
        {TD_CODE_RISCV64, 0x1000, {0x01, 0xa0}, 2, TD_INSN_JUMP, 0x1000, "j", "0x1000"},
        {TD_CODE_RISCV64, 0x1000, {0x82, 0x80}, 2, TD_INSN_RETURN, 0, "ret", ""},
        {TD_CODE_RISCV64, 0x1000, {0x01, 0xc5}, 2, TD_INSN_BRANCH, 0x1008, "beqz", "a0, 0x1008"},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct td_disasm *d;
        struct td_insn insn;
        if (decode(&all[i], &d, &insn)) {
            assert_string_equal(insn.mnemonic, all[i].mnemonic);
            assert_string_equal(insn.operands, all[i].operands);
            assert_int_equal(insn.kind, all[i].kind);
            assert_int_equal(insn.length, all[i].length);
            assert_int_equal(insn.has_target, all[i].target != 0);
            assert_int_equal(insn.target, all[i].target);
        }
        td_disasm_close(d);
    }
}

static void bytes_that_are_no_instruction_are_shown_as_numbers(void **state)
{
    static const struct {
        struct expected e;
        const char *mnemonic, *operands;
        unsigned length;
    } all[] = {
        {{TD_CODE_X64, 0, {0x06, 0x90}, 2, 0, 0, NULL, NULL}, ".byte", "0x06", 1},
        {{TD_CODE_ARM64, 0, {0xff, 0xff, 0xff, 0xff}, 4, 0, 0, NULL, NULL}, ".word", "0xffffffff", 4},
        {{TD_CODE_ARM64, 0, {0x20, 0x00, 0x02}, 3, 0, 0, NULL, NULL}, ".short", "0x0020", 2},
        {{TD_CODE_RISCV32, 0, {0xff, 0xff, 0xff, 0xff}, 4, 0, 0, NULL, NULL}, ".word", "0xffffffff", 4},
        {{TD_CODE_RISCV32, 0, {0, 0, 0, 0}, 4, 0, 0, NULL, NULL}, ".word", "0x00000000", 4},
        {{TD_CODE_RISCV32, 0, {0x13}, 1, 0, 0, NULL, NULL}, ".byte", "0x13", 1},
        {{TD_CODE_UNKNOWN, 0, {0x90}, 1, 0, 0, NULL, NULL}, ".byte", "0x90", 1},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct td_disasm *d;
        struct td_insn insn;
        if (!decode(&all[i].e, &d, &insn))
            td_disasm_next(d, all[i].e.code, all[i].e.length, 0, &insn); /* all is shown so */
        assert_string_equal(insn.mnemonic, all[i].mnemonic);
        assert_string_equal(insn.operands, all[i].operands);
        assert_int_equal(insn.length, all[i].length);
        assert_int_equal(insn.kind, TD_INSN_BYTES);
        if (all[i].e.arch == TD_CODE_UNKNOWN)
            assert_non_null(td_disasm_missing(d));
        td_disasm_close(d);
    }
}

static bool has_models(void)
{
    struct td_insn_cost cost;
    struct td_err err = {0};
    const int rc = td_insn_costs_find(TD_CODE_X64, "skylake", (const uint8_t[]){0x90}, 1, 0, &cost, 1, &err);
    if (rc == TD_E_NOTFOUND)
        print_message("skipped: %s\n", err.text);
    return rc != TD_E_NOTFOUND;
}

/* Figures that Intel and ARM publish for these instructions, too. */
static void instructions_have_costs(void **state)
{
    static const uint8_t x64[] = {0x48, 0x0f, 0xaf, 0xd8,         /* imul rbx, rax */
                                  0x06,                           /* none in this mode */
                                  0xf2, 0x0f, 0x5e, 0xc1,         /* divsd xmm0, xmm1 */
                                  0x48, 0x01, 0xd8,               /* add rax, rbx */
                                  0xeb, 0xfe},                    /* jmp to itself */
        arm[] = {0x00, 0x04, 0x00, 0x91, 0x01, 0x7c, 0x01, 0x9b}; /* add x0, x0, #1; mul x1, x0, x1 */
    struct td_insn_cost costs[5];
    struct td_err err = {0};
    if (!has_models())
        skip();
    assert_int_equal(td_insn_costs_find(TD_CODE_X64, "skylake", x64, sizeof x64, 0x401000, costs, 5, &err),
                     0);
    assert_true(costs[0].known && costs[0].latency_cycles == 3 && costs[0].uops == 1);
    assert_true(costs[0].throughput_cycles == 1);
    assert_false(costs[1].known);
    assert_true(costs[2].known && costs[2].latency_cycles >= 13 && costs[2].latency_cycles <= 14);
    assert_true(costs[3].known && costs[3].latency_cycles == 1 && costs[3].throughput_cycles == 0.25);
    assert_true(costs[4].known);
    assert_int_equal(td_insn_costs_find(TD_CODE_ARM64, "cortex-a57", arm, sizeof arm, 0, costs, 2, &err), 0);
    assert_true(costs[0].known && costs[0].latency_cycles == 1);
    assert_true(costs[1].known && costs[1].latency_cycles == 5);
}

static void processors_without_a_model_are_refused(void **state)
{
    static const struct {
        enum td_code_arch arch;
        const char *processor, *text;
        int code;
    } all[] = {{TD_CODE_X64, "no-such", "no x86-64 processor 'no-such'", TD_E_USAGE},
               {TD_CODE_X64, "i386", "no costs", TD_E_NOTFOUND},
               {TD_CODE_X64, "help", "no name", TD_E_USAGE},
               {TD_CODE_X64, "a --b", "no name", TD_E_USAGE},
               {TD_CODE_X64, "", "no name", TD_E_USAGE},
               {TD_CODE_RISCV32, "skylake", "no costs", TD_E_NOTFOUND}};
    const uint8_t nop[] = {0x90};
    if (!has_models())
        skip();
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct td_insn_cost cost;
        struct td_err err = {0};
        assert_int_equal(td_insn_costs_find(all[i].arch, all[i].processor, nop, 1, 0, &cost, 1, &err),
                         all[i].code);
        assert_non_null(strstr(err.text, all[i].text));
        assert_false(cost.known);
    }
}

static void both_notations_of_x86_are_there(void **state)
{
    static const uint8_t code[] = {0x8b, 0x45, 0xfc};
    for (int att = 0; att < 2; att++) {
        struct td_insn insn;
        struct td_disasm *d =
            td_disasm_open(&(struct td_disasm_options){.arch = TD_CODE_X64, .att = att}, NULL);
        assert_non_null(d);
        td_disasm_next(d, code, sizeof code, 0, &insn);
        assert_string_equal(insn.operands, att ? "-4(%rbp), %eax" : "eax, dword ptr [rbp - 4]");
        td_disasm_close(d);
    }
}

static void list_registers(enum td_code_arch arch, const struct td_registers *set, char text[200])
{
    char room[TD_REGISTER_BYTES];
    size_t used = 0;
    text[0] = 0;
    for (unsigned n = 0; n < TD_REGISTERS && used < 150; n++)
        if (td_registers_have(set, n))
            used += (size_t)sprintf(text + used, "%s%s", used ? " " : "", td_register_name(arch, n, room));
}

static void instructions_read_and_write_registers(void **state)
{
    static const struct {
        enum td_code_arch arch;
        uint8_t code[8], length;
        const char *reads, *writes; /* of a call, the first of them */
    } all[] = {
        {TD_CODE_X64, {0x48, 0x01, 0xd8}, 3, "rax rbx", "rax flags"},
        {TD_CODE_X64, {0x89, 0x04, 0x8f}, 3, "rax rcx rdi", ""}, /* mov [rdi + rcx * 4], eax */
        {TD_CODE_X64, {0x45, 0x6b, 0xc1, 0x05}, 4, "r9", "r8 flags"},
        {TD_CODE_X64, {0xc4, 0xe2, 0xf5, 0xa8, 0xc2}, 5, "xmm0 xmm1 xmm2", "xmm0"},
        {TD_CODE_X64, {0x75, 0xfe}, 2, "flags", ""},
        {TD_CODE_X64, {0xe8, 0, 0, 0, 0}, 5, "rsp", "rax rcx rdx rsp rsi rdi r8 r9 r10 r11 flags"},
        {TD_CODE_X86, {0x01, 0xd8}, 2, "eax ebx", "eax flags"},
        {TD_CODE_ARM64, {0x3f, 0x00, 0x02, 0xeb}, 4, "x1 x2", "flags"},
        {TD_CODE_ARM64, {0xc5, 0x04, 0x00, 0xf9}, 4, "x5 x6", ""}, /* str x5, [x6, #8] */
        {TD_CODE_ARM64, {0x20, 0x0c, 0x42, 0x1f}, 4, "v1 v2 v3", "v0"},
        {TD_CODE_ARM32, {0x02, 0x00, 0x81, 0xe0}, 4, "r1 r2", "r0"},
        {TD_CODE_RISCV32, {0x33, 0x85, 0xc5, 0x00}, 4, "a1 a2", "a0"},
        {TD_CODE_RISCV32, {0x23, 0x22, 0xa1, 0x00}, 4, "sp a0", ""},
        {TD_CODE_RISCV32, {0x63, 0x00, 0x05, 0x00}, 4, "a0", ""},
        {TD_CODE_RISCV32, {0x43, 0xf5, 0xc5, 0x68}, 4, "fa1 fa2 fa3", "fa0"},
        {TD_CODE_RISCV32, {0xd3, 0xa5, 0xc5, 0xa0}, 4, "fa1 fa2", "a1"}, /* feq.s */
        {TD_CODE_RISCV32, {0x67, 0x80, 0, 0}, 4, "ra", ""},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const struct td_disasm_options options = {.arch = all[i].arch};
        struct td_disasm *d = td_disasm_open(&options, NULL);
        struct td_insn_registers r;
        char reads[200], writes[200];
        assert_non_null(d);
        if (!td_disasm_missing(d)) {
            assert_true(td_disasm_registers(d, all[i].code, all[i].length, 0x1000, &r));
            list_registers(all[i].arch, &r.reads, reads);
            list_registers(all[i].arch, &r.writes, writes);
            assert_string_equal(reads, all[i].reads);
            assert_true(!strncmp(writes, all[i].writes, strlen(all[i].writes)));
            assert_true(*all[i].writes || !*writes);
        }
        td_disasm_close(d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jumps_and_calls_have_kinds_and_targets),
        cmocka_unit_test(bytes_that_are_no_instruction_are_shown_as_numbers),
        cmocka_unit_test(instructions_have_costs),
        cmocka_unit_test(processors_without_a_model_are_refused),
        cmocka_unit_test(both_notations_of_x86_are_there),
        cmocka_unit_test(instructions_read_and_write_registers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
