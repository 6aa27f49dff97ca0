/* Times at the borders of the clock's halves come out exactly. */
#include "tests/target/records.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define TWO32 (UINT64_C(1) << 32)

/* Durations of the zones of kernels/clock.c in the order of their ends; 0: an instant. Each read advances the
 * clock by one tick: open reads it at t and t + 1, close at t + 2 when nothing else happens. */
static const uint64_t expected[] = {
    0xffff,        /* longest short */
    0x10000,       /* shortest long */
    0xffffffff,    /* just below 2^32 */
    1002,          /* low half wraps inside */
    2,             /* first after the wrap */
    3 * TWO32 + 7, /* 3 * 2^32 + 7 */
    3,             /* inner in the new epoch */
    0,             /* (outer: checked apart, it holds the inner one's reads too) */
    0x10 + 1 + 5,  /* wrap between the reads of an open: 16 to the border, one read, 5 */
    2,             /* wrap between the reads of a close */
    0x100,         /* wrap after an open */
    0,
    0, /* instants */
    5, /* opened while the lane's high half is old */
    3, /* opened after epochs without a packet */
};

static void check(const char *elf, uint32_t core, uint64_t start)
{
    struct machine *m = machine_create();
    struct records r;
    machine_load(m, elf, core);
    machine_reset_lane(m, TD_POLICY_BLOCK);
    m->ticks = start;
    m->head_read = machine_drain_all;
    assert_true(machine_run(m, 1, 0, 10000000));
    machine_drain(m, MACHINE_RING_SLOTS);
    records_read(&r, m->words, m->slots, elf);
    size_t zones = 0;
    uint64_t before = 0;
    for (size_t i = 0; i < r.count; i++) {
        const struct td_packet_record *p = &r.all[i];
        if (p->type != TD_PACKET_ZONE && p->type != TD_PACKET_LOG)
            continue;
        assert_true(p->end_ticks >= before);
        assert_true(p->end_ticks < m->ticks);
        before = p->end_ticks;
        assert_true(zones < sizeof expected / sizeof *expected);
        if (zones == 7) /* its own reads, the inner zone's four, the slow path's three, and 14 */
            assert_true(p->duration_ticks >= TWO32 + 20 && p->duration_ticks < TWO32 + 40);
        else if (p->duration_ticks != expected[zones])
            fail_msg("zone %zu lasts %llu instead of %llu", zones, (unsigned long long)p->duration_ticks,
                     (unsigned long long)expected[zones]);
        zones++;
    }
    assert_int_equal(zones, sizeof expected / sizeof *expected);
    records_free(&r);
    machine_destroy(m);
}

static void durations_are_exact_across_wraps_and_beyond_32_bits(void **state)
{
    check(TD_BINARY_DIR "/tests/kernels/t_clock.elf", 0, 0x500000000);
    check(TD_BINARY_DIR "/tests/kernels/t_clock.elf", 0, 0x100);
}

static void the_tiny_build_is_as_exact(void **state)
{
    check(TD_BINARY_DIR "/tests/kernels/t_clock_tiny.elf", 0, 0x500000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(durations_are_exact_across_wraps_and_beyond_32_bits),
        cmocka_unit_test(the_tiny_build_is_as_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
