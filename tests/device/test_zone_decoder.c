/* The decoders of runs of short zones: the vectorised one finds what the plain one finds. */
#include "host/device/drain/zone_decoder.h"
#include "proto/device/packet.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SLOTS = TD_ZONE_RUN + 40 };

static uint32_t short_zone(uint32_t *seed)
{
    return TD_SLOT_VALID | (uint32_t)rand_r(seed) % TD_SHORT_ID_COUNT << 16 | (rand_r(seed) & 0xffff);
}

/* Decodes a copy that ends where the words end, so that a read beyond them is seen. */
static size_t decode(td_zone_decoder *decoder, const uint32_t *words, size_t slots, struct td_zone_room *room)
{
    uint32_t *exact = malloc(8 * slots + 1);
    assert_non_null(exact);
    memcpy(exact, words, 8 * slots);
    size_t n = decoder(exact, slots, room);
    free(exact);
    return n;
}

static void same(const uint32_t *words, size_t slots, size_t expected)
{
    struct td_zone_room plain, vector;
    size_t n = decode(td_zones_scalar, words, slots, &plain);
    assert_int_equal(n, expected);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(plain.end[i], words[2 * i + 1]);
        assert_int_equal(plain.duration[i], words[2 * i] & 0xffff);
        assert_int_equal(plain.id[i], words[2 * i] >> 16 & 0x7fff);
    }
    if (!td_zones_vector())
        return;
    assert_int_equal(decode(td_zones_vector(), words, slots, &vector), n);
    assert_memory_equal(plain.end, vector.end, 4 * n);
    assert_memory_equal(plain.id, vector.id, 2 * n);
    assert_memory_equal(plain.duration, vector.duration, 2 * n);
}

static void runs_of_every_length_come_out_whole(void **state)
{
    uint32_t words[2 * SLOTS], seed = 1;
    for (size_t i = 0; i < SLOTS; i++) {
        words[2 * i] = short_zone(&seed);
        words[2 * i + 1] = (uint32_t)rand_r(&seed) * 2u;
    }
    for (size_t n = 0; n <= SLOTS; n++)
        same(words, n, n < TD_ZONE_RUN ? n : TD_ZONE_RUN);
}

static void a_run_ends_at_whatever_is_no_short_zone(void **state)
{
    static const uint32_t others[] = {0, 0x7fffffff, TD_TAG_HEAD, TD_TAG_CONT, 0xffffffff, 1, 0x7c000000};
    uint32_t words[2 * SLOTS], seed = 2;
    for (size_t i = 0; i < SLOTS; i++) {
        words[2 * i] = short_zone(&seed);
        words[2 * i + 1] = (uint32_t)rand_r(&seed);
    }
    for (size_t at = 0; at < 80; at++) {
        uint32_t was = words[2 * at];
        words[2 * at] = others[at % (sizeof others / sizeof *others)];
        same(words, SLOTS, at);
        same(words, at + 1, at);
        words[2 * at] = was;
    }
}

static void ids_and_durations_at_their_limits_come_out(void **state)
{
    static const uint32_t limits[] = {0x80000000, 0x8000ffff, 0xfbff0000, 0xfbffffff};
    uint32_t words[2 * SLOTS];
    for (size_t i = 0; i < SLOTS; i++) {
        words[2 * i] = limits[i % 4];
        words[2 * i + 1] = i % 3 ? 0xffffffff : 0;
    }
    same(words, SLOTS, TD_ZONE_RUN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_of_every_length_come_out_whole),
        cmocka_unit_test(a_run_ends_at_whatever_is_no_short_zone),
        cmocka_unit_test(ids_and_durations_at_their_limits_come_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
