/* Bands: how much is drawn depends on pixels, not on zones; every zone is drawn once, at every scale; shares
 * are those of the zones. Threads make the same bands, also of a trace that grows. */
#include "host/viewer/timeline/band_cache.h"
#include "host/query/sums/find.h"
#include "tests/query/demo_trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MANY 2000000

static double end_of_trace(const struct td_trace *trace)
{
    double last = (double)td_trace_get_info(trace)->last_time_ns;
    return last > 0 ? last : 6e6;
}

static struct td_band_data make_row(struct td_band_source *source, struct td_band_key key, double open_ns)
{
    struct td_band_data data;
    assert_int_equal(td_band_make_row(source, &key, open_ns, &data), 0);
    return data;
}

static void items_are_bounded_by_pixels_for_millions_of_zones(void **state)
{
    struct td_trace *trace = dense_trace(MANY);
    struct td_band_source *source = td_band_source_create(trace);
    const double all = (double)MANY * 100;
    for (int level = TD_BAND_MIN_LEVEL; td_band_cell_ns(level) < all; level++)
        for (int place = 0; place < 5; place++) {
            struct td_band_key key = {.row = 1, .level = level};
            key.index = td_band_index_at(level, all * place / 5);
            struct td_band_data data = make_row(source, key, all);
            assert_in_range(data.count, 1, 2 * TD_BAND_CELLS + 2);
            td_band_data_free(&data);
        }
    assert_true(td_band_source_bytes(source) < MANY);
    td_band_source_destroy(source);
    td_trace_destroy(trace);
}

/* Over all bands of a level. */
static void check_row(const struct td_trace *trace, struct td_band_source *source, uint32_t track,
                      uint32_t row, int level, double end)
{
    struct td_band_key key = {track, row, level, 0};
    const double cell = td_band_cell_ns(level);
    uint64_t next = 0;
    for (key.index = 0; td_band_start_ns(&key) <= end; key.index++) {
        struct td_band_data data = make_row(source, key, end);
        for (uint32_t i = 0; i < data.count; i++) {
            const struct td_band_item *item = &data.items[i];
            if (item->first + item->count <= next) /* it was in the band before, too */
                continue;
            assert_int_equal(item->first, next);
            next += item->count;
            struct td_zone first = td_trace_zone(trace, track, row, (size_t)item->first);
            struct td_zone last = td_trace_zone(trace, track, row, (size_t)next - 1);
            assert_int_equal(item->start_ns, first.start_ns);
            assert_int_equal(item->end_ns, last.end_ns);
            assert_int_equal((item->flags & TD_ITEM_OPEN) != 0, last.end_ns == TD_OPEN);
            const bool wide = last.end_ns == TD_OPEN || (double)(last.end_ns - last.start_ns) >= cell;
            assert_int_equal((item->flags & TD_ITEM_ZONE) != 0, wide);
            if (wide)
                assert_int_equal(item->count, 1);
            if (item->count > 1)
                assert_true(floor((double)first.start_ns / cell) + 1 >= (double)last.end_ns / cell);
        }
        td_band_data_free(&data);
    }
    assert_int_equal(next, td_trace_row_zones(trace, track, row));
}

static void every_zone_is_in_exactly_one_item_at_every_scale(void **state)
{
    struct td_trace *trace = demo_trace(2);
    struct td_band_source *source = td_band_source_create(trace);
    for (uint32_t t = 0; t < td_dict_track_count(td_trace_dict(trace)); t++)
        for (uint32_t r = 0; r < td_trace_rows(trace, t); r++)
            for (int level = 5; level < 24; level += 3)
                check_row(trace, source, t, r, level, end_of_trace(trace));
    td_band_source_destroy(source);
    td_trace_destroy(trace);
}

static void the_coverage_of_regular_zones_is_their_share_of_the_time(void **state)
{
    struct td_trace *trace = dense_trace(100000);
    struct td_band_source *source = td_band_source_create(trace);
    struct td_band_key key = {.row = 1, .level = 14, .index = 2};
    struct td_band_data data = make_row(source, key, 1e7);
    for (uint32_t i = 0; i < data.count; i++)
        if (data.items[i].count > 1)
            assert_true(fabs(data.items[i].coverage / 255. - .6) < .02);
    td_band_data_free(&data);
    td_band_source_destroy(source);
    td_trace_destroy(trace);
}

static double overlap(double a, double b, const struct td_zone *z, double open_ns)
{
    const double end = z->end_ns == TD_OPEN ? open_ns : (double)z->end_ns;
    return fmax(fmin(b, end) - fmax(a, (double)z->start_ns), 0);
}

