/* What the lists of the viewer contain: losses, messages, flows and waits, frames, plots, facts. Each is compared
 * with a naive calculation or with what `tendril info` counts. */
#include "host/file/format.h"
#include "host/query/rows/track_sum.h"
#include "host/query/flows/chain.h"
#include "host/query/rows/frame_times.h"
#include "host/query/facts/losses.h"
#include "host/query/rows/message_table.h"
#include "host/query/rows/plot_sums.h"
#include "host/query/facts/trace_facts.h"
#include "host/query/flows/waits.h"
#include "host/query/flows/scan.h"
#include "tests/query/demo_trace.h"
#include "proto/track.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- losses ---- */

static void losses_list_gaps_and_stalls_in_order_of_time(void **state)
{
    struct td_trace *trace = demo_trace(2);
    struct td_scan scan = {0};
    struct td_losses losses;
    assert_int_equal(td_scan_run(&scan, trace, true, NULL), 0);
    assert_int_equal(td_losses_make(&losses, trace, &scan.lost, NULL), 0);
    const size_t corrected = td_trace_clamped(trace) > 0; /* comes first: it has no time */
    assert_int_equal(losses.count, corrected + 2);
    const struct td_loss *gap = &losses.list[corrected], *stall = gap + 1;
    assert_int_equal(gap->kind, TD_LOSS_DROPPED);
    assert_int_equal(gap->count, 128);
    assert_int_equal(gap->length_ns, 110000);
    assert_string_equal(gap->text, "128 zones and 0 other packets lost");
    assert_int_equal(td_trace_zone(trace, gap->zone.track, gap->zone.row, gap->zone.index).start_ns,
                     gap->start_ns);
    assert_int_equal(stall->kind, TD_LOSS_STALL);
    assert_int_equal(stall->length_ns, 40000);
    assert_true(gap->start_ns < stall->start_ns);
    td_losses_free(&losses);
    td_scan_free(&scan);
    td_trace_destroy(trace);
}

static void every_fact_about_damage_is_a_loss(void **state)
{
    struct td_trace *trace = td_trace_create(td_dict_create());
    struct td_dict *dict = td_trace_fill_dict(trace);
    struct td_track unsynced = {.thread = 77, .unsynced = 1};
    const uint32_t track = td_dict_track(dict, &unsynced);
    td_trace_note(trace, TD_NOTE_FAULT, "core 3 stopped");
    td_trace_note(trace, TD_NOTE_FAULT, "core 4 stopped");
    td_trace_note(trace, TD_NOTE_DAMAGE, "lane 5 was overwritten");
    td_trace_note(trace, TD_NOTE_INSTRUMENTATION, "a zone ended twice");
    td_trace_note(trace, TD_NOTE_CLIENT_UNMATCHED, "3 ends of zones");
    td_trace_note(trace, TD_NOTE_CLIENT_LOST, "555 samples and context switches");
    td_trace_note(trace, TD_NOTE_BAD_BYTES, "%d", 24);
    td_trace_note(trace, TD_NOTE_LINK_LOST, "%d", 3);
    td_trace_note(trace, TD_NOTE_LINK_BAD, "%d", 2);
    td_trace_note(trace, TD_NOTE_LOST, "%d", 10);
    td_trace_note(trace, TD_NOTE_LOST_OTHER, "%d", 1);
    td_trace_note(trace, TD_NOTE_STALLS, "%d", 6);
    td_trace_set_crash(trace, &(struct td_crash){900, track, td_dict_cstring(dict, "Invalid memory"), 0});
    td_trace_set_string(&td_trace_edit_info(trace)->salvaged, "damaged at byte 5");
    assert_int_equal(td_trace_finish(trace, NULL), 0);
    const struct td_marks none = {0};
    const struct td_loss_counts counts = td_losses_count(trace, &none);
    static const uint64_t expected[TD_LOSS_KINDS] = {
        [TD_LOSS_CRASH] = 1,  [TD_LOSS_SALVAGED] = 1, [TD_LOSS_DROPPED] = 11, [TD_LOSS_STALL] = 6,
        [TD_LOSS_DAMAGE] = 1, [TD_LOSS_FAULT] = 2,    [TD_LOSS_UNSYNCED] = 1, [TD_LOSS_MARKERS] = 2,
        [TD_LOSS_BYTES] = 24, [TD_LOSS_LINK] = 5,     [TD_LOSS_CLIENT] = 1};
    for (int k = 0; k < TD_LOSS_KINDS; k++)
        assert_int_equal(counts.of[k], expected[k]);
    assert_true(counts.any);
    struct td_losses losses;
    assert_int_equal(td_losses_make(&losses, trace, &none, NULL), 0);
    int of[TD_LOSS_KINDS] = {0};
    for (size_t i = 0; i < losses.count; i++)
        of[losses.list[i].kind]++;
    for (int k = 0; k < TD_LOSS_KINDS; k++)
        assert_int_equal(of[k] > 0, expected[k] > 0 && k != TD_LOSS_DROPPED && k != TD_LOSS_STALL);
    assert_int_equal(of[TD_LOSS_FAULT], 2);
    assert_int_equal(losses.list[losses.count - 1].kind, TD_LOSS_CRASH);
    assert_int_equal(losses.list[losses.count - 1].start_ns, 900);
    td_losses_free(&losses);
    td_trace_destroy(trace);
}

