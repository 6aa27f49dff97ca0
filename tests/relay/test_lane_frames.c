/* Lane frames as they arrive: whole ones are delivered, and damage costs only the frames that it hits. */
#include "host/transport/link/lane_frames.h"
#include "proto/device/frame.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#define ROOM 256

struct stream {
    uint32_t words[ROOM];
    size_t count;
};

/* Delivered frames; the sum of first words distinguishes them. */
struct got {
    unsigned frames;
    uint64_t slots, last_lane, last_first;
};

static void add_frame(struct stream *s, uint32_t lane, uint32_t first, uint32_t slots)
{
    uint32_t *w = s->words + s->count;
    w[0] = (uint32_t)TD_FRAME_MAGIC << 16 | slots;
    w[1] = lane;
    w[2] = first;
    w[3] = TD_FRAME_CHECK(w[0], w[1], w[2]);
    for (uint32_t i = 0; i < slots; i++) {
        w[4 + 2 * i] = 0x80000000 | (first + i);
        w[5 + 2 * i] = i;
    }
    s->count += TD_FRAME_HEAD_WORDS + 2 * slots;
}

static int on_words(void *self, uint32_t lane, uint32_t first, const uint32_t *words, size_t slots,
                    struct td_err *err)
{
    struct got *got = self;
    got->frames++;
    got->slots += slots;
    got->last_lane = lane;
    got->last_first = first;
    for (uint32_t i = 0; i < slots; i++)
        assert_int_equal(words[2 * i], 0x80000000 | (first + i));
    return lane == 77 ? td_fail(err, TD_E_NOMEM, "no room") : 0;
}

static size_t parse(const struct stream *s, size_t count, struct got *got, struct td_gather_stats *stats)
{
    size_t used = 0;
    assert_int_equal(td_lane_frames(s->words, count, stats, on_words, got, &used, NULL), 0);
    return used;
}

static void whole_frames_and_what_fills_up_are_taken(void **state)
{
    struct stream s = {.count = 3}; /* three zero words come first */
    add_frame(&s, 1, 10, 5);
    s.count += 2;
    add_frame(&s, 2, 20, 1);
    struct got got = {0};
    struct td_gather_stats stats = {0};
    assert_int_equal(parse(&s, s.count, &got, &stats), s.count);
    assert_int_equal(got.frames, 2);
    assert_int_equal(stats.slots, 6);
    assert_int_equal(stats.bad_frames, 0);
    assert_int_equal(got.last_first, 20);
}

static void a_frame_cut_off_anywhere_waits_for_the_rest(void **state)
{
    struct stream s = {0};
    add_frame(&s, 1, 10, 2);
    size_t one = s.count;
    add_frame(&s, 2, 20, 3);
    for (size_t count = one; count < s.count; count++) {
        struct got got = {0};
        struct td_gather_stats stats = {0};
        assert_int_equal(parse(&s, count, &got, &stats), one);
        assert_int_equal(got.frames, 1);
        assert_int_equal(stats.bad_frames, 0);
    }
}

static void a_damaged_head_costs_its_own_frame_and_is_counted_once(void **state)
{
    for (unsigned word = 0; word < TD_FRAME_HEAD_WORDS; word++)
        for (unsigned bit = 0; bit < 32; bit += 5) {
            struct stream s = {0};
            add_frame(&s, 1, 10, 4);
            s.words[word] ^= 1u << bit;
            add_frame(&s, 2, 20, 3);
            struct got got = {0};
            struct td_gather_stats stats = {0};
            assert_int_equal(parse(&s, s.count, &got, &stats), s.count);
            assert_int_equal(got.frames, 1);
            assert_int_equal(got.last_lane, 2);
            assert_int_equal(stats.bad_frames, 1);
        }
}

static void an_error_of_the_one_who_takes_them_ends_it(void **state)
{
    struct stream s = {0};
    add_frame(&s, 77, 0, 1);
    add_frame(&s, 2, 0, 1);
    struct got got = {0};
    struct td_gather_stats stats = {0};
    size_t used;
    assert_int_equal(td_lane_frames(s.words, s.count, &stats, on_words, &got, &used, NULL), TD_E_NOMEM);
    assert_int_equal(got.frames, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_frames_and_what_fills_up_are_taken),
        cmocka_unit_test(a_frame_cut_off_anywhere_waits_for_the_rest),
        cmocka_unit_test(a_damaged_head_costs_its_own_frame_and_is_counted_once),
        cmocka_unit_test(an_error_of_the_one_who_takes_them_ends_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