/* How busy the tracks are from a to b, from each zone; stalls in work are no work. */
static double busy_share(const struct td_trace *trace, const uint32_t *tracks, uint32_t count, double a,
                         double b)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        double busy = 0;
        for (uint32_t r = 0; r < td_trace_rows(trace, tracks[i]); r++)
            for (size_t z = 0; z < td_trace_row_zones(trace, tracks[i], r); z++) {
                struct td_zone zone = td_trace_zone(trace, tracks[i], r, z);
                const bool lost =
                    td_dict_get_srcloc(td_trace_dict(trace), zone.srcloc)->flags & TD_SRCLOC_LOST;
                const double covered = overlap(a, b, &zone, end_of_trace(trace));
                busy += r == 0 && !lost ? covered : r && lost ? -covered : 0;
            }
        sum += fmin(fmax(busy / (b - a), 0), 1);
    }
    return sum / count;
}

static void a_group_is_as_busy_as_all_its_tracks(void **state)
{
    struct td_trace *trace = demo_trace(2);
    struct td_band_source *source = td_band_source_create(trace);
    uint32_t tracks[64], count = td_dict_track_count(td_trace_dict(trace));
    count = count < 64 ? count : 64;
    for (uint32_t t = 0; t < count; t++)
        tracks[t] = t;
    struct td_band_key key = {.row = TD_BAND_GROUP, .level = 15};
    struct td_band_data data;
    assert_int_equal(td_band_make_group(source, &key, tracks, count, true, end_of_trace(trace), &data), 0);
    assert_int_equal(data.count, TD_BAND_CELLS);
    const double cell = td_band_cell_ns(key.level);
    double sum = 0;
    for (uint32_t c = 0; c < data.count; c++) {
        const double expected = busy_share(trace, tracks, count, c * cell, (c + 1) * cell);
        assert_true(fabs((double)data.cells[c].busy / TD_BAND_SHARE - expected) < 2e-4);
        assert_true(data.cells[c].wait <= data.cells[c].busy);
        sum += expected;
    }
    assert_true(sum > 1);
    td_band_data_free(&data);
    td_band_source_destroy(source);
    td_trace_destroy(trace);
}

static void cells_of_a_group_tell_where_messages_are(void **state)
{
    struct td_trace *trace = demo_trace(2);
    struct td_band_source *source = td_band_source_create(trace);
    const struct td_message message = td_trace_message(trace, 0);
    struct td_band_key key = {.row = TD_BAND_GROUP, .level = 12};
    const double cell = td_band_cell_ns(key.level);
    key.index = td_band_index_at(key.level, (double)message.time_ns);
    struct td_band_data data;
    assert_int_equal(td_band_make_group(source, &key, &message.track, 1, true, 1e9, &data), 0);
    int expected[TD_BAND_CELLS] = {0};
    for (size_t i = 0; i < td_trace_track_messages(trace, message.track); i++) {
        const double time =
            (double)td_trace_message(trace, td_trace_track_message(trace, message.track, i)).time_ns;
        const double at = floor((time - td_band_start_ns(&key)) / cell);
        if (at >= 0 && at < TD_BAND_CELLS)
            expected[(int)at] = 1;
    }
    for (int c = 0; c < TD_BAND_CELLS; c++)
        assert_int_equal((data.cells[c].flags & TD_CELL_MESSAGE) != 0, expected[c]);
    td_band_data_free(&data);
    td_band_source_destroy(source);
    td_trace_destroy(trace);
}

static struct td_trace *growing_trace(uint32_t *srcloc)
{
    struct td_trace *trace = td_trace_create(td_dict_create());
    struct td_dict *dict = td_trace_fill_dict(trace);
    struct td_track track = {.thread = 1};
    struct td_srcloc z = {.name = td_dict_cstring(dict, "z")}, stall = {.flags = TD_SRCLOC_LOST};
    stall.name = td_dict_cstring(dict, "STALL");
    td_dict_track(dict, &track);
    srcloc[0] = td_dict_srcloc(dict, &z);
    srcloc[1] = td_dict_srcloc(dict, &stall);
    return trace;
}

static void add_mark(struct td_trace *trace, bool end, int64_t time_ns, uint32_t srcloc)
{
    struct td_event event = {.kind = end ? TD_EVENT_ZONE_END : TD_EVENT_ZONE_BEGIN, .time_ns = time_ns};
    if (!end)
        event.srcloc = srcloc;
    struct td_sink sink = td_trace_sink(trace);
    assert_int_equal(sink.events(sink.self, &event, 1, NULL), 0);
}

