/* Tiles of block floats (Bfp8_b): 16 elements share an exponent. */
#include "boards/tensix_sim/compute_math.h"
#include "proto/device/compute.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

enum { BFP8_B = 6, BLOCK = 16, SIDE = 32 };

static struct compute_tile tile, again;
static uint8_t packed[1088];

static void pack_and_unpack(void)
{
    tile.is_integer = 0;
    compute_pack(packed, &tile, BFP8_B, 0, 0);
    compute_unpack(&again, packed, BFP8_B, 0, 0);
}

static void a_block_has_the_exponent_of_its_greatest_number(void **state)
{
    (void)state;
    memset(&tile, 0, sizeof tile);
    tile.of.real[0] = 1.5f;
    tile.of.real[1] = -0.75f;
    tile.of.real[BLOCK] = 8; /* the second face's first block: an exponent of its own */
    pack_and_unpack();
    assert_int_equal(packed[0], 127);
    assert_int_equal(packed[64], 96); /* 1.5 in units of 1/64 */
    assert_int_equal(packed[65], 0x80 | 48);
    assert_int_equal(packed[BLOCK], 130);
    assert_int_equal(packed[64 + 256], 64);
    for (uint32_t at = 0; at < TD_COMPUTE_ELEMENTS; at++)
        assert_true(again.of.real[at] == tile.of.real[at]);
}

/* Half of the unit of the block's greatest number. */
static void numbers_are_rounded_to_the_unit_of_their_block(void **state)
{
    (void)state;
    uint32_t seed = 1;
    for (uint32_t at = 0; at < TD_COMPUTE_ELEMENTS; at++) {
        seed = seed * 1664525 + 1013904223;
        tile.of.real[at] = ((float)(seed >> 8) / (1 << 23) - 1) * ldexpf(1, (int)(at / 16 % 20) - 10);
    }
    pack_and_unpack();
    for (uint32_t first = 0; first < TD_COMPUTE_ELEMENTS; first += BLOCK) {
        float greatest = 0;
        int exponent;
        for (uint32_t i = 0; i < BLOCK; i++)
            greatest = fmaxf(greatest, fabsf(tile.of.real[first + i]));
        frexpf(greatest, &exponent);
        for (uint32_t i = 0; i < BLOCK; i++)
            assert_true(
                fabsf(again.of.real[first + i] - tile.of.real[first + i]) <=
                ldexpf(1, exponent - 7)); /* the greatest one may round to 128 units, of which 127 are kept */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_has_the_exponent_of_its_greatest_number),
        cmocka_unit_test(numbers_are_rounded_to_the_unit_of_their_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