static void a_sound_trace_has_no_losses(void **state)
{
    struct td_trace *trace = dense_trace(100);
    const struct td_marks none = {0};
    struct td_losses losses;
    assert_false(td_losses_count(trace, &none).any);
    assert_int_equal(td_losses_make(&losses, trace, &none, NULL), 0);
    assert_int_equal(losses.count, 0);
    td_losses_free(&losses);
    td_trace_destroy(trace);
}

/* ---- messages ---- */

static void a_filter_passes_what_a_look_at_each_message_passes(void **state)
{
    struct td_trace *trace = demo_trace(2);
    enum { TRACKS = 4 }; /* further ones are wanted */
    static const struct {
        enum td_message_source source;
        uint8_t severity;
        bool left_out[TRACKS];
    } filters[] = {{0},
                   {.source = TD_FROM_PROGRAM, .left_out = {false, true, true, true}},
                   {.source = TD_FROM_PROFILER},
                   {.severity = TD_SEVERITY_ERROR},
                   {.left_out = {true, false, true}},
                   {.left_out = {true, true, true, true}}};
    for (size_t f = 0; f < sizeof filters / sizeof *filters; f++) {
        struct td_query_request of = td_query_all(trace);
        struct td_messages_wanted *wanted = malloc(sizeof *wanted + sizeof filters[f].left_out);
        int rc;
        assert_non_null(wanted);
        *wanted = (struct td_messages_wanted){filters[f].source, filters[f].severity, TRACKS};
        memcpy(wanted->left_out, filters[f].left_out, sizeof filters[f].left_out);
        of.with = wanted;
        struct td_query_rows *rows = td_query_make(&td_table_messages, &of, &rc);
        assert_non_null(rows);
        assert_int_equal(rows->count, td_trace_messages(trace));
        for (uint64_t i = 0; i < rows->count; i++) {
            const struct td_message m = td_trace_message(trace, i);
            const bool passes =
                m.severity >= filters[f].severity && (m.track >= TRACKS || !filters[f].left_out[m.track]) &&
                (filters[f].source == TD_FROM_ALL || (filters[f].source == TD_FROM_PROGRAM) == !m.source);
            assert_int_equal(td_message_is_wanted(rows, i), passes);
        }
        td_query_free(rows);
    }
    td_trace_destroy(trace);
}

/* ---- flows ---- */

