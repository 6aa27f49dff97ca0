/* Packets of the rings of tt-metal's streaming profiler, each kind, also where the clock's low half wraps and after a loss. */
#include "host/tt/stream_ring.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <string.h>

#define FIRST(kind, value) ((uint32_t)(kind) << TD_TT_RING_VALUE_BITS | (value))
#define COUNT(words)       (sizeof(words) / sizeof *(words))
#define HIGH(high, low)    ((uint64_t)(high) << 32 | (low))

static struct td_tt_ring_item next_of(struct td_tt_ring_state *s, const uint32_t *w, size_t count, size_t *at,
                                      uint64_t now)
{
    struct td_tt_ring_item item;
    assert_true(td_tt_ring_next(s, w, count, at, now, &item));
    return item;
}

static void each_kind_is_read(void **state)
{
    (void)state;
    const uint32_t w[] = {FIRST(TD_TT_RING_HOST_ID, 3072),
                          FIRST(TD_TT_RING_CLOCK_HIGH, 7),
                          FIRST(TD_TT_RING_ZONE, 11),
                          0xfffffff0,
                          0x100,
                          FIRST(TD_TT_RING_ZONE_S, 12),
                          0x20u << 16 | 0x8,
                          FIRST(TD_TT_RING_ZONE_L, 13),
                          0x10,
                          9,
                          0x20,
                          1,
                          FIRST(TD_TT_RING_ZONE_S, 14),
                          0x4u << 16 | 0xffff,
                          FIRST(TD_TT_RING_SYNC, 1),
                          5,
                          FIRST(TD_TT_RING_HOST_ID_L, 0),
                          0x80000001,
                          FIRST(TD_TT_RING_CLOCK_HIGH, 8),
                          FIRST(TD_TT_RING_DATA, 15),
                          0x30,
                          2u << TD_TT_RING_COUNT_BIT,
                          1,
                          2,
                          FIRST(TD_TT_RING_EVENT, 16),
                          0x40};
    struct td_tt_ring_state s = {0};
    size_t at = 0;
    struct td_tt_ring_item i = next_of(&s, w, COUNT(w), &at, 0);
    assert_true(i.kind == TD_TT_RING_IS_LAUNCH && s.op == 3072);
    i = next_of(&s, w, COUNT(w), &at, 0);
    assert_true(i.kind == TD_TT_RING_IS_ZONE && i.id == 11 && i.end == HIGH(7, 0xfffffff0) &&
                i.begin == HIGH(7, 0xfffffef0));
    i = next_of(&s, w, COUNT(w), &at, 0); /* the low half wraps, without a new high half */
    assert_true(i.kind == TD_TT_RING_IS_ZONE && i.id == 12 && i.end == HIGH(8, 0x10) &&
                i.begin == HIGH(8, 8));
    i = next_of(&s, w, COUNT(w), &at, 0);
    assert_true(i.kind == TD_TT_RING_IS_ZONE && i.id == 13 && i.end == HIGH(9, 0x10) &&
                i.begin == HIGH(7, 0xfffffff0));
    i = next_of(&s, w, COUNT(w), &at, 0); /* counted from the zone before the long one */
    assert_true(i.id == 14 && i.end == HIGH(8, 0x14) && i.begin == HIGH(8, 0x14) - 0xffff);
    i = next_of(&s, w, COUNT(w), &at, 0);
    assert_true(i.kind == TD_TT_RING_IS_LAUNCH && s.op == 0x80000001);
    i = next_of(&s, w, COUNT(w), &at, 0);
    assert_true(i.kind == TD_TT_RING_IS_DATA && i.id == 15 && i.begin == HIGH(8, 0x30) && i.count == 2 &&
                i.data[0] == 1 && i.data[1] == 2);
    i = next_of(&s, w, COUNT(w), &at, 0);
    assert_true(i.kind == TD_TT_RING_IS_EVENT && i.id == 16 && i.begin == HIGH(8, 0x40));
    assert_false(td_tt_ring_next(&s, w, COUNT(w), &at, 0, &i));
}

