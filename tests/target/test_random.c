/* Random kernels against an oracle: with every policy, what arrived and what was lost is what was emitted, of
 * zones and of all other markers, and what arrived is right and in order. Some launches exit or fault within
 * their zones, some end recording, and in every other one some kinds of zones are switched off.
 *
 * The same for kernels whose zones go to the tile's timestamper: while its stream has room all zones arrive; if it
 * is full, those that arrive are right, and the loss is reported.
 *
 * test_target_random [FIRST COUNT]    seeds; by default 1 and as many as take a second or two */
#include "tests/target/records.h"
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

/* In the order of tests/target/kernels/random.c. */
enum kind {
    LOG0,
    LOG1,
    LOG2,
    LOG3,
    LOG5,
    LOG8,
    TEXT1,
    TEXT4,
    VALUE,
    INT,
    FLOAT,
    OUT,
    IN,
    DATA,
    EVENT,
    PRINT
};

/* Those from SUM1 on are no zones of .td_open: sums, which make one packet each, and a zone that is never
 * off. */
static const char *const zones[] = {"zone", "long", "span", "if", "wait", "sum1", "sum2", "main"};
enum { SUM1 = 5, SUM2, MAIN, ZONES };

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

/* The line that marker number n of this kind makes. */
static void expected_line(enum kind kind, uint32_t n, char *to, size_t bytes)
{
    const float value = (float)n;
    uint32_t bits;
    memcpy(&bits, &value, 4);
    const uint32_t h = n * 0x9e3779b9;
    switch (kind) {
    case LOG0:
        snprintf(to, bytes, "LOG none");
        break;
    case LOG1:
        snprintf(to, bytes, "LOG %u", n);
        break;
    case LOG2:
        snprintf(to, bytes, "LOG %u %u", n, n + 1);
        break;
    case LOG3:
        snprintf(to, bytes, "LOG %u %u %x", n, n + 1, h);
        break;
    case LOG5:
        snprintf(to, bytes, "LOG %u %u %x %u %x", n, n + 1, h, n + 2, ~n);
        break;
    case LOG8:
        snprintf(to, bytes, "LOG %u %u %x %u %x %x %u %u", n, n + 1, h, n + 2, ~n, n << 16, n + 3, n + 4);
        break;
    case TEXT1:
        snprintf(to, bytes, "ZTEXT %u", n);
        break;
    case TEXT4:
        snprintf(to, bytes, "ZTEXT %u %u %x %u", n, n + 1, ~n, n + 2);
        break;
    case VALUE:
        snprintf(to, bytes, "ZVALUE %" PRIx64, (uint64_t)~n << 32 | n);
        break;
    case INT:
        snprintf(to, bytes, "PLOT_INT int %x", n);
        break;
    case FLOAT:
        snprintf(to, bytes, "PLOT_FLOAT float %x", bits);
        break;
    case OUT:
        snprintf(to, bytes, "FLOW_OUT flow %x", n);
        break;
    case IN:
        snprintf(to, bytes, "FLOW_IN flow %x", n);
        break;
    case DATA:
        snprintf(to, bytes, "DATA data %08x%08x", n, ~n);
        break;
    case EVENT:
        snprintf(to, bytes, "EVENT %u", n & 0xffff);
        break;
    default:
        snprintf(to, bytes, "TEXT %u", n);
    }
}

struct arrived {
    uint64_t zones, begins, others, exits, opens, sums, summed, told_zones, told_others;
};

static bool is_other(uint32_t type)
{
    return type != TD_PACKET_STALL && type != TD_PACKET_LOST && type != TD_PACKET_EXIT &&
           type != TD_PACKET_SUM && td_packet_counts_as(type, TD_COUNTS_OTHER);
}

/* Each line that arrived is that of a marker after those of the lines before it; `gaps`: some may lack. */
static struct arrived check_lines(const struct records *r, const uint8_t *kinds, uint32_t emitted, bool gaps)
{
    struct arrived a = {0};
    uint32_t n = 0;
    uint64_t last = 0;
    for (size_t i = 0; i < r->count; i++) {
        const struct td_packet_record *p = &r->all[i];
        char wanted[200] = "";
        a.zones += p->type == TD_PACKET_ZONE;
        a.begins += p->type == TD_PACKET_BEGIN;
        a.exits += p->type == TD_PACKET_EXIT;
        a.opens += p->type == TD_PACKET_OPEN;
        if (p->type == TD_PACKET_SUM) {
            a.sums++;
            a.summed += p->value2;
        }
        if (p->type == TD_PACKET_LOST) {
            a.told_zones += p->value;
            a.told_others += p->value2;
        }
        if (p->type == TD_PACKET_ZONE) {
            assert_true(p->end_ticks >= last);
            last = p->end_ticks;
        }
        if (!is_other(p->type))
            continue;
        const char *line = r->text + r->lines[i];
        const size_t length = strcspn(line, "\n");
        for (; n < emitted; n++) {
            expected_line((enum kind)kinds[n], n, wanted, sizeof wanted);
            if ((strlen(wanted) == length && strncmp(line, wanted, length) == 0) || !gaps)
                break;
        }
        if (n == emitted || strlen(wanted) != length || strncmp(line, wanted, length) != 0)
            fail_msg("marker %u is not as it was written: %.*s, expected %s", n, (int)length, line, wanted);
        a.others++;
        n++;
    }
    return a;
}

