/* Random kernels against an oracle: with every policy, what arrived and what was lost is what was emitted, of
 * zones and of all other markers, and what arrived is right and in order. Some launches exit or fault within
 * their zones, some end recording, and in every other one some kinds of zones are switched off.
 *
 * The same for kernels whose zones go to the tile's timestamper: while its stream has room all zones arrive; if it
 * is full, those that arrive are right, and the loss is reported.
 *
 * test_target_random [FIRST COUNT]    seeds; by default 1 and as many as take a second or two */
#include "tests/target/random_oracle.h"
#include "tests/target/stamper.h"

#include "host/device/image/image.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define KERNEL(name) TD_BINARY_DIR "/tests/kernels/" name ".elf"

static uint32_t first_seed = 1, seeds = 12;
static unsigned early_exits, faults, mutes; /* launches that ended so */
static unsigned overflows;                  /* launches whose stream was full */

struct consumer {
    uint32_t state;
    uint32_t laziness; /* of 16 looks, how many take nothing */
};

static uint32_t below(uint32_t *state, uint32_t limit)
{
    *state = *state * 1664525 + 1013904223;
    return (*state >> 8) % limit;
}

static void drain_sometimes(struct machine *m, void *self)
{
    struct consumer *c = self;
    if (below(&c->state, 16) >= c->laziness)
        machine_drain(m, 1 + below(&c->state, MACHINE_RING_SLOTS));
}

/* As a host that reads after the core has stopped. */
static void take_all(struct machine *m)
{
    while (machine_drain(m, MACHINE_RING_SLOTS))
        ;
}

static bool is_off(const void *off, const struct td_site *site)
{
    for (unsigned i = 0; site && i < ZONES; i++)
        if (strcmp(site->name, random_zones[i]) == 0)
            return *(const uint32_t *)off >> i & 1;
    return false;
}

static void switch_zones(struct machine *m, const char *elf, uint32_t off)
{
    struct td_err err = {0};
    struct td_patches patches = {0};
    struct td_image *image = td_image_open(elf, &err);
    assert_non_null(image);
    assert_int_equal(td_image_switch_off(image, is_off, &off, &patches), 0);
    assert_true(!off == !patches.count);
    for (size_t i = 0; i < patches.count; i++)
        memcpy(m->l1 + patches.at[i].address, &patches.at[i].instruction, 4);
    td_patches_free(&patches);
    td_image_close(image);
}

static void run_seed(const char *elf, uint32_t core, enum td_policy policy, uint32_t seed)
{
    struct machine *m = machine_create();
    struct consumer consumer = {seed, policy == TD_POLICY_BLOCK ? 4 : seed % 17};
    const uint32_t off = random_zones_off(seed);
    uint32_t kinds_at, bytes;
    machine_load(m, elf, core);
    switch_zones(m, elf, off);
    machine_reset_lane(m, policy);
    m->ticks = 0x100000000 - seed * UINT64_C(5000) % 0x8000000;
    if (policy != TD_POLICY_OVERWRITE) {
        m->head_read = drain_sometimes;
        m->head_read_self = &consumer;
    }
    const bool ended = machine_run(m, 7, seed * 2654435761u, 200000000);
    const struct random_emitted e = random_read_emitted(m, off, false);
    assert_int_equal(ended, !e.faulted);
    faults += e.faulted;
    early_exits += !e.faulted && e.opens;
    mutes += e.muted;
    if (policy == TD_POLICY_OVERWRITE)
        machine_drain_overwritten(m);
    else
        take_all(m);
    assert_true(machine_symbol(m, "kinds", &kinds_at, &bytes));
    struct records r;
    records_read(&r, m->words, m->slots, elf);
    assert_int_equal(r.bad_slots, 0);
    const struct random_arrived a =
        random_check_lines(&r, m->l1 + kinds_at, e.others, policy != TD_POLICY_BLOCK);
    /* A core that faults leaves `tail` behind, so not all of what it overwrites is known here. */
    if (policy != TD_POLICY_OVERWRITE || !e.faulted)
        random_check_counts(m, &a, &e, policy);
    records_free(&r);
    machine_destroy(m);
}

static void run_kernels(enum td_policy policy, uint32_t seed)
{
    run_seed(KERNEL("t_random"), 0, policy, seed);
    run_seed(KERNEL("t_random_tiny"), 0, policy, seed);
    run_seed(KERNEL("t_random_ncrisc"), 1, policy, seed);
    run_seed(KERNEL("t_random_trisc0"), 2, policy, seed);
    run_seed(KERNEL("t_random_trisc1"), 3, policy, seed);
    run_seed(KERNEL("t_random_trisc2"), 4, policy, seed);
}