static void a_stall_in_a_zone_is_not_work(void **state)
{
    uint32_t srcloc[2];
    struct td_trace *trace = growing_trace(srcloc);
    add_mark(trace, false, 0, srcloc[0]);
    add_mark(trace, false, 256, srcloc[1]);
    add_mark(trace, true, 768, 0);
    add_mark(trace, true, 1024, 0);
    assert_int_equal(td_trace_finish(trace, NULL), 0);
    struct td_band_source *source = td_band_source_create(trace);
    struct td_band_key key = {.row = TD_BAND_GROUP, .level = 8};
    const uint32_t tracks[1] = {0};
    struct td_band_data data;
    assert_int_equal(td_band_make_group(source, &key, tracks, 1, true, 1024, &data), 0);
    for (int c = 0; c < 4; c++) {
        const bool stalled = c == 1 || c == 2;
        assert_int_equal(data.cells[c].busy, stalled ? 0 : TD_BAND_SHARE);
        assert_int_equal(data.cells[c].flags & TD_SRCLOC_LOST, stalled ? TD_SRCLOC_LOST : 0);
    }
    td_band_data_free(&data);
    td_band_source_destroy(source);
    td_trace_destroy(trace);
}

static void open_zones_and_zones_of_no_length_are_seen(void **state)
{
    uint32_t srcloc[2];
    struct td_trace *trace = growing_trace(srcloc);
    add_mark(trace, false, 100, srcloc[0]);
    add_mark(trace, true, 100, 0);
    add_mark(trace, false, 200, srcloc[0]);
    assert_int_equal(td_trace_finish(trace, NULL), 0);
    struct td_band_source *source = td_band_source_create(trace);
    struct td_band_data data = make_row(source, (struct td_band_key){.level = 4}, 1000);
    assert_int_equal(data.count, 2);
    assert_true(data.has_open);
    td_band_data_free(&data);
    data = make_row(source, (struct td_band_key){.level = 4, .index = 3}, 1e5);
    assert_int_equal(data.count, 1);
    td_band_data_free(&data);
    td_band_source_destroy(source);
    td_trace_destroy(trace);
}

/* The share of matches of a cell, over all rows. */
static void matches_of_a_group_have_their_share_of_the_time(void **state)
{
    struct td_trace *trace = demo_trace(2);
    struct td_band_source *source = td_band_source_create(trace);
    struct td_find find = {.text = "multiply"};
    assert_int_equal(td_find_run(&find, trace, NULL), 0);
    struct td_zone_ref first = td_matches_next(find.matches, trace, INT64_MIN, TD_NO_ZONE, true);
    assert_true(td_ref_valid(first));
    const uint32_t tracks[2] = {first.track, 0};
    struct td_band_key key = {.row = TD_BAND_GROUP, .level = 14};
    key.index = td_band_index_at(key.level, (double)td_trace_zone(trace, first.track, first.row, 0).start_ns);
    struct td_band_data data;
    assert_int_equal(td_band_make_group(source, &key, tracks, 2, true, end_of_trace(trace), &data), 0);
    uint8_t *shares = td_band_match(source, &key, &data, tracks, 2, find.matches, end_of_trace(trace));
    assert_non_null(shares);
    int seen = 0;
    for (uint32_t c = 0; c < data.count; c++) {
        const double cell = td_band_cell_ns(key.level), from = td_band_start_ns(&key) + c * cell;
        double covered = 0;
        for (size_t i = 0; i < td_trace_row_zones(trace, first.track, first.row); i++) {
            struct td_zone z = td_trace_zone(trace, first.track, first.row, i);
            if (td_matches_in(find.matches, first.track, first.row, i, 1) == i)
                covered += overlap(from, from + cell, &z, end_of_trace(trace));
        }
        assert_true(fabs(shares[c] / 255. - covered / cell / 2) < .01);
        seen += shares[c] > 0;
    }
    assert_true(seen > 0);
    free(shares);
    td_band_data_free(&data);
    td_find_free(&find);
    td_band_source_destroy(source);
    td_trace_destroy(trace);
}

/* ---- the cache ---- */

static const struct td_band *get_when_made(struct td_bands *bands, const struct td_band_state *state,
                                           const struct td_band_key *key, struct td_track_list *list)
{
    for (;;) {
        td_bands_begin_frame(bands, state);
        const struct td_band *band = td_bands_get(bands, key, list);
        td_bands_end_frame(bands);
        if (!td_bands_pending(bands))
            return band;
        nanosleep(&(struct timespec){0, 200000}, NULL);
    }
}

