#include "tests/target/random_oracle.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

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

const char *const random_zones[ZONES] = {"zone", "long", "span", "if", "wait", "sum1", "sum2", "main"};

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

static bool is_other(uint32_t type)
{
    return type != TD_PACKET_STALL && type != TD_PACKET_LOST && type != TD_PACKET_EXIT &&
           type != TD_PACKET_SUM && td_packet_counts_as(type, TD_COUNTS_OTHER);
}

struct random_arrived random_check_lines(const struct records *r, const uint8_t *kinds, uint32_t emitted,
                                         bool gaps)
{
    struct random_arrived a = {0};
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

uint32_t random_zones_off(uint32_t seed)
{
    return seed % 2 ? seed / 2 % (1u << MAIN) : 0;
}

uint32_t random_word(const struct machine *m, const char *symbol, unsigned index)
{
    uint32_t at, bytes, word;
    assert_true(machine_symbol(m, symbol, &at, &bytes));
    memcpy(&word, m->l1 + at + 4 * index, 4);
    return word;
}

struct random_emitted random_read_emitted(const struct machine *m, uint32_t off, bool stamped)
{
    struct random_emitted e = {.others = random_word(m, "totals", 0),
                               .faulted = random_word(m, "faulted", 0),
                               .muted = random_word(m, "muted", 0),
                               .unsure = random_word(m, "unsure", 0)};
    for (unsigned i = stamped ? SUM1 : 0; i < ZONES; i++) {
        const uint32_t finished = random_word(m, "finished", i);
        if (off >> i & 1)
            continue;
        if (i == SUM1 || i == SUM2) {
            e.sums += finished > 0;
            e.summed += finished;
            continue;
        }
        e.zones += finished;
        e.opens += i != MAIN && random_word(m, "open", i) > 0;
    }
    /* What a launch writes at its end. */
    if (e.faulted || e.muted)
        e.opens = e.sums = e.summed = 0;
    return e;
}

void random_check_counts(const struct machine *m, const struct random_arrived *a,
                         const struct random_emitted *e, enum td_policy policy)
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