static void check_policy(enum td_policy policy)
{
    for (uint32_t seed = first_seed; seed < first_seed + seeds; seed++)
        run_kernels(policy, seed);
    assert_true(seeds < 12 || (faults && early_exits && mutes));
}

/* The test is the consumer of a stamped launch, too. */
static void poll_sometimes(struct machine *m, void *self)
{
    stamper_poll(self, m->head_reads % 3 ? 0 : MACHINE_RING_SLOTS);
}

/* Of the kinds of zones that are on: what the kernel has counted is what it has written. */
static void check_stamped_counts(const struct machine *m, const struct stamper_counts *counts, uint32_t off)
{
    uint32_t begun = 0, finished = 0;
    for (unsigned i = 0; i < SUM1; i++) {
        begun += off >> i & 1 ? 0 : random_word(m, "begun", i);
        finished += off >> i & 1 ? 0 : random_word(m, "finished", i);
    }
    assert_int_equal(counts->begins, begun);
    assert_int_equal(counts->ends, finished);
}

static void run_stamped(const char *elf, uint32_t core, enum td_policy policy, uint32_t seed, bool overflow)
{
    struct machine *m = machine_create();
    const uint32_t off = random_zones_off(seed);
    const struct stamper_options options = {
        .pieces = 2 + seed % 30, .one_of = overflow ? 200 : 40, .reads_if_full = !overflow, .seed = seed};
    uint32_t kinds_at, bytes;
    size_t slots;
    machine_load(m, elf, core);
    switch_zones(m, elf, off);
    machine_reset_lane(m, policy);
    m->ticks = 0x100000000 - seed * UINT64_C(5000) % 0x8000000;
    struct stamper *stamper = stamper_create(m, &options);
    m->head_read = poll_sometimes;
    m->head_read_self = stamper;
    const bool ended = machine_run(m, 7, seed * 2654435761u, 200000000);
    const struct random_emitted e = random_read_emitted(m, off, true);
    assert_int_equal(ended, !e.faulted);
    const uint32_t *words = stamper_finish(stamper, &slots);
    assert_true(machine_symbol(m, "kinds", &kinds_at, &bytes));
    struct records r;
    records_read(&r, words, slots, elf);
    assert_int_equal(r.bad_slots, 0);
    const struct random_arrived a =
        random_check_lines(&r, m->l1 + kinds_at, e.others, policy != TD_POLICY_BLOCK);
    random_check_counts(m, &a, &e, policy);
    const struct stamper_counts counts = stamper_check(stamper, &r);
    check_stamped_counts(m, &counts, off);
    assert_true(overflow || !counts.overflowed);
    overflows += counts.overflowed;
    records_free(&r);
    stamper_destroy(stamper);
    machine_destroy(m);
}

/* Each seed has one kind of core. */
static void check_stamped(bool overflow)
{
    static const char *const kernels[] = {KERNEL("t_random_stamped_brisc"), KERNEL("t_random_stamped_ncrisc"),
                                          KERNEL("t_random_stamped_trisc0"),
                                          KERNEL("t_random_stamped_trisc1"),
                                          KERNEL("t_random_stamped_trisc2")};
    for (uint32_t seed = first_seed; seed < first_seed + seeds; seed++)
        for (int i = 0; i < 2; i++)
            run_stamped(kernels[seed % 5], seed % 5, i ? TD_POLICY_DROP : TD_POLICY_BLOCK, seed, overflow);
}

static void stamped_zones_all_arrive_while_the_stream_has_room(void **state)
{
    check_stamped(false);
}

static void a_full_stream_loses_zones_and_tells_so(void **state)
{
    check_stamped(true);
    assert_true(seeds < 12 || overflows);
}

static void with_block_every_marker_arrives(void **state)
{
    check_policy(TD_POLICY_BLOCK);
}

static void with_drop_what_arrived_and_what_was_lost_is_what_was_emitted(void **state)
{
    check_policy(TD_POLICY_DROP);
}

static void with_overwrite_what_arrived_and_what_was_lost_is_what_was_emitted(void **state)
{
    check_policy(TD_POLICY_OVERWRITE);
}

int main(int argc, char **argv)
{
    if (argc == 3) {
        first_seed = (uint32_t)strtoul(argv[1], NULL, 0);
        seeds = (uint32_t)strtoul(argv[2], NULL, 0);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(with_block_every_marker_arrives),
        cmocka_unit_test(with_drop_what_arrived_and_what_was_lost_is_what_was_emitted),
        cmocka_unit_test(with_overwrite_what_arrived_and_what_was_lost_is_what_was_emitted),
        cmocka_unit_test(stamped_zones_all_arrive_while_the_stream_has_room),
        cmocka_unit_test(a_full_stream_loses_zones_and_tells_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