struct flow_maker {
    struct td_trace *trace;
    struct td_dict *dict;
    struct td_sink sink;
    uint32_t tracks[3], work, wait;
};

static uint32_t add_location(struct flow_maker *m, const char *name, uint32_t flags)
{
    struct td_srcloc s = {.name = td_dict_cstring(m->dict, name), .flags = flags};
    return td_dict_srcloc(m->dict, &s);
}

static void add_zone(struct flow_maker *m, int track, int64_t start, int64_t end, uint32_t srcloc,
                     const char *text)
{
    struct td_event event = {.kind = TD_EVENT_ZONE,
                             .track = m->tracks[track],
                             .time_ns = start,
                             .value.end_ns = end,
                             .srcloc = srcloc,
                             .subject = text ? td_dict_cstring(m->dict, text) : 0};
    m->sink.events(m->sink.self, &event, 1, NULL);
}

/* Track 0 makes a, b and c; track 1 waits for a and b, and makes d; track 2 waits for d. */
static struct td_trace *flow_trace(void)
{
    struct flow_maker m = {.trace = td_trace_create(td_dict_create())};
    m.dict = td_trace_fill_dict(m.trace);
    m.sink = td_trace_sink(m.trace);
    for (unsigned t = 0; t < 3; t++)
        m.tracks[t] = td_dict_track(m.dict, &(struct td_track){.thread = t + 1});
    m.work = add_location(&m, "work", 0);
    m.wait = add_location(&m, "wait", TD_SRCLOC_WAIT);
    add_zone(&m, 0, 0, 100, m.work, "flow out a #1");
    add_zone(&m, 0, 200, 300, m.work, "flow out b #1");
    add_zone(&m, 0, 400, 420, m.work, "flow out c #1");
    add_zone(&m, 1, 20, 105, m.wait, NULL);  /* for a */
    add_zone(&m, 1, 106, 108, m.wait, NULL); /* a has been sent: not for it */
    add_zone(&m, 1, 110, 150, m.work, "flow in a #1");
    add_zone(&m, 1, 160, 310, m.wait, NULL); /* inside, for b */
    add_zone(&m, 1, 155, 350, m.work, "flow in b #1");
    add_zone(&m, 1, 360, 380, m.work, "flow out d #1");
    add_zone(&m, 2, 0, 385, m.wait, "flow in d #1");
    assert_int_equal(td_trace_finish(m.trace, NULL), 0);
    return m.trace;
}

static void waits_count_what_began_before_the_flow_was_sent(void **state)
{
    struct td_trace *trace = flow_trace();
    struct td_flows flows;
    struct td_waits waits;
    assert_int_equal(td_flows_build(&flows, trace, NULL), 0);
    assert_int_equal(td_waits_make(&waits, trace, &flows, INT64_MIN, INT64_MAX, 1000, NULL), 0);
    assert_int_equal(waits.count, 3);
    assert_int_equal(waits.pair_count, 2);
    assert_int_equal(waits.list[0].waited_ns, 85);
    assert_int_equal(waits.list[1].waited_ns, 150);
    assert_int_equal(waits.list[2].waited_ns, 385);
    assert_int_equal(waits.pairs[0].count, 2);
    assert_int_equal(waits.pairs[0].waited_ns, 235);
    assert_int_equal(waits.pairs[0].longest_ns, 150);
    assert_int_equal(waits.pairs[0].giver, waits.list[0].from->zone.track);
    char name[40];
    assert_string_equal(td_flow_name(trace, waits.list[1].to, name, sizeof name), "b #1");
    td_waits_free(&waits);
    /* Only the flows that arrive within the range. */
    assert_int_equal(td_waits_make(&waits, trace, &flows, 120, 200, 1000, NULL), 0);
    assert_int_equal(waits.count, 1);
    td_waits_free(&waits);
    td_flows_free(&flows);
    td_trace_destroy(trace);
}

