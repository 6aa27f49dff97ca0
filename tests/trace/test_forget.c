/* A trace that forgets: what is kept is the same as in a trace that keeps everything, rows keep their numbers,
 * and memory does not grow with the length of the recording. */
#include "host/trace/fill.h"
#include "host/trace/forget.h"
#include "host/trace/rows.h"
#include "host/trace/store.h"
#include "host/trace/walk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { TRACKS = 4, CORES = 2, LOCATIONS = 5, DEPTH = 5 };

struct filler {
    struct td_trace *trace;
    struct td_sink sink;
    struct td_dict *dict;
    uint64_t x;
    int64_t time;
    unsigned depth[TRACKS];
    uint32_t location[LOCATIONS];
    uint64_t allocations, texts;
};

static struct td_trace *new_trace(struct filler *f, int forgets)
{
    *f = (struct filler){.x = 88172645463325252u};
    f->dict = td_dict_create();
    f->trace = td_trace_create(f->dict);
    f->sink = td_trace_sink(f->trace);
    if (forgets)
        assert_int_equal(td_trace_may_forget(f->trace), 0);
    for (uint32_t i = 0; i < TRACKS + CORES; i++) {
        struct td_track track = {.thread = i + 1, .kind = i < TRACKS ? TD_TRACK_THREAD : TD_TRACK_CORE};
        assert_int_equal(td_dict_track(f->dict, &track), i);
    }
    for (uint32_t i = 0; i < LOCATIONS; i++)
        f->location[i] = td_dict_srcloc(
            f->dict, &(struct td_srcloc){.name = td_dict_cstring(f->dict, "zone"), .line = i + 1});
    td_dict_plot(f->dict, &(struct td_plot){.name = td_dict_cstring(f->dict, "plot")});
    td_dict_frame_set(f->dict, td_dict_cstring(f->dict, "set"), 0);
    return f->trace;
}

static uint64_t next_random(struct filler *f)
{
    f->x ^= f->x << 13;
    f->x ^= f->x >> 7;
    f->x ^= f->x << 17;
    return f->x;
}

static void push(struct filler *f, struct td_event e)
{
    struct td_err err = {0};
    assert_int_equal(f->sink.events(f->sink.self, &e, 1, &err), 0);
}

/* Most texts are different ones; some come again later. */
static uint32_t some_text(struct filler *f, const char *what, uint64_t random)
{
    char text[100];
    int n = random % 8 ? snprintf(text, sizeof text, "%s %llu, which no other row has", what,
                                  (unsigned long long)f->texts++)
                       : snprintf(text, sizeof text, "%s %u", what, (unsigned)(random >> 50) % 100);
    return td_dict_passing_string(f->dict, text, (size_t)n);
}

static void thread_zone(struct filler *f, uint32_t track, uint64_t random)
{
    if (random % 2 && f->depth[track] < DEPTH) {
        push(f, (struct td_event){.kind = TD_EVENT_ZONE_BEGIN,
                                  .track = track,
                                  .time_ns = f->time,
                                  .srcloc = f->location[random % LOCATIONS]});
        f->depth[track]++;
        if (random % 5 == 0)
            push(f, (struct td_event){.kind = random % 3 ? TD_EVENT_ZONE_TEXT : TD_EVENT_ZONE_NAME,
                                      .track = track,
                                      .time_ns = f->time,
                                      .subject = some_text(f, "open zone", random >> 7)});
    } else if (f->depth[track]) {
        if (random % 3 == 0)
            push(f, (struct td_event){.kind = TD_EVENT_ZONE_VALUE,
                                      .track = track,
                                      .time_ns = f->time,
                                      .value.u64 = random % 99});
        if (random % 4 == 0) /* with the value, the zone has a text of two lines */
            push(f, (struct td_event){.kind = random % 8 ? TD_EVENT_ZONE_TEXT : TD_EVENT_ZONE_NAME,
                                      .track = track,
                                      .time_ns = f->time,
                                      .subject = some_text(f, "zone", random >> 7)});
        push(f, (struct td_event){.kind = TD_EVENT_ZONE_END, .track = track, .time_ns = f->time});
        f->depth[track]--;
    }
}