static void threads_make_the_bands_that_the_caller_would(void **state)
{
    struct td_trace *trace = dense_trace(300000);
    struct td_bands *now = td_bands_create(trace, 0), *later = td_bands_create(trace, 3);
    const struct td_band_state finished = {.settled_ns = INFINITY, .last_ns = 3e7};
    for (int level = 4; level < 22; level++)
        for (int64_t index = 0; index < 3; index++) {
            struct td_band_key key = {0, 1, level, index};
            td_bands_begin_frame(now, &finished);
            const struct td_band *a = td_bands_get(now, &key, NULL);
            td_bands_end_frame(now);
            assert_non_null(a);
            const struct td_band *b = get_when_made(later, &finished, &key, NULL);
            assert_int_equal(a->data.count, b->data.count);
            assert_memory_equal(a->data.items, b->data.items, a->data.count * sizeof *a->data.items);
        }
    struct td_band_key key = {0, 1, 20, 0};
    assert_non_null(td_bands_peek(later, &key));
    td_bands_forget(later);
    assert_null(td_bands_peek(later, &key));
    td_bands_destroy(now);
    td_bands_destroy(later);
    td_trace_destroy(trace);
}

static void bands_of_a_trace_that_grows_become_complete(void **state)
{
    uint32_t srcloc[2];
    struct td_trace *trace = growing_trace(srcloc);
    struct td_bands *bands = td_bands_create(trace, 2);
    struct td_track_list *list = td_track_list_create(1);
    list->tracks[0] = 0;
    struct td_band_key group = {.row = TD_BAND_GROUP, .level = 10}, row = {.level = 10};
    for (unsigned step = 1; step <= 40; step++) {
        /* Half of the time is busy. */
        for (int i = 0; i < 50; i++) {
            const int64_t at = (int64_t)((step - 1) * 50 + (unsigned)i) * 64;
            add_mark(trace, false, at, srcloc[0]);
            add_mark(trace, true, at + 32, 0);
        }
        const double last = step * 50 * 64.;
        const struct td_band_state now = {.generation = step, .settled_ns = last - 2000, .last_ns = last};
        const struct td_band *band = get_when_made(bands, &now, &row, NULL);
        uint64_t zones = 0;
        for (uint32_t i = 0; i < band->data.count; i++)
            zones += band->data.items[i].count;
        assert_int_equal(zones, (unsigned)fmin(step * 50, TD_BAND_CELLS * 1024 / 64 + 1));
        band = get_when_made(bands, &now, &group, list);
        const unsigned full = (unsigned)fmin(last / 1024, TD_BAND_CELLS);
        for (unsigned c = 0; c < full; c++)
            assert_in_range(band->data.cells[c].busy, TD_BAND_SHARE / 2 - 9, TD_BAND_SHARE / 2 + 9);
    }
    td_track_list_release(list);
    td_bands_destroy(bands);
    td_trace_destroy(trace);
}

static void the_cache_drops_what_was_not_drawn_for_long(void **state)
{
    struct td_trace *trace = dense_trace(20000);
    struct td_bands *bands = td_bands_create(trace, 0);
    const struct td_band_state finished = {.settled_ns = INFINITY, .last_ns = 2e6};
    struct td_band_key key = {0, 1, -2, 0};
    for (int frame = 0; frame < 40; frame++) {
        td_bands_begin_frame(bands, &finished);
        for (int i = 0; i < 1000; i++, key.index++)
            td_bands_get(bands, &key, NULL);
        td_bands_end_frame(bands);
        assert_true(td_bands_bytes(bands) < (size_t)40 << 20);
    }
    key.index--;
    assert_non_null(td_bands_peek(bands, &key));
    td_bands_destroy(bands);
    td_trace_destroy(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_are_bounded_by_pixels_for_millions_of_zones),
        cmocka_unit_test(every_zone_is_in_exactly_one_item_at_every_scale),
        cmocka_unit_test(the_coverage_of_regular_zones_is_their_share_of_the_time),
        cmocka_unit_test(a_group_is_as_busy_as_all_its_tracks),
        cmocka_unit_test(cells_of_a_group_tell_where_messages_are),
        cmocka_unit_test(a_stall_in_a_zone_is_not_work),
        cmocka_unit_test(open_zones_and_zones_of_no_length_are_seen),
        cmocka_unit_test(matches_of_a_group_have_their_share_of_the_time),
        cmocka_unit_test(threads_make_the_bands_that_the_caller_would),
        cmocka_unit_test(bands_of_a_trace_that_grows_become_complete),
        cmocka_unit_test(the_cache_drops_what_was_not_drawn_for_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
