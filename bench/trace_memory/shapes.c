#include "bench/trace_memory/shapes.h"

#include "host/trace/fill.h"
#include "host/trace/tables.h"
#include "proto/track.h"

#include <math.h>
#include <stdio.h>

enum { LOCATIONS = 40, THREADS = 8, LANES = 7680, CORES = 5, WIDTH = 16, HEIGHT = 12, RECURSION = 200 };

struct maker {
    struct td_trace *trace;
    struct td_fill fill;
    uint32_t locations[LOCATIONS];
    uint64_t state;
    uint64_t left; /* zones to make in this track */
    int64_t now_ns;
    int rc; /* of the first call that failed */
    int extras;
};

static uint64_t any(struct maker *m)
{
    m->state ^= m->state << 13;
    m->state ^= m->state >> 7;
    return m->state ^= m->state << 17;
}

static uint64_t below(struct maker *m, uint64_t n)
{
    return any(m) % n;
}

/* Every magnitude from `least` to `most` is as likely as any other. */
static int64_t log_uniform(struct maker *m, double least, double most)
{
    double at = (double)(any(m) >> 11) * 0x1p-53;
    return (int64_t)(least * exp2(at * log2(most / least)));
}

static int make_locations(struct maker *m)
{
    struct td_dict *dict = td_trace_fill_dict(m->trace);
    uint32_t file = td_dict_cstring(dict, "src/pipeline.cpp");
    for (unsigned i = 0; i < LOCATIONS; i++) {
        char name[40];
        snprintf(name, sizeof name, "stage_%u", i);
        uint32_t function = td_dict_cstring(dict, name);
        const struct td_srcloc at = {.function = function, .file = file, .line = 10 + 7 * i};
        m->locations[i] = td_dict_srcloc(dict, &at);
        if (m->locations[i] == UINT32_MAX)
            return TD_E_NOMEM;
    }
    return 0;
}

static int start(struct maker *m, struct td_trace *trace)
{
    *m = (struct maker){.trace = trace, .state = 88172645463325252u};
    return make_locations(m);
}

/* Some zones have what few have: a text of their own, every other of those a colour too. */
static uint32_t extra(struct maker *m)
{
    if (!m->extras || below(m, 10))
        return 0;
    char text[40];
    int n = snprintf(text, sizeof text, "batch %u", (unsigned)below(m, 100000));
    struct td_series *table = td_trace_fill_table(m->trace, TD_TABLE_EXTRA);
    const int64_t none[TD_EXTRA_COLUMN_COUNT] = {0};
    int64_t row[TD_EXTRA_COLUMN_COUNT] = {0};
    row[TD_EXTRA_TEXT] = td_dict_string(td_trace_fill_dict(m->trace), text, (size_t)n);
    row[TD_EXTRA_COLOR] = below(m, 2) ? 0xff8800 : 0;
    if (!table || (!td_series_count(table) && td_series_append(table, none) < 0) ||
        td_series_append(table, row) < 0)
        m->rc = TD_E_NOMEM;
    return table ? (uint32_t)td_series_count(table) - 1 : 0;
}

static void enter(struct maker *m, int64_t duration_ns, unsigned location)
{
    uint32_t own = extra(m);
    if (td_fill_enter(&m->fill, m->now_ns, duration_ns, m->locations[location % LOCATIONS], own) < 0)
        m->rc = TD_E_NOMEM;
    m->left -= m->left > 0;
}

static void leaf(struct maker *m, int64_t duration_ns, unsigned location)
{
    enter(m, duration_ns, location);
    m->now_ns += duration_ns;
}

/* A call, the calls in it, and so on: some leaves, some with up to three inside. */
static void call(struct maker *m, unsigned depth)
{
    unsigned location = depth * 6 + (unsigned)below(m, 6);
    unsigned inside = depth < 6 && below(m, 3) ? 1 + (unsigned)below(m, 3) : 0;
    int64_t began_ns = m->now_ns;
    if (!inside) {
        leaf(m, log_uniform(m, 50, 50000), location);
        return;
    }
    enter(m, -1, location);
    td_fill_down(&m->fill);
    for (unsigned i = 0; i < inside; i++) {
        m->now_ns += 20 + (int64_t)below(m, 200);
        call(m, depth + 1);
    }
    m->now_ns += 20 + (int64_t)below(m, 200);
    td_fill_leave(&m->fill, m->now_ns - began_ns);
}

