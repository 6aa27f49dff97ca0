/* Readers of all data while a trace is filled and finished. Each checks that zones are in order and inside of
 * their parents, that names are known, and that values fit their times. */
#include "host/trace/fill.h"
#include "host/trace/tables.h"
#include "host/trace/walk.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { READERS = 3, THREADS = 4, CORES = 3, LOCATIONS = 8, TRACKS = THREADS + CORES };

#ifdef TD_THREAD_SANITIZER
enum { EVENTS = 3000 };
#else
enum { EVENTS = 30000 };
#endif

struct shared {
    struct td_trace *trace;
    uint32_t location[LOCATIONS];
    int done; /* atomic */
};

struct reader {
    const struct shared *shared;
    uint64_t passes, zones;
    int wrong_line; /* 0: no fault */
};

static void wrong_if(struct reader *r, int wrong, int line)
{
    r->wrong_line = wrong && !r->wrong_line ? line : r->wrong_line;
}

static void check_zone(struct reader *r, const struct td_trace *trace, const struct td_step *step,
                       int64_t *last_ns)
{
    const struct td_zone *zone = &step->zone;
    const struct td_srcloc *location = td_dict_get_srcloc(td_trace_dict(trace), zone->srcloc);
    r->zones++;
    wrong_if(r, zone->start_ns < *last_ns || zone->end_ns < zone->start_ns, __LINE__);
    wrong_if(r, !location->line, __LINE__);
    wrong_if(r, strncmp(td_dict_zone_name(td_trace_dict(trace), zone->srcloc), "zone ", 5) != 0, __LINE__);
    wrong_if(r, zone->text && strncmp(td_dict_text(td_trace_dict(trace), zone->text), "text ", 5), __LINE__);
    wrong_if(r, td_trace_zone(trace, 0, 0, UINT32_MAX).start_ns != 0, __LINE__);
    *last_ns = zone->start_ns;
}

static void look_at_track(struct reader *r, const struct td_trace *trace, uint32_t track)
{
    struct td_walk walk;
    struct td_step step;
    int64_t last_ns = 0;
    wrong_if(r, td_walk_begin(&walk, trace, track) < 0, __LINE__);
    while (td_walk_next(&walk, &step)) {
        if (!step.leaves)
            check_zone(r, trace, &step, &last_ns);
    }
    td_walk_end(&walk);
    uint32_t rows = track == 0 ? 0 : td_trace_rows(trace, track); /* rows of track 0 vanish: see fill() */
    for (uint32_t row = 0; row < rows; row++) {
        size_t zones = td_trace_row_zones(trace, track, row);
        if (!zones)
            continue;
        struct td_zone zone = td_trace_zone(trace, track, row, zones - 1);
        wrong_if(r, zone.child_end > td_trace_row_zones(trace, track, row + 1), __LINE__);
        size_t at = td_trace_zone_after(trace, track, row, zone.start_ns - 1);
        wrong_if(r, at >= td_trace_row_zones(trace, track, row), __LINE__);
    }
}

static void look_at_lists(struct reader *r, const struct td_trace *trace)
{
    const struct td_dict *dict = td_trace_dict(trace);
    for (size_t i = 0, n = td_trace_messages(trace); i < n; i++) {
        struct td_message m = td_trace_message(trace, i);
        wrong_if(r, m.track >= td_dict_track_count(dict) || m.color != (uint32_t)m.time_ns % 1000, __LINE__);
    }
    for (size_t i = 0, n = td_trace_plot_points(trace, 0); i < n; i++) {
        struct td_plot_point p = td_trace_plot_point(trace, 0, i);
        wrong_if(r, p.value != (double)p.time_ns, __LINE__);
    }
    for (size_t i = 0, n = td_trace_frames(trace, 1); i < n; i++) {
        struct td_frame f = td_trace_frame(trace, 1, i);
        wrong_if(r, f.end_ns != TD_OPEN && f.end_ns != f.start_ns + 3, __LINE__);
    }
    for (uint32_t t = 0; t < td_dict_track_count(dict); t++) {
        const struct td_track *track = td_dict_get_track(dict, t);
        wrong_if(r, track->name && strncmp(td_dict_text(dict, track->name), "track ", 6), __LINE__);
    }
    for (uint64_t i = 0, n = td_series_count(td_trace_table(trace, TD_TABLE_STACK)); i < n; i++) {
        uint64_t first, count;
        td_trace_stack(trace, (uint32_t)i, &first, &count);
        wrong_if(r, count != (i != 0) * 2, __LINE__);
    }
}

static void *read_all(void *self)
{
    struct reader *r = self;
    int last;
    do {
        last = __atomic_load_n(&r->shared->done, __ATOMIC_ACQUIRE);
        for (uint32_t t = 0; t < TRACKS + 1; t++)
            look_at_track(r, r->shared->trace, t);
        look_at_lists(r, r->shared->trace);
        const struct td_stat *stats;
        size_t count = td_trace_stats(r->shared->trace, &stats);
        wrong_if(r, last && !count, __LINE__);
        r->passes++;
    } while (!last);
    return NULL;
}

struct writer {
    struct shared *shared;
    struct td_sink sink;
    uint64_t x;
    int64_t time;
    unsigned depth[THREADS];
};

static void push(struct writer *w, struct td_event e)
{
    struct td_err err = {0};
    assert_int_equal(w->sink.events(w->sink.self, &e, 1, &err), 0);
}