/* A sender that ends after the receiver has sent by then: open, around the wait, on a chip whose clock is off. */
static void a_sender_that_ends_late_is_waited_for(void **state)
{
    struct flow_maker m = {.trace = td_trace_create(td_dict_create())};
    m.dict = td_trace_fill_dict(m.trace);
    m.sink = td_trace_sink(m.trace);
    for (unsigned t = 0; t < 3; t++)
        m.tracks[t] = td_dict_track(m.dict, &(struct td_track){.thread = td_track_id(t / 2, t, 0, 0),
                                                               .kind = TD_TRACK_CORE,
                                                               .chip = (uint16_t)(t / 2),
                                                               .x = (uint16_t)t});
    m.work = add_location(&m, "work", 0);
    m.wait = add_location(&m, "wait", TD_SRCLOC_WAIT);
    add_zone(&m, 0, 0, 101, m.work, "flow out a #1");        /* ends just after the wait */
    add_zone(&m, 1, 20, 100, m.wait, "flow in a #1");        /* 80 */
    add_zone(&m, 0, 150, 400, m.work, "flow out a #2");      /* around the wait */
    add_zone(&m, 1, 200, 290, m.wait, NULL);                 /* 90, before the receiver */
    add_zone(&m, 1, 291, 300, m.work, "flow in a #2");       /* */
    add_zone(&m, 1, 320, 360, m.wait, "flow in skew #1");    /* 40: its sender's clock is 30 ahead */
    add_zone(&m, 2, 380, 385, m.work, "flow out skew #1");   /* */
    add_zone(&m, 1, 420, 430, m.wait, "flow in lost #1");    /* nothing of its sender came */
    add_zone(&m, 1, 500, 570, m.wait, "flow in a #3");       /* 70 */
    add_zone(&m, 0, 450, TD_OPEN, m.work, "flow out a #3");  /* is open */
    add_zone(&m, 2, 500, 900, m.work, "flow out launch #1"); /* the host's, until the kernel has ended */
    add_zone(&m, 1, 700, 720, m.wait, NULL);                 /* in the kernel: not for its launch */
    add_zone(&m, 1, 699, 800, m.work, "flow in launch #1");
    assert_int_equal(td_trace_note(m.trace, TD_NOTE_CLOCK_ERROR_NS, "%d", 30), 0);
    assert_int_equal(td_trace_finish(m.trace, NULL), 0);
    struct td_flows flows;
    struct td_waits waits;
    struct td_chain chain = {0};
    assert_int_equal(td_flows_build(&flows, m.trace, NULL), 0);
    assert_int_equal(td_waits_make(&waits, m.trace, &flows, INT64_MIN, INT64_MAX, 1000, NULL), 0);
    assert_int_equal(waits.count, 5);
    assert_int_equal(waits.pair_count, 2);
    assert_int_equal(waits.list[0].waited_ns, 80);
    assert_int_equal(waits.list[0].sent_ns, 100);
    assert_int_equal(waits.list[1].waited_ns, 90);
    assert_int_equal(waits.list[2].waited_ns, 70);
    assert_int_equal(waits.list[2].sent_ns, 570);
    assert_int_equal(waits.list[3].waited_ns, 40);
    assert_int_equal(waits.list[4].waited_ns, 0);
    assert_int_equal(waits.list[4].sent_ns, 699);
    td_waits_free(&waits);
    /* On from the sender, and back from the receiver that waited. */
    td_chain_make(&chain, &flows, m.trace, (struct td_zone_ref){0, 0, 0});
    assert_int_equal(chain.count, 1);
    assert_int_equal(chain.links[0].to->start_ns, 20);
    td_chain_make(&chain, &flows, m.trace, (struct td_zone_ref){1, 0, 0});
    assert_int_equal(chain.count, 1);
    assert_int_equal(chain.links[0].from->start_ns, 0);
    td_chain_free(&chain);
    td_flows_free(&flows);
    td_trace_destroy(m.trace);
}