static void frames(struct maker *m)
{
    while (m->left && !m->rc) {
        call(m, 0);
        m->now_ns += 1000 + (int64_t)below(m, 100000);
    }
}

/* What a core does: a kernel's own zone, rounds of the same few steps in it, waiting in some of those. */
static void kernels(struct maker *m)
{
    while (m->left && !m->rc) {
        int64_t began_ns = m->now_ns;
        enter(m, -1, 0);
        td_fill_down(&m->fill);
        for (unsigned i = 0; i < 20 && !m->rc; i++) {
            int64_t step_ns = m->now_ns += 10 + (int64_t)below(m, 30);
            if (below(m, 4)) {
                leaf(m, 100 + (int64_t)below(m, 3000), 1 + i % 4);
                continue;
            }
            enter(m, -1, 1 + i % 4);
            td_fill_down(&m->fill);
            leaf(m, log_uniform(m, 20, 20000), 5);
            td_fill_leave(&m->fill, (m->now_ns += 20) - step_ns);
        }
        td_fill_leave(&m->fill, (m->now_ns += 50) - began_ns);
        m->now_ns += 5000 + (int64_t)below(m, 5000);
    }
}

static void flat(struct maker *m)
{
    while (m->left && !m->rc) {
        leaf(m, log_uniform(m, 10, 1e9), (unsigned)below(m, LOCATIONS));
        m->now_ns += log_uniform(m, 10, 1e6);
    }
}

static void recursion(struct maker *m)
{
    int64_t began_ns[RECURSION];
    while (m->left && !m->rc) {
        for (unsigned i = 0; i < RECURSION && !m->rc; i++) {
            began_ns[i] = m->now_ns += 30 + (int64_t)below(m, 100);
            enter(m, -1, i % 3);
            td_fill_down(&m->fill);
        }
        while (m->fill.depth) {
            m->now_ns += 30 + (int64_t)below(m, 100);
            td_fill_leave(&m->fill, m->now_ns - began_ns[m->fill.depth - 1]);
        }
        m->now_ns += 10000;
    }
}

static int one_track(struct maker *m, const struct td_track *track, uint64_t zones,
                     void (*make)(struct maker *), struct td_err *err)
{
    uint32_t number = td_dict_track(td_trace_fill_dict(m->trace), track);
    int rc = td_fill_begin(&m->fill, m->trace, number, err);
    if (rc < 0)
        return rc;
    m->left = zones;
    m->now_ns = 1000000;
    make(m);
    td_fill_end(&m->fill);
    return m->rc < 0 ? td_fail(err, m->rc, "out of memory") : 0;
}

static int threads(struct maker *m, uint64_t zones, void (*make)(struct maker *), struct td_err *err)
{
    int rc = 0;
    for (unsigned i = 0; i < THREADS && rc == 0; i++) {
        const struct td_track track = {.thread = 1000 + i};
        rc = one_track(m, &track, zones / THREADS, make, err);
    }
    return rc;
}

static int fill_threads(struct td_trace *trace, uint64_t zones, struct td_err *err)
{
    struct maker m;
    return start(&m, trace) < 0 ? td_fail(err, TD_E_NOMEM, "out of memory") : threads(&m, zones, frames, err);
}

static int fill_flat(struct td_trace *trace, uint64_t zones, struct td_err *err)
{
    struct maker m;
    return start(&m, trace) < 0 ? td_fail(err, TD_E_NOMEM, "out of memory") : threads(&m, zones, flat, err);
}

static int fill_recursion(struct td_trace *trace, uint64_t zones, struct td_err *err)
{
    struct maker m;
    return start(&m, trace) < 0 ? td_fail(err, TD_E_NOMEM, "out of memory")
                                : threads(&m, zones, recursion, err);
}

