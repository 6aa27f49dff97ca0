/* Operations: which zones belong to one launch, and who ended last. */
#include "host/trace/fill.h"
#include "host/query/flows/chain.h"
#include "host/query/ops/operations.h"
#include "proto/track.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <string.h>
#include <stdio.h>
#include <stdlib.h>

#define CORES  6
#define ROUNDS 4

/* The zone of core c in round r: the cores start late by their number, and the third one takes twice as long. */
static int64_t start_of(int core, int round)
{
    return 1000 * round + 10 * core;
}

static int64_t length_of(int core)
{
    return core == 2 ? 400 : 200;
}

/* Rounds 0 and 1 have the launches 7 and 8, rounds 2 and 3 have launch 9 twice. without: no texts. */
static struct td_trace *make_trace(bool without)
{
    static const int launch[ROUNDS] = {7, 8, 9, 9};
    struct td_trace *trace = td_trace_create(td_dict_create());
    struct td_dict *dict = td_trace_fill_dict(trace);
    uint32_t place = td_dict_srcloc(
        dict, &(struct td_srcloc){.name = td_dict_cstring(dict, without ? "BRISC-KERNEL" : "kernel")});
    for (int c = 0; c < CORES; c++) {
        struct td_track core = {
            .thread = td_track_id(0, (unsigned)c, 0, 0), .kind = TD_TRACK_CORE, .x = (uint16_t)c};
        uint32_t track = td_dict_track(dict, &core);
        struct td_sink sink = td_trace_sink(trace);
        for (int r = 0; r < ROUNDS; r++) {
            char text[64];
            snprintf(text, sizeof text, "note\n" TD_FLOW_TEXT_FORMAT, "in", TD_FLOW_LAUNCH,
                     (unsigned long)launch[r]);
            const struct td_event zone = {.kind = TD_EVENT_ZONE,
                                          .track = track,
                                          .time_ns = start_of(c, r),
                                          .value.end_ns = start_of(c, r) + length_of(c),
                                          .srcloc = place,
                                          .subject = without ? 0 : td_dict_cstring(dict, text)};
            assert_int_equal(sink.events(sink.self, &zone, 1, NULL), 0);
        }
    }
    assert_int_equal(td_trace_finish(trace, NULL), 0);
    return trace;
}

/* The members of other lanes are left out, and the operations keep their numbers. */
static void check_lanes(struct td_trace *trace, const uint64_t ids[ROUNDS])
{
    struct td_operations some;
    const uint32_t tracks = td_dict_track_count(td_trace_dict(trace));
    uint8_t passes[100] = {0};
    assert_in_range(tracks, 2, sizeof passes);
    for (uint32_t t = 0; t < tracks; t++)
        passes[t] = t % 2 == 0;
    const struct td_lane_choice lanes = {passes, tracks};
    const struct td_operations_request request = {.trace = trace, .lanes = &lanes};
    assert_int_equal(td_operations_make(&some, &request), 0);
    assert_int_equal(some.count, ROUNDS);
    assert_int_equal(some.all, ROUNDS);
    for (size_t i = 0; i < some.member_count; i++)
        assert_true(td_lane_chosen(&lanes, some.member[i].zone.track));
    for (int r = 0; r < ROUNDS; r++)
        assert_true(some.operation[r].id == ids[r] && some.operation[r].count < CORES &&
                    some.operation[r].launches == CORES);
    td_operations_free(&some);
    memset(passes, 0, sizeof passes);
    assert_int_equal(td_operations_make(&some, &request), 0);
    assert_true(some.count == 0 && some.all == ROUNDS);
    td_operations_free(&some);
}

static void check(bool without, const uint64_t ids[ROUNDS])
{
    struct td_trace *trace = make_trace(without);
    struct td_operations all;
    assert_int_equal(td_operations_make(&all, &(struct td_operations_request){.trace = trace}), 0);
    assert_int_equal(all.count, ROUNDS);
    assert_int_equal(all.all, ROUNDS);
    check_lanes(trace, ids);
    assert_true(all.by_order == without && !all.cut);
    for (int r = 0; r < ROUNDS; r++) {
        const struct td_operation *o = &all.operation[r];
        assert_true(o->id == ids[r] && o->count == CORES);
        assert_true(o->start_ns == start_of(0, r) && o->end_ns == start_of(2, r) + length_of(2));
        assert_int_equal(o->last.track, 2);
        /* The third end in order: those of cores 0, 1, 3. */
        assert_true(o->median_ns == start_of(3, r) + length_of(3));
        for (int c = 0; c < CORES; c++) {
            const struct td_operation_member *m = &all.member[o->first + (size_t)c];
            assert_true(m->zone.track == (uint32_t)c && m->start_ns == start_of(c, r));
        }
    }
    td_operations_free(&all);
    td_trace_destroy(trace);
}