static uint32_t text(struct td_dict *dict, const char *what, uint64_t number)
{
    char line[32];
    snprintf(line, sizeof line, "%s %llu", what, (unsigned long long)number);
    return td_dict_cstring(dict, line);
}

static void thread_event(struct writer *w, uint32_t track, unsigned what)
{
    struct td_dict *dict = td_trace_fill_dict(w->shared->trace);
    if (what < 3 && w->depth[track] < 6) {
        w->depth[track]++;
        push(w, (struct td_event){.kind = TD_EVENT_ZONE_BEGIN,
                                  .track = track,
                                  .time_ns = w->time,
                                  .srcloc = w->shared->location[w->x >> 40 & 7]});
    } else if (w->depth[track]) {
        w->depth[track]--;
        if (what == 5)
            push(w, (struct td_event){.kind = TD_EVENT_ZONE_TEXT,
                                      .track = track,
                                      .subject = text(dict, "text", w->x >> 44 & 63)});
        push(w, (struct td_event){.kind = TD_EVENT_ZONE_END, .track = track, .time_ns = w->time});
    }
}

static void other_event(struct writer *w, unsigned what)
{
    struct td_trace *trace = w->shared->trace;
    struct td_dict *dict = td_trace_fill_dict(trace);
    uint32_t track = (uint32_t)(w->x >> 50) % TRACKS;
    int64_t early = w->time - (int64_t)(w->x >> 52 & 15); /* out of order */
    if (what == 0)
        push(w, (struct td_event){.kind = TD_EVENT_MESSAGE,
                                  .track = track,
                                  .time_ns = early,
                                  .srcloc = (uint32_t)(early % 1000)});
    else if (what == 1)
        push(w, (struct td_event){
                    .kind = TD_EVENT_PLOT, .subject = 0, .time_ns = early, .value.f64 = (double)early});
    else if (what == 2) {
        push(w, (struct td_event){.kind = TD_EVENT_FRAME_START, .subject = 1, .time_ns = w->time});
        push(w, (struct td_event){.kind = TD_EVENT_FRAME_END, .subject = 1, .time_ns = w->time + 3});
    } else if (what == 3) {
        const uint64_t frames[] = {w->x >> 60, w->x >> 58};
        td_trace_fill_stack(trace, frames, 2);
    } else {
        struct td_track renamed = *td_dict_get_track(dict, track);
        renamed.name = text(dict, "track", w->x >> 45 & 255);
        td_dict_track(dict, &renamed);
    }
}

static void fill(struct writer *w)
{
    for (int i = 0; i < EVENTS; i++) {
        w->x = w->x * UINT64_C(6364136223846793005) + 1442695040888963407u;
        unsigned what = (unsigned)(w->x >> 33) % 12;
        w->time += 10;
        if (what < 6)
            thread_event(w, (uint32_t)(w->x >> 36) % THREADS, what);
        else if (what < 7)
            push(w, (struct td_event){.kind = TD_EVENT_ZONE,
                                      .track = THREADS + (uint32_t)(w->x >> 36) % CORES,
                                      .time_ns = w->time - 5,
                                      .value.end_ns = w->time,
                                      .srcloc = w->shared->location[i & 7]});
        else
            other_event(w, what - 7);
    }
    /* Adds a complete zone to a thread that has begun zones, too: its rows vanish and come back. */
    push(w, (struct td_event){.kind = TD_EVENT_ZONE,
                              .track = 0,
                              .time_ns = w->time,
                              .value.end_ns = w->time + 1,
                              .srcloc = w->shared->location[0]});
}

static void readers_see_sound_zones_and_lists_while_one_thread_fills(void **state)
{
    struct shared shared = {.trace = td_trace_create(td_dict_create())};
    struct td_dict *dict = td_trace_fill_dict(shared.trace);
    pthread_t thread[READERS];
    struct reader reader[READERS];
    for (uint32_t i = 0; i < LOCATIONS; i++)
        shared.location[i] =
            td_dict_srcloc(dict, &(struct td_srcloc){.line = i + 1, .name = text(dict, "zone", i)});
    for (uint32_t i = 0; i < TRACKS; i++)
        td_dict_track(
            dict, &(struct td_track){.thread = i + 1, .kind = i < THREADS ? TD_TRACK_THREAD : TD_TRACK_CORE});
    td_dict_plot(dict, &(struct td_plot){.name = text(dict, "plot", 0)});
    td_dict_frame_set(dict, text(dict, "set", 0), 0);
    for (int i = 0; i < READERS; i++) {
        reader[i] = (struct reader){.shared = &shared};
        assert_int_equal(pthread_create(&thread[i], NULL, read_all, &reader[i]), 0);
    }
    struct writer w = {.shared = &shared, .sink = td_trace_sink(shared.trace), .x = 5, .time = 1000};
    struct td_err err = {0};
    fill(&w);
    assert_int_equal(td_trace_finish(shared.trace, &err), 0);
    __atomic_store_n(&shared.done, 1, __ATOMIC_RELEASE);
    for (int i = 0; i < READERS; i++) {
        pthread_join(thread[i], NULL);
        assert_int_equal(reader[i].wrong_line, 0);
        assert_true(reader[i].passes > 0 && reader[i].zones > 0);
    }
    td_trace_destroy(shared.trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(readers_see_sound_zones_and_lists_while_one_thread_fills),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
