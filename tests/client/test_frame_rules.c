/* Rules of frames from tables of functions: the usual forms, and damaged ones. */
#include "host/client/symbols/frame_rules.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define FUNCTION 0x1000 /* bytes after the header */

/* A search table with one function, its entry, and the entry that functions share. */
struct tables {
    uint8_t head[12];
    int32_t begin, entry;
    struct {
        uint32_t bytes, zero;
        uint8_t rest[24];
    } shared;
    struct {
        uint32_t bytes, back;
        int32_t begin, size;
        uint8_t data, program[27];
    } function;
    uint32_t end;
};

static const uint8_t shared_rest[24] = {1,    'z', 'R', 0,    1,
                                        0x78, 16,  1,   0x1b, /* version 1, units 1 and -8, data */
                                        0x0c, 7,   8,         /* the frame ends at sp + 8 */
                                        0x90, 1};             /* the return address is at its end - 8 */
/* push %rbp; mov %rsp,%rbp; at 9 a cold exit that is without the frame */
static const uint8_t program[27] = {0x41, 0x0e, 16,   0x86, 2, 0x43, 0x0d, 6,
                                    0x0a, 0x45, 0x0c, 7,    8, 0xc6, 0x41, 0x0b};

static struct tables *make(void)
{
    struct tables *t = calloc(1, sizeof *t);
    const uint8_t head[] = {1, 0x1b, 0x03, 0x3b, 0, 0, 0, 0, 1, 0, 0, 0};
    memcpy(t->head, head, sizeof head);
    t->begin = FUNCTION;
    t->entry = offsetof(struct tables, function);
    t->shared.bytes = sizeof t->shared - 4;
    memcpy(t->shared.rest, shared_rest, sizeof shared_rest);
    t->function.bytes = sizeof t->function - 4;
    t->function.back = offsetof(struct tables, function.back) - offsetof(struct tables, shared);
    t->function.begin = FUNCTION - (int32_t)offsetof(struct tables, function.begin);
    t->function.size = 100;
    memcpy(t->function.program, program, sizeof program);
    return t;
}

static void expect(const struct tables *t, unsigned at, bool by_fp, bool saves_fp, int32_t size)
{
    const struct td_frame_rule rule = td_frame_rule_in((uintptr_t)t, (uintptr_t)t + FUNCTION + at);
    assert_true(rule.known);
    assert_int_equal(rule.by_fp, by_fp);
    assert_int_equal(rule.saves_fp, saves_fp);
    assert_int_equal(rule.size, size);
    if (saves_fp)
        assert_int_equal(rule.fp_at, -16);
}

static void the_rule_is_that_of_the_place_in_the_function(void **state)
{
    struct tables *t = make();
    expect(t, 0, false, false, 8);
    expect(t, 1, false, true, 16);
    expect(t, 3, false, true, 16);
    expect(t, 4, true, true, 16);
    expect(t, 8, true, true, 16);
    expect(t, 9, false, false, 8);
    expect(t, 10, true, true, 16);
    expect(t, 99, true, true, 16);
    assert_false(td_frame_rule_in((uintptr_t)t, (uintptr_t)t + FUNCTION + 100).known);
    assert_false(td_frame_rule_in((uintptr_t)t, (uintptr_t)t + FUNCTION - 1).known);
    t->shared.rest[10] = 3; /* the frame ends at another register's place */
    assert_false(td_frame_rule_in((uintptr_t)t, (uintptr_t)t + FUNCTION).known);
    free(t);
}

static void damaged_tables_have_no_rules_that_do_harm(void **state)
{
    srand(1);
    for (int i = 0; i < 20000; i++) {
        struct tables *t = make();
        for (int k = rand() % 4; k >= 0; k--)
            ((uint8_t *)t)[rand() % (int)sizeof *t] = (uint8_t)rand();
        (void)td_frame_rule_in((uintptr_t)t, (uintptr_t)t + FUNCTION + (unsigned)rand() % 120);
        free(t);
    }
    assert_false(td_frame_rule_in(16, 32).known);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_rule_is_that_of_the_place_in_the_function),
        cmocka_unit_test(damaged_tables_have_no_rules_that_do_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
