/* Byte frames: whole over a good stream, counted over a bad one. */
#include "proto/probe/frame.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define MOST 1200

static uint8_t message[MOST], stream[200 * TD_FRAME_BYTES(MOST)], buffer[MOST + 4];
static unsigned seed = 5;

static uint32_t draw(uint32_t below)
{
    return (uint32_t)rand_r(&seed) % below;
}

/* kind 0: zeros; 1: no zeros; 2: any; 3: mostly zeros. */
static void make_message(uint32_t bytes, int kind)
{
    for (uint32_t i = 0; i < bytes; i++)
        message[i] = (uint8_t)(kind == 0   ? 0
                               : kind == 1 ? 1 + draw(255)
                               : kind == 2 ? draw(256)
                                           : (draw(8) ? 0 : draw(256)));
}

static void crc_is_the_known_one(void **state)
{
    assert_int_equal(td_frame_crc("123456789", 9), 0xcbf43926);
    assert_int_equal(td_frame_crc("", 0), 0);
}

static void every_message_comes_back_however_the_stream_is_cut(void **state)
{
    struct td_frame_decoder d;
    td_frame_decoder_init(&d, buffer, sizeof buffer);
    uint64_t frames = 0;
    for (int kind = 0; kind < 4; kind++)
        for (uint32_t bytes = 1; bytes <= MOST; bytes += bytes < 520 ? 1 : 37) {
            make_message(bytes, kind);
            uint32_t all = td_frame_encode(message, bytes, stream), got = 0;
            assert_true(all <= TD_FRAME_BYTES(bytes));
            assert_null(memchr(stream + 1, 0, all - 2));
            for (uint32_t at = 0, used; at < all; at += used) {
                uint32_t cut = 1 + draw(all - at);
                uint32_t n = td_frame_decode(&d, stream + at, cut, &used);
                assert_true(used >= 1 && used <= cut);
                if (n == 0)
                    continue;
                assert_int_equal(n, bytes);
                assert_memory_equal(buffer, message, bytes);
                got++;
            }
            assert_int_equal(got, 1);
            frames++;
        }
    assert_int_equal(d.stats.frames, frames);
    assert_int_equal(d.stats.bad_frames + d.stats.bad_bytes, 0);
}

/* Messages that carry their number, one after the other. */
static uint32_t make_stream(uint32_t count, uint32_t *starts)
{
    uint32_t all = 0;
    for (uint32_t i = 0; i < count; i++) {
        make_message(100, 2);
        memcpy(message, &i, 4);
        starts[i] = all;
        all += td_frame_encode(message, 100, stream + all);
    }
    return all;
}

/* Damages one place of the stream. At most the one or two frames at that place are missing. */
static void only_the_frames_in_it_are_lost(int how)
{
    enum { COUNT = 50 };
    uint32_t starts[COUNT];
    for (int round = 0; round < 500; round++) {
        uint32_t all = make_stream(COUNT, starts), hit = draw(all), frame = 0, expected = 0, used;
        struct td_frame_decoder d;
        while (frame + 1 < COUNT && starts[frame + 1] <= hit)
            frame++;
        if (how == 0)
            stream[hit] ^= (uint8_t)(1u << draw(8));
        else if (how == 1)
            memmove(stream + hit, stream + hit + 1, --all - hit);
        else
            memmove(stream + hit + 1, stream + hit, all++ - hit);
        td_frame_decoder_init(&d, buffer, sizeof buffer);
        for (uint32_t at = 0; at < all; at += used) {
            uint32_t number, n = td_frame_decode(&d, stream + at, all - at, &used);
            if (n == 0)
                continue;
            memcpy(&number, buffer, 4);
            assert_int_equal(n, 100);
            for (; expected < number; expected++)
                assert_in_range(expected, frame ? frame - 1 : 0, frame);
            expected++;
        }
        assert_true(expected >= COUNT - 1);
        assert_true(d.stats.frames >= COUNT - 1);
        assert_true(d.stats.bad_frames >= COUNT - d.stats.frames);
        assert_true((d.stats.bad_frames == 0) == (d.stats.bad_bytes == 0));
    }
}

static void a_changed_byte_costs_the_frame_it_is_in(void **state)
{
    only_the_frames_in_it_are_lost(0);
}

static void a_lost_byte_costs_the_frame_it_is_in(void **state)
{
    only_the_frames_in_it_are_lost(1);
}

static void a_byte_too_many_costs_the_frame_it_is_in(void **state)
{
    only_the_frames_in_it_are_lost(2);
}

static void a_message_that_is_too_long_is_dropped_and_counted(void **state)
{
    struct td_frame_decoder d;
    uint32_t used, all, n;
    td_frame_decoder_init(&d, buffer, 104);
    make_message(101, 2);
    all = td_frame_encode(message, 101, stream);
    assert_int_equal(td_frame_decode(&d, stream, all, &used), 0);
    assert_int_equal(d.stats.bad_frames, 1);
    all = td_frame_encode(message, 100, stream);
    n = 0;
    for (uint32_t at = 0; at < all && n == 0; at += used)
        n = td_frame_decode(&d, stream + at, all - at, &used);
    assert_int_equal(n, 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crc_is_the_known_one),
        cmocka_unit_test(every_message_comes_back_however_the_stream_is_cut),
        cmocka_unit_test(a_changed_byte_costs_the_frame_it_is_in),
        cmocka_unit_test(a_lost_byte_costs_the_frame_it_is_in),
        cmocka_unit_test(a_byte_too_many_costs_the_frame_it_is_in),
        cmocka_unit_test(a_message_that_is_too_long_is_dropped_and_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