/* In virtual time the sender's core may have been behind the receiver's by a turn. */
static void a_sender_in_the_next_turn_is_found_if_there_is_no_other(void **state)
{
    struct flow_maker m = {.trace = td_trace_create(td_dict_create())};
    m.dict = td_trace_fill_dict(m.trace);
    m.sink = td_trace_sink(m.trace);
    for (unsigned t = 0; t < 2; t++)
        m.tracks[t] = td_dict_track(m.dict, &(struct td_track){.thread = td_track_id(0, 0, 0, t),
                                                               .kind = TD_TRACK_CORE,
                                                               .core = (uint16_t)t});
    m.work = add_location(&m, "work", 0);
    m.wait = add_location(&m, "wait", TD_SRCLOC_WAIT);
    add_zone(&m, 1, 100, 200, m.wait, "flow in page #1"); /* 100 */
    add_zone(&m, 0, 15000, 15050, m.work, "flow out page #1");
    add_zone(&m, 1, 16000, 16500, m.wait, "flow in page #2"); /* nothing of its sender came */
    add_zone(&m, 0, 90000, 90010, m.work, "flow out page #2");
    assert_int_equal(td_trace_finish(m.trace, NULL), 0);
    struct td_flows flows;
    struct td_waits waits;
    struct td_flow_pair pairs[2];
    assert_int_equal(td_flows_build(&flows, m.trace, NULL), 0);
    assert_int_equal(td_waits_make(&waits, m.trace, &flows, INT64_MIN, INT64_MAX, 100000, NULL), 0);
    assert_int_equal(waits.count, 1);
    assert_int_equal(waits.list[0].waited_ns, 100);
    assert_int_equal(waits.lone, 1);
    assert_int_equal(td_flows_of(&flows, (struct td_zone_ref){0, 0, 0}, pairs, 2), 1);
    td_waits_free(&waits);
    td_flows_free(&flows);
    td_trace_destroy(m.trace);
}

static void a_chain_goes_back_to_the_first_sender_and_on_to_the_last_receiver(void **state)
{
    struct td_trace *trace = flow_trace();
    struct td_flows flows;
    struct td_chain chain = {0};
    assert_int_equal(td_flows_build(&flows, trace, NULL), 0);
    /* From the zone that makes d: it received nothing, so back from the receiver of b before it. */
    const struct td_zone_ref makes_d = {1, 0, td_trace_zone_after(trace, 1, 0, 365)};
    td_chain_make(&chain, &flows, trace, makes_d);
    assert_int_equal(chain.count, 2);
    assert_int_equal(chain.links[0].from->start_ns, 200);
    assert_int_equal(chain.links[0].to->start_ns, 155);
    assert_true(td_ref_equal(chain.links[1].from->zone, makes_d));
    assert_int_equal(chain.links[1].to->zone.track, 2);
    td_chain_make(&chain, &flows, trace, TD_NO_ZONE);
    assert_int_equal(chain.count, 0);
    td_chain_free(&chain);
    td_flows_free(&flows);
    td_trace_destroy(trace);
}

/* ---- frames ---- */

static struct td_trace *frame_trace(size_t frames, uint64_t offset)
{
    struct td_trace *trace = td_trace_create(td_dict_create());
    struct td_sink sink = td_trace_sink(trace);
    td_trace_edit_info(trace)->frame_offset = offset;
    td_trace_edit_info(trace)->on_demand = offset != 0;
    int64_t at = 0;
    for (size_t i = 0; i < frames; i++) {
        struct td_event event = {.kind = TD_EVENT_FRAME, .time_ns = at};
        sink.events(sink.self, &event, 1, NULL);
        at += 1000 + (int64_t)(i * 7919 % 500) * 37;
    }
    assert_int_equal(td_trace_finish(trace, NULL), 0);
    return trace;
}

