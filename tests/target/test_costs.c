/* The published costs of markers (proto/device/cost.h) are those of the machine code: kernels with one
 * marker, against the same without it. */
#include "bench/device/kernel.h"
#include "proto/device/cost.h"
#include "tests/target/machine.h"

#include "host/device/image/image.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define KERNEL(name) TD_BINARY_DIR "/tests/kernels/" name ".elf"
#define INLINED      KERNEL("t_costs")
#define TINY         KERNEL("t_costs_tiny")
#define STAMPED      KERNEL("t_costs_stamped")
#define OFF          KERNEL("t_costs_off")

struct counted {
    double instructions, stores, calls;
};

static struct counted run(const char *elf, enum bench_case which, uint32_t zones, enum td_policy policy,
                          bool drains)
{
    struct machine *m = machine_create();
    machine_load(m, elf, 0);
    machine_reset_lane(m, policy);
    m->head_read = drains ? machine_drain_all : NULL;
    m->counts = true;
    assert_true(machine_run(m, 7, (uint32_t)which << BENCH_CASE_SHIFT | zones, 200000000));
    const struct counted c = {(double)m->instructions, (double)m->stores, machine_lane(m, TD_LANE_calls)};
    machine_destroy(m);
    return c;
}

static struct counted difference(struct counted a, struct counted b)
{
    return (struct counted){a.instructions - b.instructions, a.stores - b.stores, a.calls - b.calls};
}

/* What a drained lane's markers cost. */
static struct counted cost(const char *elf, enum bench_case with, enum bench_case without, uint32_t zones)
{
    return difference(run(elf, with, zones, TD_POLICY_BLOCK, true),
                      run(elf, without, zones, TD_POLICY_BLOCK, true));
}

static void expect(struct counted c, double instructions, double stores, const char *what)
{
    if (c.instructions != instructions || c.stores != stores)
        fail_msg("%s: %g instructions and %g stores, published are %g and %g", what, c.instructions, c.stores,
                 instructions, stores);
}

static void markers_cost_what_is_published(void **state)
{
    static const struct {
        enum td_cost cost;
        enum bench_case with, without;
    } markers[] = {
        {TD_COST_SPAN, SPAN, LINE_WITHOUT},     {TD_COST_LOG_0, LOG_PLAIN, LINE_CALLS},
        {TD_COST_LOG_1, LOG_ONE, LINE_CALLS},   {TD_COST_LOG_2, LOG_TWO, LINE_CALLS},
        {TD_COST_LOG_3, LOG, LOG_CALLS},        {TD_COST_LOG_4, LOG_FOUR, LINE_CALLS},
        {TD_COST_LOG_5, LOG_FIVE, LINE_CALLS},  {TD_COST_LOG_6, LOG_SIX, LINE_CALLS},
        {TD_COST_LOG_7, LOG_SEVEN, LINE_CALLS}, {TD_COST_LOG_8, LOG_EIGHT, LINE_CALLS},
        {TD_COST_LOG_1, TEXT, LINE_CALLS},      {TD_COST_VALUE, VALUE, LINE_CALLS},
        {TD_COST_POINT, PLOT, LINE_CALLS},      {TD_COST_POINT, FLOW, LINE_CALLS},
        {TD_COST_EVENT, EVENT, LINE_CALLS},     {TD_COST_DATA, DATA, LINE_CALLS},
    };
    for (size_t i = 0; i < sizeof markers / sizeof *markers; i++) {
        const struct td_cost_row row = td_cost_of(markers[i].cost);
        expect(cost(INLINED, markers[i].with, markers[i].without, 1), row.instructions, row.stores, row.what);
    }
}

/* In a loop that does not reach the end of the ring's first quarter. */
static void zones_cost_what_is_published(void **state)
{
    const struct td_cost_row zone = td_cost_of(TD_COST_ZONE), tiny = td_cost_of(TD_COST_TINY),
                             extra = td_cost_of(TD_COST_LONG);
    expect(difference(cost(INLINED, LOOP_WITH, LOOP_WITHOUT, 30), cost(INLINED, LOOP_WITH, LOOP_WITHOUT, 10)),
           20 * zone.instructions, 20 * zone.stores, zone.what);
    expect(cost(INLINED, LINE_WITH, LINE_WITHOUT, 1), zone.instructions + 3, zone.stores, "with 3 constants");
    expect(cost(TINY, LINE_WITH, LINE_WITHOUT, 1), tiny.instructions + 2, tiny.stores, tiny.what);
    expect(cost(INLINED, LONG_ZONE, LONG_WITHOUT, 1), zone.instructions + 3 + extra.instructions,
           zone.stores + extra.stores, extra.what);
    expect(cost(TINY, LONG_ZONE, LONG_WITHOUT, 1), tiny.instructions + 2 + extra.instructions,
           tiny.stores + extra.stores, extra.what);
    const struct td_cost_row stamped = td_cost_of(TD_COST_STAMPED);
    expect(difference(cost(STAMPED, LOOP_WITH, LOOP_WITHOUT, 30), cost(STAMPED, LOOP_WITH, LOOP_WITHOUT, 10)),
           20 * stamped.instructions, 20 * stamped.stores, stamped.what);
    expect(cost(STAMPED, LINE_WITH, LINE_WITHOUT, 1), stamped.instructions + 2, stamped.stores,
           "with 2 constants");
    const struct td_cost_row sum = td_cost_of(TD_COST_SUM);
    expect(difference(cost(INLINED, SUMS, LOOP_WITHOUT, 30), cost(INLINED, SUMS, LOOP_WITHOUT, 10)),
           20 * sum.instructions, 20 * sum.stores, sum.what);
}