static void allocation(struct filler *f)
{
    struct td_err err = {0};
    int64_t row[TD_MEMORY_COLUMN_COUNT] = {[TD_MEMORY_ADDRESS] = (int64_t)f->allocations,
                                           [TD_MEMORY_SIZE] = 8,
                                           [TD_MEMORY_TIME] = f->time,
                                           [TD_MEMORY_FREE_TIME] = -1};
    assert_int_equal(f->sink.row(f->trace, TD_TABLE_MEMORY, 0, row, &err), 0);
    if (f->allocations >= 300) /* the free of an old allocation, which may be forgotten */
        assert_int_equal(f->sink.set(f->trace, TD_TABLE_MEMORY, 0, f->allocations - 300, TD_MEMORY_FREE_TIME,
                                     f->time, &err),
                         0);
    f->allocations++;
}

static void one_step(struct filler *f)
{
    uint64_t random = next_random(f) >> 11;
    unsigned what = (unsigned)(random >> 20) % 16;
    uint32_t core = TRACKS + (uint32_t)(random >> 30) % CORES;
    f->time += 10 + (int64_t)(random % 7);
    if (what < 9)
        thread_zone(f, (uint32_t)(random >> 40) % TRACKS, random);
    else if (what < 11) /* a complete zone, now and then one around those before it */
        push(f, (struct td_event){.kind = TD_EVENT_ZONE,
                                  .track = core,
                                  .time_ns = f->time - (random % 4 ? 5 : 300),
                                  .value.end_ns = f->time,
                                  .srcloc = f->location[random % LOCATIONS],
                                  .subject = random % 5 ? 0 : some_text(f, "core", random >> 7)});
    else if (what < 12)
        push(f, (struct td_event){.kind = TD_EVENT_MESSAGE,
                                  .time_ns = f->time,
                                  .subject = some_text(f, "message", random >> 7)});
    else if (what < 13)
        push(f, (struct td_event){.kind = TD_EVENT_PLOT, .time_ns = f->time, .value.f64 = (double)f->time});
    else if (what < 14)
        push(f, (struct td_event){.kind = TD_EVENT_FRAME, .time_ns = f->time, .subject = 0});
    else
        allocation(f);
}

static void same_text(const struct td_trace *all, const struct td_trace *kept, uint32_t a, uint32_t b)
{
    assert_string_equal(td_dict_text(td_trace_dict(all), a), td_dict_text(td_trace_dict(kept), b));
    assert_int_equal(td_dict_text_bytes(td_trace_dict(all), a), td_dict_text_bytes(td_trace_dict(kept), b));
}

/* Zones of both traces that end after the time are equal, and so are their numbers. */
static void same_zones(struct td_trace *all, struct td_trace *kept, int64_t since)
{
    for (uint32_t t = 0; t < TRACKS; t++) {
        assert_int_equal(td_trace_rows(all, t), td_trace_rows(kept, t));
        for (uint32_t r = 0; r < td_trace_rows(all, t); r++) {
            size_t count = td_trace_row_zones(all, t, r), first = td_trace_zone_after(all, t, r, since);
            assert_int_equal(td_trace_row_zones(kept, t, r), count);
            assert_int_equal(td_trace_zone_after(kept, t, r, since), first);
            for (size_t i = first; i < count; i++) {
                struct td_zone a = td_trace_zone(all, t, r, i), b = td_trace_zone(kept, t, r, i);
                same_text(all, kept, a.text, b.text);
                same_text(all, kept, a.name, b.name);
                b.text = a.text;
                b.name = a.name;
                assert_memory_equal(&a, &b, sizeof a);
            }
        }
    }
}

static void same_rows(struct td_trace *all, struct td_trace *kept, enum td_table table, unsigned column,
                      int64_t since)
{
    const struct td_series *a = td_trace_table(all, table), *b = td_trace_table(kept, table);
    uint64_t first = td_series_after(a, column, since - 1);
    assert_int_equal(td_series_count(a), td_series_count(b));
    assert_true(td_series_first(b) <= first);
    for (uint64_t i = first; i < td_series_count(a); i++)
        for (unsigned c = 0; c < a->columns; c++) {
            int64_t x = td_series_get(a, i, c), y = td_series_get(b, i, c);
            if (td_table_get_shape(table)->column[c].type == TD_TYPE_STRING)
                same_text(all, kept, (uint32_t)x, (uint32_t)y);
            else
                assert_true(x == y);
        }
}