static void a_launch_joins_the_zones_of_its_cores(void **state)
{
    check(false, (const uint64_t[]){7, 8, 9, 9});
}

static void without_ids_launches_are_joined_by_their_order(void **state)
{
    check(true, (const uint64_t[]){0, 1, 2, 3});
}

static void a_cancelled_job_gives_none(void **state)
{
    struct td_trace *trace = make_trace(false);
    struct td_operations all;
    struct td_job job = {.cancelled = 1};
    const struct td_operations_request request = {.trace = trace, .job = &job};
    assert_int_equal(td_operations_make(&all, &request), TD_E_STOPPED);
    assert_null(all.operation);
    td_trace_destroy(trace);
}

#define STEPS 300 /* more than the chain of a zone has */

/* Step i is a zone of core i % 3, which receives from step i - 1 and sends to step i + 1; a fourth core takes part in
 * nothing. */
static void a_chain_leads_over_all_cores_back_to_the_beginning(void **state)
{
    struct td_trace *trace = td_trace_create(td_dict_create());
    struct td_dict *dict = td_trace_fill_dict(trace);
    const struct td_sink sink = td_trace_sink(trace);
    const uint32_t place = td_dict_srcloc(dict, &(struct td_srcloc){.name = td_dict_cstring(dict, "step")});
    uint32_t track[4];
    for (unsigned c = 0; c < 4; c++)
        track[c] = td_dict_track(
            dict,
            &(struct td_track){.thread = td_track_id(0, c, 0, 0), .kind = TD_TRACK_CORE, .x = (uint16_t)c});
    for (int i = 0; i < STEPS; i++) {
        char text[120];
        snprintf(text, sizeof text, TD_FLOW_TEXT_FORMAT "\n" TD_FLOW_TEXT_FORMAT, "out", "p",
                 (unsigned long)i + 1, "in", "p", (unsigned long)i);
        const struct td_event zone = {.kind = TD_EVENT_ZONE,
                                      .track = track[i % 3],
                                      .time_ns = 100 * i,
                                      .value.end_ns = 100 * i + 80,
                                      .srcloc = place,
                                      .subject = td_dict_cstring(dict, text)};
        assert_int_equal(sink.events(sink.self, &zone, 1, NULL), 0);
    }
    assert_int_equal(td_trace_finish(trace, NULL), 0);
    struct td_flows flows = {0};
    struct td_chain chain = {0};
    assert_int_equal(td_flows_build(&flows, trace, NULL), 0);
    const uint32_t last = track[(STEPS - 1) % 3];
    assert_int_equal(td_chain_back(&chain, &flows, TD_CHAIN_OF_TRACK(last), 100 * STEPS, 0, NULL), 0);
    assert_true(chain.count == STEPS - 1 && td_chain_tracks(&chain) == 3 && chain.ends == flows.ends);
    for (size_t i = 0; i < chain.count; i++)
        assert_true(chain.links[i].to->start_ns == 100 * (STEPS - 1 - (int64_t)i) &&
                    chain.links[i].from->start_ns == 100 * (STEPS - 2 - (int64_t)i));
    td_chain_free(&chain);
    /* It ends with the step that leads out of the operation. */
    assert_int_equal(
        td_chain_back(&chain, &flows, TD_CHAIN_OF_TRACK(last), 100 * STEPS, 100 * (STEPS - 10), NULL), 0);
    assert_int_equal(chain.count, 10);
    td_chain_free(&chain);
    assert_int_equal(td_chain_back(&chain, &flows, TD_CHAIN_OF_TRACK(track[3]), 100 * STEPS, 0, NULL), 0);
    assert_true(chain.count == 0 && td_chain_tracks(&chain) == 0);
    td_chain_free(&chain);
    td_flows_free(&flows);
    td_trace_destroy(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_launch_joins_the_zones_of_its_cores),
        cmocka_unit_test(without_ids_launches_are_joined_by_their_order),
        cmocka_unit_test(a_cancelled_job_gives_none),
        cmocka_unit_test(a_chain_leads_over_all_cores_back_to_the_beginning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