static void within(double is, double published, const char *what)
{
    if (fabs(is - published) > 0.02 * published)
        fail_msg("%s: %g, published is %g", what, is, published);
}

/* A loop of many markers less those of a loop without calls, for each call of the runtime. */
static struct counted of_call(enum bench_case loop, enum td_policy policy)
{
    enum { FEW = 6400, MANY = 64000 };
    const struct counted one = difference(run(INLINED, loop, 5, policy, true),
                                          run(INLINED, loop, 4, policy, true)),
                         all = difference(run(INLINED, loop, MANY, policy, true),
                                          run(INLINED, loop, FEW, policy, true));
    return (struct counted){(all.instructions - (MANY - FEW) * one.instructions) / all.calls,
                            (all.stores - (MANY - FEW) * one.stores) / all.calls, all.calls};
}

static void calls_cost_what_is_published(void **state)
{
    static const struct {
        enum td_cost cost;
        enum bench_case loop;
        enum td_policy policy;
    } calls[] = {
        {TD_COST_CALL_ZONE, LOOP_WITH, TD_POLICY_BLOCK}, {TD_COST_CALL_ZONE, LOOP_WITH, TD_POLICY_DROP},
        {TD_COST_CALL_POINT, PLOTS, TD_POLICY_BLOCK},    {TD_COST_CALL_LOG, LOGS, TD_POLICY_BLOCK},
        {TD_COST_BLOCK, LOOP_WITH, TD_POLICY_OVERWRITE},
    };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        const struct td_cost_row row = td_cost_of(calls[i].cost);
        const struct counted call = of_call(calls[i].loop, calls[i].policy);
        within(call.instructions, row.instructions, row.what);
        if (fabs(call.stores - row.stores) > 0.5)
            fail_msg("%s: %g stores, published are %g", row.what, call.stores, row.stores);
    }
    const struct counted dropped = difference(run(INLINED, LOOP_WITH, 3000, TD_POLICY_DROP, false),
                                              run(INLINED, LOOP_WITH, 2000, TD_POLICY_DROP, false)),
                         none = difference(run(INLINED, LOOP_WITHOUT, 3000, TD_POLICY_DROP, false),
                                           run(INLINED, LOOP_WITHOUT, 2000, TD_POLICY_DROP, false));
    const struct td_cost_row row = td_cost_of(TD_COST_DROPPED);
    expect(difference(dropped, none), 1000 * row.instructions, 1000 * row.stores, row.what);
}

static void lines_and_launches_cost_what_is_published(void **state)
{
    const struct td_cost_row line = td_cost_of(TD_COST_LINE), slot = td_cost_of(TD_COST_LINE_SLOT),
                             launch = td_cost_of(TD_COST_LAUNCH);
    const struct counted small = cost(INLINED, LINE_SHORT, LINE_WITHOUT, 1),
                         large = cost(INLINED, LINE_LONG, LINE_WITHOUT, 1);
    expect(small, line.instructions + slot.instructions, line.stores + slot.stores, line.what);
    expect(large, line.instructions + 7 * slot.instructions, line.stores + 7 * slot.stores, slot.what);
    struct counted with[2];
    const char *const elf[2] = {INLINED, OFF};
    for (int i = 0; i < 2; i++) {
        struct machine *m = machine_create();
        machine_load(m, elf[i], 0);
        machine_reset_lane(m, TD_POLICY_BLOCK);
        m->head_read = machine_drain_all;
        assert_true(machine_run(m, 7, 0, 20000000));
        const uint32_t calls = machine_lane(m, TD_LANE_calls);
        m->counts = m->counts_all = true;
        assert_true(machine_run(m, 7, 0, 20000000));
        with[i] = (struct counted){(double)m->instructions, (double)m->stores,
                                   machine_lane(m, TD_LANE_calls) - calls};
        machine_destroy(m);
    }
    within(with[0].instructions - with[1].instructions, launch.instructions, launch.what);
    within(with[0].stores - with[1].stores, launch.stores, launch.what);
    assert_int_equal((int)with[0].calls, TD_LAUNCH_CALLS);
}

/* The host sees in the image how many of a zone's constants are executed with it. */
static void images_know_the_cost_of_their_zones(void **state)
{
    static const struct {
        const char *elf, *zone;
        double instructions;
    } zones[] = {{INLINED, "line", 19}, {INLINED, "loop", 16}, {INLINED, "long", 19},
                 {INLINED, "span", 21}, {TINY, "line", 22},    {TINY, "loop", 21},
                 {INLINED, "sum", 62},  {STAMPED, "line", 4},  {STAMPED, "loop", 2}};
    for (size_t i = 0; i < sizeof zones / sizeof *zones; i++) {
        struct td_err err = {0};
        struct td_image *image = td_image_open(zones[i].elf, &err);
        assert_non_null(image);
        bool found = false;
        for (uint32_t id = 0; id < td_image_site_count(image); id++) {
            const struct td_site *site = td_image_site(image, id);
            if (!site || strcmp(site->name, zones[i].zone) != 0)
                continue;
            found = true;
            if (site->instructions != zones[i].instructions)
                fail_msg("%s of %s takes %g instructions, not %g", zones[i].zone, zones[i].elf,
                         zones[i].instructions, site->instructions);
        }
        assert_true(found);
        td_image_close(image);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(markers_cost_what_is_published),
        cmocka_unit_test(zones_cost_what_is_published),
        cmocka_unit_test(calls_cost_what_is_published),
        cmocka_unit_test(lines_and_launches_cost_what_is_published),
        cmocka_unit_test(images_know_the_cost_of_their_zones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