static int compare_lengths(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static void frame_times_equal_a_naive_calculation(void **state)
{
    enum { FRAMES = 1000 };
    struct td_trace *trace = frame_trace(FRAMES, 0);
    struct td_frame_times times;
    static int64_t lengths[FRAMES];
    size_t count = 0;
    int64_t total = 0;
    uint64_t linear = 0, logarithmic = 0;
    assert_int_equal(td_frame_times_make(&times, trace, 0, 1 << 30, NULL), 0);
    for (size_t i = 1; i + 1 < FRAMES; i++) {
        lengths[count] = td_trace_frame(trace, 0, i + 1).start_ns - td_trace_frame(trace, 0, i).start_ns;
        total += lengths[count++];
    }
    for (size_t first = 1; first < 300; first += 17) {
        int64_t most = 0;
        for (size_t i = first; i < first + 150; i++)
            most = lengths[i - 1] > most ? lengths[i - 1] : most;
        assert_int_equal(td_frame_times_longest(&times, trace, 0, first, first + 150, 0), most);
    }
    qsort(lengths, count, sizeof *lengths, compare_lengths);
    assert_int_equal(times.count, count);
    assert_int_equal(times.total_ns, total);
    assert_int_equal(times.min_ns, lengths[0]);
    assert_int_equal(times.max_ns, lengths[count - 1]);
    assert_int_equal(times.median_ns, lengths[count / 2]);
    assert_int_equal(count, 998);
    assert_int_equal(times.p75_ns, lengths[748]); /* the 749th of 998: at least 748.5 of them */
    assert_int_equal(times.p999_ns, lengths[997]);
    assert_true(fabs(times.mean_ns - (double)total / (double)count) < 1e-6);
    for (int b = 0; b < TD_FRAME_BINS; b++) {
        linear += times.linear[b];
        logarithmic += times.logarithmic[b];
    }
    assert_int_equal(linear, count);
    assert_int_equal(logarithmic, count);
    td_frame_times_free(&times);
    td_trace_destroy(trace);
}

static void frames_of_a_capture_on_demand_count_those_before_it(void **state)
{
    struct td_trace *whole = frame_trace(5, 0), *late = frame_trace(5, 700);
    char name[40];
    assert_string_equal(td_frame_name(whole, 0, 0, name, sizeof name), "start of the program");
    assert_string_equal(td_frame_name(whole, 0, 3, name, sizeof name), "Frame 3");
    assert_string_equal(td_frame_name(late, 0, 1, name, sizeof name), "missed frames");
    assert_string_equal(td_frame_name(late, 0, 3, name, sizeof name), "Frame 702");
    assert_int_equal(td_frame_at(whole, 0, (double)td_trace_frame(whole, 0, 2).start_ns), 2);
    assert_int_equal(td_frame_at(whole, 0, -1), SIZE_MAX);
    td_trace_destroy(whole);
    td_trace_destroy(late);
}

/* ---- plots ---- */

static void plot_sums_equal_a_naive_calculation(void **state)
{
    struct td_trace *trace = demo_trace(2);
    static const int64_t ranges[][2] = {{INT64_MIN, INT64_MAX}, {1000000, 2000000}, {2000001, 2000002}};
    for (size_t r = 0; r < sizeof ranges / sizeof *ranges; r++) {
        struct td_plot_sums sums;
        assert_int_equal(td_plot_sums_make(&sums, trace, ranges[r][0], ranges[r][1], NULL), 0);
        assert_int_equal(sums.plots, td_dict_plot_count(td_trace_dict(trace)));
        for (uint32_t p = 0; p < sums.plots; p++) {
            double least = INFINITY, most = -INFINITY, sum = 0, last = 0;
            uint64_t points = 0;
            for (size_t i = 0; i < td_trace_plot_points(trace, p); i++) {
                struct td_plot_point point = td_trace_plot_point(trace, p, i);
                if (point.time_ns < ranges[r][0] || point.time_ns > ranges[r][1])
                    continue;
                least = fmin(least, point.value);
                most = fmax(most, point.value);
                sum += point.value;
                last = point.value;
                points++;
            }
            assert_int_equal(sums.of[p].points, points);
            if (!points)
                continue;
            assert_true(sums.of[p].min == least && sums.of[p].max == most && sums.of[p].last == last);
            assert_true(sums.of[p].sum == sum);
        }
        td_plot_sums_free(&sums);
    }
    td_trace_destroy(trace);
}

/* ---- facts ---- */

static void check_fact(const struct td_trace_facts *facts, const char *label, uint64_t expected)
{
    const char *value = td_trace_facts_get(facts, label);
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, expected);
    if (!expected && !value)
        return;
    assert_non_null(value);
    assert_string_equal(value, text);
}