static int fill_extras(struct td_trace *trace, uint64_t zones, struct td_err *err)
{
    struct maker m;
    if (start(&m, trace) < 0)
        return td_fail(err, TD_E_NOMEM, "out of memory");
    m.extras = 1;
    return threads(&m, zones, frames, err);
}

static struct td_track lane(unsigned number)
{
    unsigned core = number % CORES, x = number / CORES % WIDTH, y = number / CORES / WIDTH % HEIGHT,
             chip = number / CORES / WIDTH / HEIGHT;
    return (struct td_track){.thread = td_track_id(chip, x, y, core),
                             .kind = TD_TRACK_CORE,
                             .core = (uint8_t)core,
                             .chip = (uint16_t)chip,
                             .x = (uint16_t)x,
                             .y = (uint16_t)y};
}

static int fill_lanes(struct td_trace *trace, uint64_t zones, struct td_err *err)
{
    struct maker m;
    int rc = start(&m, trace) < 0 ? td_fail(err, TD_E_NOMEM, "out of memory") : 0;
    for (unsigned i = 0; i < LANES && rc == 0; i++) {
        const struct td_track track = lane(i);
        rc = one_track(&m, &track, zones / LANES, kernels, err);
    }
    return rc;
}

/* One kernel of a core as its lane gives it: zones in the order of their ends. */
enum { STEPS = 20 };
static int record_kernel(struct maker *m, struct td_sink sink, uint32_t track, int64_t *now_ns,
                         struct td_err *err)
{
    struct td_event events[STEPS + 1];
    int64_t began_ns = *now_ns;
    for (unsigned i = 0; i < STEPS; i++) {
        int64_t start_ns = *now_ns += 10 + (int64_t)below(m, 30);
        *now_ns += 100 + (int64_t)below(m, 3000);
        events[i] =
            (struct td_event){.kind = TD_EVENT_ZONE, .track = track, .srcloc = m->locations[1 + i % 4]};
        events[i].time_ns = start_ns;
        events[i].value.end_ns = *now_ns;
    }
    events[STEPS] = (struct td_event){.kind = TD_EVENT_ZONE, .track = track, .srcloc = m->locations[0]};
    events[STEPS].time_ns = began_ns;
    events[STEPS].value.end_ns = *now_ns += 50;
    *now_ns += 5000 + (int64_t)below(m, 5000);
    return sink.events(sink.self, events, STEPS + 1, err);
}

static int fill_recorded(struct td_trace *trace, uint64_t zones, struct td_err *err)
{
    struct maker m;
    static int64_t now_ns[LANES];
    uint32_t tracks[LANES];
    int rc = start(&m, trace) < 0 ? td_fail(err, TD_E_NOMEM, "out of memory") : 0;
    for (unsigned i = 0; i < LANES; i++) {
        const struct td_track track = lane(i);
        tracks[i] = td_dict_track(td_trace_fill_dict(trace), &track);
        now_ns[i] = 1000000;
    }
    for (uint64_t done = 0; done + (STEPS + 1) * LANES <= zones && rc == 0; done += (STEPS + 1) * LANES)
        for (unsigned i = 0; i < LANES && rc == 0; i++)
            rc = record_kernel(&m, td_trace_sink(trace), tracks[i], &now_ns[i], err);
    return rc;
}

const struct shape shapes[] = {
    {"threads", "8 threads, nested calls, 40 names", fill_threads, 0, 0},
    {"lanes", "7680 lanes, kernels with steps and waits", fill_lanes, 0, 0},
    {"random", "8 threads, flat, durations of any magnitude from 10 ns to 1 s", fill_flat, 0, 0},
    {"recursion", "8 threads, calls 200 deep", fill_recursion, 0, 0},
    {"extras", "as threads, one zone in ten with a text, one in twenty with a colour", fill_extras, 1, 0},
    {"recorded", "7680 lanes, kernels with steps, recorded as events", fill_recorded, 0, 1},
};
const unsigned shape_count = sizeof shapes / sizeof *shapes;
