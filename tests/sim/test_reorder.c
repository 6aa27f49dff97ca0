/* tensix_sim --reorder: accesses that the vendor's pages do not keep in order are exchanged, and what the kit's headers
 * do about it is enough. */
#include "tests/sim/harness.h"
#include "tests/sim/kernels/kernels.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define DATA   (ARGUMENTS + 0x1000)
#define SECOND (ARGUMENTS + 0x800)

static const char *const reordering[] = {"--clock", "insn", "--reorder", "7", NULL};
static const char *const in_order[] = {"--clock", "insn", NULL};

static void begin(struct rig *rig, struct td_tile_at at, uint32_t core, uint32_t argument,
                  const struct exchange *e)
{
    rig_write(rig, at, argument, e, sizeof *e);
    rig_load(rig, at, core, "reorder", argument);
}

static struct exchange end_of(struct rig *rig, struct td_tile_at at, uint32_t argument)
{
    struct exchange e;
    rig_await(rig, at, argument + (uint32_t)offsetof(struct exchange, done), 1);
    rig_read(rig, at, argument, &e, sizeof e);
    return e;
}

static struct exchange exchange_of(enum exchange_part part, uint32_t ordered, struct td_tile_at other)
{
    return (struct exchange){.part = part,
                             .ordered = ordered,
                             .rounds = EXCHANGE_ROUNDS,
                             .x = other.x,
                             .y = other.y,
                             .data = DATA,
                             .back = DATA + 64,
                             .sign = DATA + 128,
                             .answer = DATA + 192};
}

static uint32_t wrong_sends(const char *const *options, uint32_t ordered)
{
    struct rig rig;
    rig_start(&rig, options);
    const struct td_tile_at a = rig_tile(&rig, 0, 0), b = rig_tile(&rig, 1, 1);
    const struct exchange e = exchange_of(EXCHANGE_STORE_THEN_SEND, ordered, b);
    begin(&rig, a, 0, ARGUMENTS, &e);
    rig_release(&rig, a, 1);
    const uint32_t wrong = end_of(&rig, a, ARGUMENTS).wrong;
    rig_stop(&rig);
    return wrong;
}

static void a_request_may_read_l1_before_what_was_stored_is_there(void **state)
{
    assert_int_equal(wrong_sends(in_order, 0), 0);
    assert_in_range(wrong_sends(reordering, 0), 1, EXCHANGE_ROUNDS);
    assert_int_equal(wrong_sends(reordering, 1), 0);
}

static uint32_t wrong_signs(const char *const *options, uint32_t ordered)
{
    struct rig rig;
    rig_start(&rig, options);
    const struct td_tile_at a = rig_tile(&rig, 0, 0), b = rig_tile(&rig, 1, 1);
    const struct exchange sender = exchange_of(EXCHANGE_SEND, ordered, b);
    const struct exchange receiver = exchange_of(EXCHANGE_RECEIVE, ordered, a);
    begin(&rig, a, 0, ARGUMENTS, &sender);
    begin(&rig, b, 0, ARGUMENTS, &receiver);
    rig_release(&rig, b, 1);
    rig_release(&rig, a, 1);
    end_of(&rig, a, ARGUMENTS);
    const uint32_t wrong = end_of(&rig, b, ARGUMENTS).wrong;
    rig_stop(&rig);
    return wrong;
}

static void a_write_may_arrive_before_the_one_that_was_given_first(void **state)
{
    assert_int_equal(wrong_signs(in_order, 0), 0);
    assert_in_range(wrong_signs(reordering, 0), 1, EXCHANGE_ROUNDS);
    assert_int_equal(wrong_signs(reordering, 1), 0);
}

/* Rounds in which neither core saw the other's store. */
static uint32_t missed_stores(const char *const *options, uint32_t ordered)
{
    struct rig rig;
    uint32_t missed = 0;
    rig_start(&rig, options);
    const struct td_tile_at at = rig_tile(&rig, 0, 0);
    struct exchange first = exchange_of(EXCHANGE_STORE_THEN_LOAD, ordered, at), second = first;
    second.data = first.back;
    second.back = first.data;
    second.sign = first.answer;
    second.answer = first.sign;
    begin(&rig, at, 0, ARGUMENTS, &first);
    begin(&rig, at, 1, SECOND, &second);
    rig_release(&rig, at, 3);
    first = end_of(&rig, at, ARGUMENTS);
    second = end_of(&rig, at, SECOND);
    for (int i = 0; i < EXCHANGE_ROUNDS; i++)
        missed += first.missed[i] && second.missed[i];
    rig_stop(&rig);
    return missed;
}

static void a_load_may_be_done_before_the_store_in_front_of_it(void **state)
{
    assert_int_equal(missed_stores(in_order, 0), 0);
    assert_in_range(missed_stores(reordering, 0), 1, EXCHANGE_ROUNDS);
    assert_int_equal(missed_stores(reordering, 1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_may_read_l1_before_what_was_stored_is_there),
        cmocka_unit_test(a_write_may_arrive_before_the_one_that_was_given_first),
        cmocka_unit_test(a_load_may_be_done_before_the_store_in_front_of_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