static void same_since(struct td_trace *all, struct td_trace *kept, int64_t since)
{
    same_zones(all, kept, since);
    same_rows(all, kept, TD_TABLE_MESSAGE, TD_MESSAGE_TIME, since);
    same_rows(all, kept, TD_TABLE_POINT, TD_POINT_TIME, since);
    same_rows(all, kept, TD_TABLE_FRAME, TD_FRAME_START, since);
    same_rows(all, kept, TD_TABLE_MEMORY, TD_MEMORY_TIME, since);
}

/* How many zones of a core begin after a time, and the sums of their lengths, in rows. */
static void weigh_core(struct td_trace *trace, uint32_t track, int64_t since, uint64_t *zones, int64_t *sum)
{
    for (uint32_t r = 0; r < td_trace_rows(trace, track); r++)
        for (size_t i = 0; i < td_trace_row_zones(trace, track, r); i++) {
            struct td_zone zone = td_trace_zone(trace, track, r, i);
            if (zone.start_ns <= since)
                continue;
            zones[r < DEPTH ? r : DEPTH - 1]++;
            size_t text = strlen(td_dict_text(td_trace_dict(trace), zone.text));
            sum[0] += (zone.end_ns - zone.start_ns) * (r + 1) + (int64_t)text;
        }
}

static void what_is_kept_is_unchanged(void **state)
{
    struct filler all, some;
    struct td_err err = {0};
    int64_t keep = 40000, since = 0;
    new_trace(&all, 0);
    new_trace(&some, 1);
    for (int i = 0; i < 400000; i++) {
        one_step(&all);
        one_step(&some);
        if (i % 997 == 0) {
            since = td_trace_newest(some.trace) - keep;
            td_trace_forget(some.trace, since);
        }
        if (i % 39880 == 0)
            same_since(all.trace, some.trace, since);
    }
    same_since(all.trace, some.trace, since);
    const struct td_series *messages = td_trace_table(some.trace, TD_TABLE_MESSAGE);
    assert_true(td_series_first(messages) > 20000);
    assert_true(td_series_first(messages) % TD_SERIES_ROWS == 0);
    assert_true(td_series_get(messages, 5, TD_MESSAGE_TIME) < since); /* forgotten: still readable */
    assert_int_equal(td_series_get(messages, 5, TD_MESSAGE_TEXT), 0);

    /* Zones that waited for the end get the same places. */
    assert_int_equal(td_trace_finish(all.trace, &err), 0);
    assert_int_equal(td_trace_finish(some.trace, &err), 0);
    for (uint32_t t = TRACKS; t < TRACKS + CORES; t++) {
        uint64_t a[DEPTH] = {0}, b[DEPTH] = {0};
        int64_t sum_a = 0, sum_b = 0;
        weigh_core(all.trace, t, since, a, &sum_a);
        weigh_core(some.trace, t, since, b, &sum_b);
        assert_memory_equal(a, b, sizeof a);
        assert_true(a[0] && sum_a == sum_b);
    }
    td_trace_destroy(all.trace);
    td_trace_destroy(some.trace);
}

