/* Bands of messages, plots and frames: each message and frame is in one item, the range of a plot's cell is that
 * of its points, at every scale; also while the trace grows and threads make them. */
#include "host/viewer/timeline/band_cache.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define STEPS       60
#define EVENTS      400 /* of each kind in a step */
#define FIRST_LEVEL 3
#define LEVELS      22

struct maker {
    struct td_trace *trace;
    uint32_t track, plot, set, parts, text;
    uint64_t random;
    int64_t now_ns;
};

static uint64_t draw(struct maker *m, uint64_t below)
{
    m->random = m->random * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (m->random >> 33) % below;
}

static void push(struct maker *m, struct td_event event)
{
    struct td_sink sink = td_trace_sink(m->trace);
    event.track = m->track;
    assert_int_equal(sink.events(sink.self, &event, 1, NULL), 0);
}

static void begin(struct maker *m)
{
    struct td_dict *dict = td_dict_create();
    *m = (struct maker){.trace = td_trace_create(dict), .random = 5, .now_ns = 1000};
    assert_non_null(m->trace);
    m->track = td_dict_track(dict, &(struct td_track){.thread = 7});
    m->plot = td_dict_plot(dict, &(struct td_plot){.name = td_dict_cstring(dict, "plot")});
    m->set = td_dict_frame_set(dict, td_dict_cstring(dict, "frames"), 1);
    m->parts = td_dict_frame_set(dict, td_dict_cstring(dict, "parts"), 0);
    m->text = td_dict_cstring(dict, "hello");
}

/* Bursts and pauses, peaks and values that are no numbers. */
static void add_events(struct maker *m)
{
    for (int i = 0; i < EVENTS; i++) {
        const double value = draw(m, 50) ? (double)draw(m, 1000) : draw(m, 2) ? NAN : 1e6;
        m->now_ns += (int64_t)(draw(m, 40) ? draw(m, 300) : draw(m, 100000));
        push(m, (struct td_event){
                    .kind = TD_EVENT_PLOT, .time_ns = m->now_ns, .subject = m->plot, .value.f64 = value});
        push(m, (struct td_event){.kind = TD_EVENT_MESSAGE, .time_ns = m->now_ns, .subject = m->text});
        push(m, (struct td_event){.kind = TD_EVENT_FRAME, .time_ns = m->now_ns, .subject = m->set});
        push(m, (struct td_event){.kind = i & 1 ? TD_EVENT_FRAME_END : TD_EVENT_FRAME_START,
                                  .time_ns = m->now_ns,
                                  .subject = m->parts});
    }
}

/* ---- against each event ---- */

static void check_points(const struct td_trace *trace, uint32_t plot, const struct td_band_key *key,
                         const struct td_band_data *data)
{
    const double start = td_band_start_ns(key), cell = td_band_cell_ns(key->level),
                 end = start + cell * TD_BAND_CELLS;
    const size_t all = td_trace_plot_points(trace, plot);
    uint32_t at = 0;
    size_t i = 0;
    while (i < all && (double)td_trace_plot_point(trace, plot, i).time_ns < start)
        i++;
    if (i)
        assert_int_equal(data->points[at++].time_ns, td_trace_plot_point(trace, plot, i - 1).time_ns);
    while (i < all && (double)td_trace_plot_point(trace, plot, i).time_ns < end) {
        const int64_t first = td_trace_plot_point(trace, plot, i).time_ns;
        const double number = floor((double)first / cell);
        double least = NAN, most = NAN;
        for (; i < all && floor((double)td_trace_plot_point(trace, plot, i).time_ns / cell) == number; i++) {
            least = fmin(least, td_trace_plot_point(trace, plot, i).value);
            most = fmax(most, td_trace_plot_point(trace, plot, i).value);
        }
        assert_in_range(at, 0, data->count - 1);
        assert_int_equal(data->points[at].time_ns, first);
        assert_true(isnan(least) ? isnan(data->points[at].least)
                                 : data->points[at].least == least && data->points[at].most == most);
        at++;
    }
    assert_int_equal(data->complete, i < all);
    if (i < all)
        assert_int_equal(data->points[at++].time_ns, td_trace_plot_point(trace, plot, i).time_ns);
    assert_int_equal(at, data->count);
}

static void check_messages(const struct td_trace *trace, const struct td_band_key *key,
                           const struct td_band_data *data, uint64_t *next)
{
    const double cell = td_band_cell_ns(key->level);
    for (uint32_t i = 0; i < data->count; i++) {
        const struct td_band_item *item = &data->items[i];
        assert_int_equal(item->first, *next);
        *next += item->count;
        const struct td_message first = td_trace_message(trace, (size_t)item->first),
                                last = td_trace_message(trace, (size_t)*next - 1);
        assert_int_equal(item->start_ns, first.time_ns);
        assert_int_equal(item->end_ns, last.time_ns);
        assert_int_equal(item->srcloc, first.text);
        assert_true(floor((double)first.time_ns / cell) == floor((double)last.time_ns / cell));
    }
    assert_int_equal(data->complete, *next < td_trace_messages(trace));
}

static void check_frames(const struct td_trace *trace, const struct td_band_key *key,
                         const struct td_band_data *data, uint64_t *next)
{
    const double cell = td_band_cell_ns(key->level);
    for (uint32_t i = 0; i < data->count; i++) {
        const struct td_band_item *item = &data->items[i];
        if (item->first + item->count <= *next) /* it was in the band before, too */
            continue;
        assert_int_equal(item->first, *next);
        *next += item->count;
        const struct td_frame first = td_trace_frame(trace, key->track, (size_t)item->first),
                              last = td_trace_frame(trace, key->track, (size_t)*next - 1);
        assert_int_equal(item->start_ns, first.start_ns);
        assert_int_equal(item->end_ns, last.end_ns);
        const bool wide = last.end_ns == TD_OPEN || (double)(last.end_ns - last.start_ns) >= cell;
        assert_int_equal((item->flags & TD_ITEM_ZONE) != 0, wide);
        assert_int_equal((item->flags & TD_ITEM_OPEN) != 0, last.end_ns == TD_OPEN);
        assert_true(item->count == 1 || !wide);
        if (item->count > 1)
            assert_true(floor((double)first.start_ns / cell) + 1 >= (double)last.end_ns / cell);
    }
}