static void facts_are_those_that_tendril_info_prints(void **state)
{
    struct td_trace *traces[] = {demo_trace(2), flow_trace(), frame_trace(9, 0), dense_trace(50)};
    for (size_t i = 0; i < sizeof traces / sizeof *traces; i++) {
        const struct td_track_totals all = td_track_totals_of(traces[i]);
        struct td_trace_facts facts;
        assert_int_equal(td_trace_facts_make(&facts, traces[i], "x.tracy", TD_FILE_VERSION(0, 11, 1)), 0);
        assert_string_equal(td_trace_facts_get(&facts, "format version"), "0.11.1");
        check_fact(&facts, "threads", all.threads);
        check_fact(&facts, "cores", all.cores);
        check_fact(&facts, "GPU rows", all.gpu_rows);
        check_fact(&facts, "zones", all.zones);
        check_fact(&facts, "zones without end", all.open);
        check_fact(&facts, "GPU zones", all.gpu_zones);
        check_fact(&facts, "messages", td_trace_messages(traces[i]));
        check_fact(&facts, "plots", td_dict_plot_count(td_trace_dict(traces[i])));
        check_fact(&facts, "frames in Frame", td_trace_frames(traces[i], 0));
        td_trace_facts_free(&facts);
        td_trace_destroy(traces[i]);
    }
}

static void facts_name_the_crash_and_what_the_capture_noted(void **state)
{
    struct td_trace *trace = td_trace_create(td_dict_create());
    struct td_dict *dict = td_trace_fill_dict(trace);
    struct td_track main_thread = {.thread = 7, .name = td_dict_cstring(dict, "Main\tthread")};
    const uint32_t track = td_dict_track(dict, &main_thread);
    td_trace_set_string(&td_trace_edit_info(trace)->host_info, "OS: Linux\nCPU: one: two\nplain\n");
    td_trace_note(trace, TD_NOTE_LOST, "%d", 12);
    td_trace_note(trace, TD_NOTE_SOURCE, "node1: aligned by clock, within 120 ns");
    td_trace_set_crash(trace,
                       &(struct td_crash){900, track, td_dict_cstring(dict, "Invalid memory\nsecond"), 0});
    assert_int_equal(td_trace_finish(trace, NULL), 0);
    struct td_trace_facts facts;
    assert_int_equal(td_trace_facts_make(&facts, trace, "", 0), 0);
    assert_string_equal(td_trace_facts_get(&facts, "OS"), "Linux");
    assert_string_equal(td_trace_facts_get(&facts, "CPU"), "one: two");
    assert_string_equal(td_trace_facts_get(&facts, "host"), "plain");
    assert_string_equal(td_trace_facts_get(&facts, "zones lost"), "12");
    assert_string_equal(td_trace_facts_get(&facts, "source"), "node1: aligned by clock, within 120 ns");
    assert_string_equal(td_trace_facts_get(&facts, "crash time"), "900 ns");
    /* Text from outside cannot make lines and columns of its own. */
    assert_string_equal(td_trace_facts_get(&facts, "crashed thread"), "Main\\tthread");
    assert_string_equal(td_trace_facts_get(&facts, "reason"), "Invalid memory");
    assert_null(td_trace_facts_get(&facts, "file"));
    assert_null(td_trace_facts_get(&facts, "format version"));
    td_trace_facts_free(&facts);
    td_trace_destroy(trace);
}

