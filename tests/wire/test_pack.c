/* Framing: unpacked frames equal the frames before packing, and hostile bytes give one error. */
#include "host/wire/pack.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static uint64_t seed = 1;
static uint32_t next_random(void)
{
    seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)(seed >> 33);
}

/* Bytes that compress in different ways, some with matches far back. */
static void fill_frame(uint8_t *p, size_t bytes, uint32_t kind)
{
    for (size_t i = 0; i < bytes; i++)
        p[i] = kind % 3 == 0   ? (uint8_t)next_random()
               : kind % 3 == 1 ? (uint8_t)(i / 7)
                               : (uint8_t)("markers"[i % 7]);
}

/* Feeds in pieces of at most `piece` bytes and compares the frame with the expected one. */
static void feed_and_compare(struct td_unpacker *unpacker, const uint8_t *bytes, size_t count, size_t piece,
                             const uint8_t *expected, size_t expected_bytes)
{
    struct td_err err = {0};
    const uint8_t *frame;
    int got = 0;
    while (count) {
        assert_int_equal(td_unpacker_next(unpacker, &frame, &err), 0);
        uint8_t *at;
        size_t n = td_unpacker_room(unpacker, &at);
        assert_true(n > 0);
        n = n > piece ? piece : n;
        n = n > count ? count : n;
        memcpy(at, bytes, n);
        td_unpacker_fed(unpacker, n);
        bytes += n;
        count -= n;
    }
    got = td_unpacker_next(unpacker, &frame, &err);
    assert_int_equal(got, expected_bytes);
    assert_memory_equal(frame, expected, expected_bytes);
}

static void frames_of_all_sizes_come_back(void **state)
{
    struct td_packer *packer = td_packer_create();
    struct td_unpacker *unpacker = td_unpacker_create();
    uint8_t *copy = malloc(TD_WIRE_FRAME_MAX);
    assert_true(packer && unpacker && copy);
    static const size_t sizes[] = {
        1, 2, 13, 100, 5000, 65535, 65536, 200000, TD_WIRE_FRAME_MAX - 1, TD_WIRE_FRAME_MAX};
    for (int round = 0; round < 200; round++) {
        size_t bytes = round < 10 ? sizes[round] : 1 + next_random() % TD_WIRE_FRAME_MAX;
        if (round % 3 == 2)
            bytes = 1 + bytes % 300;
        fill_frame(copy, bytes, next_random());
        for (size_t at = 0, n; at < bytes; at += n) {
            n = bytes - at > 40000 ? 40000 : bytes - at;
            assert_true(td_packer_room(packer) >= n);
            memcpy(td_packer_at(packer), copy + at, n);
            td_packer_add(packer, n);
        }
        assert_int_equal(td_packer_used(packer), bytes);
        const uint8_t *packed;
        size_t count = td_packer_pack(packer, &packed);
        assert_true(count > 4 && count <= 4 + TD_WIRE_PACKED_MAX);
        feed_and_compare(unpacker, packed, count, round % 4 ? SIZE_MAX : 1 + next_random() % 9000, copy,
                         bytes);
    }
    const uint8_t *nothing;
    assert_int_equal(td_packer_pack(packer, &nothing), 0);
    free(copy);
    td_unpacker_destroy(unpacker);
    td_packer_destroy(packer);
}

static void a_literal_only_block_is_understood(void **state)
{
    static const uint8_t frame[] = {2, 0, 0, 0, 0x10, 0x39};
    struct td_unpacker *unpacker = td_unpacker_create();
    assert_non_null(unpacker);
    feed_and_compare(unpacker, frame, sizeof frame, 1, frame + 5, 1);
    td_unpacker_destroy(unpacker);
}

static int first_error(const uint8_t *bytes, size_t count, struct td_err *err)
{
    struct td_unpacker *unpacker = td_unpacker_create();
    assert_non_null(unpacker);
    uint8_t *at;
    assert_true(td_unpacker_room(unpacker, &at) >= count);
    memcpy(at, bytes, count);
    td_unpacker_fed(unpacker, count);
    const uint8_t *frame;
    int n;
    while ((n = td_unpacker_next(unpacker, &frame, err)) > 0)
        ;
    assert_int_equal(td_unpacker_next(unpacker, &frame, NULL), 0);
    td_unpacker_destroy(unpacker);
    return n;
}

static void counts_out_of_range_and_broken_blocks_are_one_error(void **state)
{
    static const struct {
        uint8_t bytes[16];
        const char *says;
    } cases[] = {{{0, 0, 0, 0}, "a frame of 0 bytes"},
                 {{0x15, 4, 4, 0}, "a frame of 263189 bytes"},
                 {{255, 255, 255, 255}, "a frame of 4294967295 bytes"},
                 {{4, 0, 0, 0, 0xff, 0xff, 0xff, 0xff}, "does not decompress"},
                 {{5, 0, 0, 0, 0x1f, 0x41, 0xff, 0xff, 0x10}, "does not decompress"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct td_err err = {0};
        assert_int_equal(first_error(cases[i].bytes, sizeof cases[i].bytes, &err), TD_E_FORMAT);
        assert_non_null(strstr(err.text, cases[i].says));
    }
}

static void random_bytes_never_break_the_unpacker(void **state)
{
    for (int round = 0; round < 3000; round++) {
        uint8_t bytes[512];
        fill_frame(bytes, sizeof bytes, round % 2 ? 0 : 2);
        uint32_t count = 1 + next_random() % 500;
        memcpy(bytes, &count, 4);
        struct td_err err = {0};
        int n = first_error(bytes, sizeof bytes, &err);
        assert_true(n == 0 || (n == TD_E_FORMAT && err.text[0]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_of_all_sizes_come_back),
        cmocka_unit_test(a_literal_only_block_is_understood),
        cmocka_unit_test(counts_out_of_range_and_broken_blocks_are_one_error),
        cmocka_unit_test(random_bytes_never_break_the_unpacker),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