/* All bands of a level. */
static void check_level(struct maker *m, struct td_band_source *source, int level)
{
    struct td_band_key key = {.level = level};
    uint64_t messages = 0, frames[2] = {0};
    struct td_band_data data;
    for (key.index = 0; td_band_start_ns(&key) <= (double)m->now_ns; key.index++) {
        key.track = m->plot;
        key.row = TD_BAND_PLOT;
        assert_int_equal(td_band_make_list(source, &key, 0, &data), 0);
        check_points(m->trace, m->plot, &key, &data);
        td_band_data_free(&data);
        key.track = m->track;
        key.row = TD_BAND_MESSAGES;
        assert_int_equal(td_band_make_list(source, &key, 0, &data), 0);
        check_messages(m->trace, &key, &data, &messages);
        td_band_data_free(&data);
        key.row = TD_BAND_FRAMES;
        for (int s = 0; s < 2; s++) {
            key.track = s ? m->parts : m->set;
            assert_int_equal(td_band_make_list(source, &key, 0, &data), 0);
            check_frames(m->trace, &key, &data, &frames[s]);
            td_band_data_free(&data);
        }
    }
    assert_int_equal(messages, td_trace_messages(m->trace));
    assert_int_equal(frames[0], td_trace_frames(m->trace, m->set));
    assert_int_equal(frames[1], td_trace_frames(m->trace, m->parts));
}

static void every_message_frame_and_peak_is_in_one_item_at_every_scale(void **state)
{
    struct maker m;
    begin(&m);
    for (int i = 0; i < STEPS; i++)
        add_events(&m);
    assert_int_equal(td_trace_finish(m.trace, NULL), 0);
    struct td_band_source *source = td_band_source_create(m.trace);
    for (int level = FIRST_LEVEL + 5; level < LEVELS; level += 2)
        check_level(&m, source, level);
    td_band_source_destroy(source);
    td_trace_destroy(m.trace);
}

static void lists_of_a_trace_that_grows_are_those_of_a_finished_one(void **state)
{
    struct maker m;
    struct td_messages messages = {0};
    begin(&m);
    struct td_band_source *source = td_band_source_create(m.trace);
    td_band_source_use(source, &(struct td_band_parts){.messages = &messages});
    for (int i = 0; i < 12; i++) {
        add_events(&m);
        assert_int_equal(td_messages_update(&messages, m.trace, NULL), 0);
        assert_int_equal(td_messages_count(&messages, m.trace, m.track), td_trace_messages(m.trace));
        check_level(&m, source, 9 + i);
    }
    td_band_source_destroy(source);
    td_messages_free(&messages);
    td_trace_destroy(m.trace);
}

/* ---- the cache ---- */

static const struct td_band *get_when_made(struct td_bands *bands, const struct td_band_state *state,
                                           const struct td_band_key *key)
{
    for (;;) {
        td_bands_begin_frame(bands, state);
        const struct td_band *band = td_bands_get(bands, key, NULL);
        td_bands_end_frame(bands);
        if (!td_bands_pending(bands))
            return band;
        nanosleep(&(struct timespec){0, 200000}, NULL);
    }
}

static void threads_make_lists_anew_until_nothing_more_comes_in_them(void **state)
{
    struct maker m;
    struct td_messages messages = {0};
    begin(&m);
    struct td_bands *bands = td_bands_create(m.trace, 2);
    td_bands_use(bands, &(struct td_band_parts){.messages = &messages});
    struct td_band_key key = {.level = 13};
    for (unsigned step = 1; step <= STEPS; step++) {
        add_events(&m);
        td_messages_update(&messages, m.trace, NULL);
        const struct td_band_state now = {
            .generation = step, .settled_ns = -INFINITY, .last_ns = (double)m.now_ns};
        uint64_t seen = 0, next[2] = {0};
        for (key.index = 0; td_band_start_ns(&key) <= (double)m.now_ns; key.index++) {
            key.track = m.plot;
            key.row = TD_BAND_PLOT;
            check_points(m.trace, m.plot, &key, &get_when_made(bands, &now, &key)->data);
            key.track = m.track;
            key.row = TD_BAND_MESSAGES;
            check_messages(m.trace, &key, &get_when_made(bands, &now, &key)->data, &seen);
            key.track = m.parts;
            key.row = TD_BAND_FRAMES;
            check_frames(m.trace, &key, &get_when_made(bands, &now, &key)->data, &next[0]);
            key.track = m.set;
            check_frames(m.trace, &key, &get_when_made(bands, &now, &key)->data, &next[1]);
        }
        assert_int_equal(seen, td_trace_messages(m.trace));
        assert_int_equal(next[0], td_trace_frames(m.trace, m.parts));
        assert_int_equal(next[1], td_trace_frames(m.trace, m.set));
    }
    td_bands_destroy(bands);
    td_messages_free(&messages);
    td_trace_destroy(m.trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_message_frame_and_peak_is_in_one_item_at_every_scale),
        cmocka_unit_test(lists_of_a_trace_that_grows_are_those_of_a_finished_one),
        cmocka_unit_test(threads_make_lists_anew_until_nothing_more_comes_in_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