/* Tracy's clients with fibers report a wrong time. */
static void a_crash_is_not_before_the_last_event_of_its_thread(void **state)
{
    static const struct {
        int64_t reported, shown;
    } crashes[] = {{-534175460, 700}, {0, 700}, {699, 700}, {800, 800}, {INT64_C(1) << 40, 900}};
    for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++) {
        struct td_trace *trace = td_trace_create(td_dict_create());
        struct td_dict *dict = td_trace_fill_dict(trace);
        const uint32_t track = td_dict_track(dict, &(struct td_track){.thread = 7}),
                       other = td_dict_track(dict, &(struct td_track){.thread = 8}),
                       work =
                           td_dict_srcloc(dict, &(struct td_srcloc){.name = td_dict_cstring(dict, "work")});
        const struct td_event events[] = {
            {.kind = TD_EVENT_MESSAGE, .track = track, .time_ns = 500, .subject = td_dict_cstring(dict, "m")},
            {.kind = TD_EVENT_ZONE_BEGIN, .track = track, .time_ns = 600, .srcloc = work},
            {.kind = TD_EVENT_ZONE_BEGIN, .track = track, .time_ns = 700, .srcloc = work},
            {.kind = TD_EVENT_ZONE, .track = other, .time_ns = 800, .srcloc = work, .value.end_ns = 900}};
        struct td_sink sink = td_trace_sink(trace);
        assert_int_equal(sink.events(sink.self, events, 4, NULL), 0);
        td_trace_set_crash(trace, &(struct td_crash){crashes[i].reported, track, 0, 0});
        assert_int_equal(td_trace_finish(trace, NULL), 0);
        assert_int_equal(td_trace_crash_ns(trace), crashes[i].shown);
        const struct td_marks none = {0};
        struct td_losses losses;
        struct td_trace_facts facts;
        assert_int_equal(td_losses_make(&losses, trace, &none, NULL), 0);
        assert_int_equal(losses.list[0].start_ns, crashes[i].shown);
        assert_int_equal(td_trace_facts_make(&facts, trace, "", 0), 0);
        const char *wrong = td_trace_facts_get(&facts, "in the file");
        assert_true((wrong != NULL) == (crashes[i].reported != crashes[i].shown));
        td_trace_facts_free(&facts);
        td_losses_free(&losses);
        td_trace_destroy(trace);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(losses_list_gaps_and_stalls_in_order_of_time),
        cmocka_unit_test(every_fact_about_damage_is_a_loss),
        cmocka_unit_test(a_sound_trace_has_no_losses),
        cmocka_unit_test(a_filter_passes_what_a_look_at_each_message_passes),
        cmocka_unit_test(waits_count_what_began_before_the_flow_was_sent),
        cmocka_unit_test(a_sender_that_ends_late_is_waited_for),
        cmocka_unit_test(a_sender_in_the_next_turn_is_found_if_there_is_no_other),
        cmocka_unit_test(a_chain_goes_back_to_the_first_sender_and_on_to_the_last_receiver),
        cmocka_unit_test(frame_times_equal_a_naive_calculation),
        cmocka_unit_test(frames_of_a_capture_on_demand_count_those_before_it),
        cmocka_unit_test(plot_sums_equal_a_naive_calculation),
        cmocka_unit_test(facts_are_those_that_tendril_info_prints),
        cmocka_unit_test(facts_name_the_crash_and_what_the_capture_noted),
        cmocka_unit_test(a_crash_is_not_before_the_last_event_of_its_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