/* Without what came before: the high half of the clock is the one that makes a time the nearest to now. */
static void times_after_a_loss_are_those_near_now(void **state)
{
    (void)state;
    const uint32_t w[] = {FIRST(TD_TT_RING_ZONE_S, 1),
                          0,
                          FIRST(TD_TT_RING_EVENT, 2),
                          0xffffff00,
                          FIRST(TD_TT_RING_ZONE, 3),
                          0x10,
                          1,
                          FIRST(TD_TT_RING_ZONE_S, 4),
                          0x30001};
    struct td_tt_ring_state s = {0};
    size_t at = 0;
    const uint64_t now = HIGH(5, 0x100);
    assert_true(next_of(&s, w, COUNT(w), &at, now).kind == TD_TT_RING_IS_LOST);
    assert_true(next_of(&s, w, COUNT(w), &at, now).begin == HIGH(4, 0xffffff00));
    assert_true(next_of(&s, w, COUNT(w), &at, now).end == HIGH(5, 0x10));
    assert_true(next_of(&s, w, COUNT(w), &at, now).end == HIGH(5, 0x13));
    assert_true(at == COUNT(w));
}

static void words_that_are_no_packets_end_the_read(void **state)
{
    (void)state;
    const uint32_t unknown[] = {FIRST(TD_TT_RING_CLOCK_HIGH, 1), FIRST(13, 0), 1, 2},
                   cut[] = {FIRST(TD_TT_RING_ZONE, 1), 2}, none[] = {0, 0};
    const struct {
        const uint32_t *words;
        size_t count, odd;
    } given[] = {{unknown, 4, 3}, {cut, 2, 2}, {none, 2, 2}};
    for (size_t i = 0; i < COUNT(given); i++) {
        struct td_tt_ring_state s = {.has_cursor = true, .op = 9};
        size_t at = 0;
        const struct td_tt_ring_item item = next_of(&s, given[i].words, given[i].count, &at, 0);
        assert_true(item.kind == TD_TT_RING_IS_ODD && item.count == given[i].odd && at == given[i].count);
        assert_true(!s.has_cursor && !s.has_high && s.op == 9);
    }
}

enum { WORDS = 8192, AT = 1001 };

/* Two cores have written: one of them more than its ring has, all of which is taken. */
static void write_rings(uint32_t *memory)
{
    uint32_t *c = memory + AT, *ring = c + TD_TT_RING_CONTROL_WORDS, *other = ring + TD_TT_RING_WORDS;
    memset(memory, 0, WORDS * sizeof *memory);
    ring[0] = FIRST(TD_TT_RING_HOST_ID, 1);
    ring[1] = FIRST(TD_TT_RING_ZONE, 1);
    c[TD_TT_RING_TAIL] = 4;
    for (uint32_t i = 0; i < TD_TT_RING_WORDS; i++)
        other[i] = i % 2 ? FIRST(TD_TT_RING_ZONE_S, 5) : 0xffff0001;
    c[TD_TT_RING_TAIL + 1] = c[TD_TT_RING_HEAD + 1] = TD_TT_RING_WORDS + 7;
}

static void rings_are_found(void **state)
{
    (void)state;
    static uint32_t memory[WORDS];
    write_rings(memory);
    assert_true(td_tt_ring_find(memory, WORDS, 0x1000) == 0x1000 + 4 * AT);
    memory[AT + TD_TT_RING_CONTROL_WORDS] = 0; /* what the core has written are no packets */
    assert_true(td_tt_ring_find(memory, WORDS, 0x1000) == 0);
    write_rings(memory);
    memory[AT + TD_TT_RING_HEAD + TD_TT_L1_CORES] = 1; /* a sixth core */
    assert_true(td_tt_ring_find(memory, WORDS, 0x1000) == 0);
    memset(memory, 0, sizeof memory);
    assert_true(td_tt_ring_find(memory, WORDS, 0x1000) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_is_read),
        cmocka_unit_test(times_after_a_loss_are_those_near_now),
        cmocka_unit_test(words_that_are_no_packets_end_the_read),
        cmocka_unit_test(rings_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
