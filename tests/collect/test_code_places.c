/* Addresses of instructions and targets in machine code, of each architecture, and in bytes that are no code. */
#include "host/agent/client/code_places.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define AT 0x1000

static char seen[500];

static int note_place(void *self, uint64_t address)
{
    size_t n = strlen(seen);
    snprintf(seen + n, sizeof seen - n, "%llx ", (unsigned long long)address);
    return 0;
}

static int stop_at_second(void *self, uint64_t address)
{
    return ++*(int *)self == 2 ? -77 : 0;
}

static void instructions_and_direct_targets_are_found(void **state)
{
    static const struct {
        uint8_t arch, code[16];
        size_t bytes;
        const char *places;
    } cases[] = {
        /* push; call +0x10; jmp -2 (itself); call *rax; ret */
        {2,
         {0x55, 0xe8, 0x10, 0, 0, 0, 0xeb, 0xfe, 0xff, 0xd0, 0xc3},
         11,
         "1000 1001 1016 1006 1006 1008 100a "},
        /* inc eax is a prefix in 64-bit code */
        {1, {0x40, 0xc3}, 2, "1000 1001 "},
        /* bl +8; b.ne -4; ret */
        {4, {2, 0, 0, 0x94, 0xe1, 0xff, 0xff, 0x54, 0xc0, 3, 0x5f, 0xd6}, 12, "1000 1008 1004 1000 1008 "},
        /* bl +8 (from 8 further); bx lr */
        {3, {0, 0, 0, 0xeb, 0x1e, 0xff, 0x2f, 0xe1}, 8, "1000 1008 1004 "},
        /* an instruction that is cut off ends the code */
        {2, {0x90, 0xe8, 0x10}, 3, "1000 "},
        {0, {0x90}, 1, ""},
        {5, {0x90}, 1, ""},
        {255, {0x90}, 1, ""},
        {2, {0}, 0, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        seen[0] = 0;
        assert_int_equal(td_code_places(cases[i].arch, AT, cases[i].code, cases[i].bytes, note_place, NULL),
                         0);
        assert_string_equal(seen, cases[i].places);
    }
}

static void an_error_ends_it(void **state)
{
    int calls = 0;
    assert_int_equal(td_code_places(2, AT, (const uint8_t *)"\x90\x90\x90", 3, stop_at_second, &calls), -77);
    assert_int_equal(calls, 2);
}

static int count_place(void *self, uint64_t address)
{
    ++*(size_t *)self;
    return 0;
}

static void any_bytes_end(void **state)
{
    unsigned seed = 1;
    for (int round = 0; round < 2000; round++) {
        size_t bytes = (size_t)rand_r(&seed) % 200, places = 0;
        uint8_t *code = malloc(bytes + !bytes);
        assert_non_null(code);
        for (size_t i = 0; i < bytes; i++)
            code[i] = (uint8_t)rand_r(&seed);
        assert_int_equal(
            td_code_places((uint8_t)(round % 6), UINT64_MAX - 50, code, bytes, count_place, &places), 0);
        assert_true(places <= 2 * bytes);
        free(code);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instructions_and_direct_targets_are_found),
        cmocka_unit_test(an_error_ends_it),
        cmocka_unit_test(any_bytes_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