/* As a host that reads after the core has stopped. */
static void take_all(struct machine *m)
{
    while (machine_drain(m, MACHINE_RING_SLOTS))
        ;
}

/* Kinds of zones that are off, as bits. */
static uint32_t zones_off(uint32_t seed)
{
    return seed % 2 ? seed / 2 % (1u << MAIN) : 0;
}

static bool is_off(const void *off, const struct td_site *site)
{
    for (unsigned i = 0; site && i < ZONES; i++)
        if (strcmp(site->name, zones[i]) == 0)
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

static uint32_t word_of(const struct machine *m, const char *symbol, unsigned index)
{
    uint32_t at, bytes, word;
    assert_true(machine_symbol(m, symbol, &at, &bytes));
    memcpy(&word, m->l1 + at + 4 * index, 4);
    return word;
}

/* What the kernel emitted. */
struct emitted {
    uint32_t zones, opens, others; /* opens: kinds of zones that were marked as open at an exit */
    uint32_t sums, summed;         /* packets at the launch's end, and zones that they add up */
    uint32_t unsure;               /* of the zones: may neither have arrived nor been lost */
    bool faulted, muted;
};

/* stamped: zones before SUM1 are in the timestamper's stream. */
static struct emitted read_emitted(const struct machine *m, uint32_t off, bool stamped)
{
    struct emitted e = {.others = word_of(m, "totals", 0),
                        .faulted = word_of(m, "faulted", 0),
                        .muted = word_of(m, "muted", 0),
                        .unsure = word_of(m, "unsure", 0)};
    for (unsigned i = stamped ? SUM1 : 0; i < ZONES; i++) {
        const uint32_t finished = word_of(m, "finished", i);
        if (off >> i & 1)
            continue;
        if (i == SUM1 || i == SUM2) {
            e.sums += finished > 0;
            e.summed += finished;
            continue;
        }
        e.zones += finished;
        e.opens += i != MAIN && word_of(m, "open", i) > 0;
    }
    /* What a launch writes at its end. */
    if (e.faulted || e.muted)
        e.opens = e.sums = e.summed = 0;
    return e;
}

static void check_counts(const struct machine *m, const struct arrived *a, const struct emitted *e,
                         enum td_policy policy)
{
    const uint32_t lost_zones = machine_lane(m, TD_LANE_lost_zones),
                   lost_other = machine_lane(m, TD_LANE_lost_other);
    /* The kernel's own zone is the one more. */
    const uint64_t zones = a->zones + a->begins + a->opens + lost_zones, wanted = e->zones + 1 + e->opens;
    const uint64_t unsure = policy == TD_POLICY_DROP ? e->unsure : 0;
    if (zones > wanted || zones + unsure < wanted)
        fail_msg("%" PRIu64 " zones arrived or were lost, %" PRIu64 " were emitted", zones, wanted);
    assert_int_equal(a->others + a->sums + lost_other, e->others + e->sums);
    if (a->sums == e->sums)
        assert_int_equal(a->summed, e->summed);
    assert_int_equal(a->exits, !e->faulted);
    if (policy == TD_POLICY_BLOCK)
        assert_int_equal(lost_zones + lost_other, 0);
    if (policy == TD_POLICY_DROP && !e->faulted) {
        assert_int_equal(a->told_zones, lost_zones);
        assert_int_equal(a->told_others, lost_other);
    }
}

static void run_seed(const char *elf, uint32_t core, enum td_policy policy, uint32_t seed)
{
    struct machine *m = machine_create();
    struct consumer consumer = {seed, policy == TD_POLICY_BLOCK ? 4 : seed % 17};
    const uint32_t off = zones_off(seed);
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
    const struct emitted e = read_emitted(m, off, false);
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
    const struct arrived a = check_lines(&r, m->l1 + kinds_at, e.others, policy != TD_POLICY_BLOCK);
    /* A core that faults leaves `tail` behind, so not all of what it overwrites is known here. */
    if (policy != TD_POLICY_OVERWRITE || !e.faulted)
        check_counts(m, &a, &e, policy);
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
        begun += off >> i & 1 ? 0 : word_of(m, "begun", i);
        finished += off >> i & 1 ? 0 : word_of(m, "finished", i);
    }
    assert_int_equal(counts->begins, begun);
    assert_int_equal(counts->ends, finished);
}

static void run_stamped(const char *elf, uint32_t core, enum td_policy policy, uint32_t seed, bool overflow)
{
    struct machine *m = machine_create();
    const uint32_t off = zones_off(seed);
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
    const struct emitted e = read_emitted(m, off, true);
    assert_int_equal(ended, !e.faulted);
    const uint32_t *words = stamper_finish(stamper, &slots);
    assert_true(machine_symbol(m, "kinds", &kinds_at, &bytes));
    struct records r;
    records_read(&r, words, slots, elf);
    assert_int_equal(r.bad_slots, 0);
    const struct arrived a = check_lines(&r, m->l1 + kinds_at, e.others, policy != TD_POLICY_BLOCK);
    check_counts(m, &a, &e, policy);
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