/* A walk begins at the zones that are kept, and finds each zone's own children. */
static void a_walk_sees_what_is_kept(void **state)
{
    struct filler f;
    struct td_walk walk;
    struct td_step step;
    new_trace(&f, 1);
    for (int i = 0; i < 200000; i++)
        one_step(&f);
    int64_t since = td_trace_newest(f.trace) - 40000;
    td_trace_forget(f.trace, since);
    for (uint32_t t = 0; t < TRACKS; t++) {
        struct td_zone open[DEPTH + 1];
        uint64_t zones = 0, kept = 0;
        assert_int_equal(td_walk_begin(&walk, f.trace, t), 0);
        while (td_walk_next(&walk, &step)) {
            if (step.leaves)
                continue;
            zones++;
            open[step.row] = step.zone;
            assert_true(!step.row || open[step.row - 1].start_ns <= step.zone.start_ns);
            assert_true(!step.row || open[step.row - 1].end_ns >= step.zone.end_ns);
            assert_true(step.zone.srcloc != 0);
            kept += step.zone.end_ns > since;
        }
        td_walk_end(&walk);
        uint64_t expected = 0;
        for (uint32_t r = 0; r < td_trace_rows(f.trace, t); r++)
            expected += td_trace_row_zones(f.trace, t, r) - td_trace_zone_after(f.trace, t, r, since);
        assert_int_equal(kept, expected);
        assert_true(zones < expected + 3 * DEPTH * TD_SERIES_ROWS);
    }
    td_trace_destroy(f.trace);
}

static void memory_does_not_grow(void **state)
{
    struct filler f;
    uint64_t early = 0, most = 0, early_needed = 0;
    struct td_trace_needs room;
    uint32_t early_strings = 0;
    new_trace(&f, 1);
    for (int i = 0; i < 3000000; i++) {
        one_step(&f);
        if (i % 4096)
            continue;
        td_trace_forget(f.trace, td_trace_newest(f.trace) - 400000);
        uint64_t bytes = td_trace_row_bytes(f.trace);
        td_trace_room(f.trace, &room);
        const uint64_t needed = room.needed_bytes;
        early = i < 300000 && bytes > early ? bytes : early;
        early_needed = i < 300000 && needed > early_needed ? needed : early_needed;
        most = bytes > most ? bytes : most;
        early_strings = i < 300000 ? td_dict_string_count(f.dict) : early_strings;
        assert_true(td_dict_string_count(f.dict) < early_strings + early_strings / 4);
        assert_true(i < 300000 || needed < early_needed + early_needed / 4);
    }
    print_message("%llu bytes early, %llu at most\n", (unsigned long long)early, (unsigned long long)most);
    assert_true(early > 100000 && most < early + early / 4);
    td_trace_destroy(f.trace);
}

/* Memory that a reader may still use is not given out again before the reader's pin is released. */
static void a_pin_keeps_memory(void **state)
{
    struct td_store *store = td_store_create(0);
    td_store_recycle(store);
    char *a = td_store_alloc_chunk(store, 1000);
    td_store_retire(store, a, 1000);
    td_store_turn(store);
    assert_true(td_store_alloc_chunk(store, 1000) != a);
    td_store_turn(store);
    assert_true(td_store_alloc_chunk(store, 1000) == a);
    td_store_destroy(store);

    struct filler f;
    new_trace(&f, 1);
    for (int i = 0; i < 100000; i++)
        one_step(&f);
    uint64_t full = td_trace_row_bytes(f.trace);
    unsigned pin = td_trace_pin(f.trace);
    for (int i = 1; i < 6; i++)
        td_trace_forget(f.trace, td_trace_newest(f.trace) - 100000 + i);
    assert_true(td_trace_row_bytes(f.trace) >= full);
    td_trace_unpin(f.trace, pin);
    for (int i = 6; i < 9; i++)
        td_trace_forget(f.trace, td_trace_newest(f.trace) - 100000 + i);
    assert_true(td_trace_row_bytes(f.trace) < full / 2);
    td_trace_destroy(f.trace);
}

static void a_trace_that_is_not_prepared_keeps_everything(void **state)
{
    struct filler f;
    new_trace(&f, 0);
    for (int i = 0; i < 50000; i++)
        one_step(&f);
    td_trace_forget(f.trace, td_trace_newest(f.trace));
    assert_int_equal(td_series_first(td_trace_table(f.trace, TD_TABLE_MESSAGE)), 0);
    td_trace_destroy(f.trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_kept_is_unchanged),
        cmocka_unit_test(a_walk_sees_what_is_kept),
        cmocka_unit_test(memory_does_not_grow),
        cmocka_unit_test(a_pin_keeps_memory),
        cmocka_unit_test(a_trace_that_is_not_prepared_keeps_everything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
