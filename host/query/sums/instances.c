/* Two passes over the parts of all rows: the first counts, so that the second can write without copies. */
#include "host/query/sums/instances.h"
#include "host/base/sorted.h"
#include "host/base/parallel.h"
#include "host/base/percentile.h"
#include "host/base/wrap.h"
#include "host/trace/self_time.h"
#include "host/trace/tables.h"
#include "host/query/task/order.h"
#include "host/query/task/zone_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(TD_PART_ZONES <= UINT16_MAX + 1, "offsets have 16 bits");
_Static_assert(TD_INSTANCE_SUMS == TD_ORDER_BLOCK, "the sums are made while sorting");

struct instance_count {
    size_t counted, written; /* instances of a part */
    uint64_t open, empty;
};

struct instance_worker {
    struct td_zones zones, children;
};

struct instance_work {
    struct td_instances_wanted want;
    struct td_instances *made;
    struct td_zone_parts parts;
    struct instance_count *counts; /* of each part */
    uint32_t locations;
    uint8_t *location; /* 1: the source location has the name; one more: 0 */
    uint64_t extras;
    uint8_t *extra; /* 1: the row of EXTRA gives a zone the name; NULL: none does */
    int64_t *runs;  /* of each track: its row of SWITCH_THREAD, -1: not known; NULL: not asked for */
    struct instance_worker *workers;
    struct td_job *job;
    size_t done; /* atomic */
    bool wide;   /* atomic: a length does not fit 32 bits */
};

/* ---- names ---- */

static int match_locations(struct instance_work *w, const struct td_dict *dict)
{
    w->locations = td_dict_srcloc_count(dict);
    w->location = malloc((size_t)w->locations + 1);
    for (uint32_t s = 0; w->location && s < w->locations; s++)
        w->location[s] = !strcmp(td_dict_zone_name(dict, s), w->want.name);
    if (w->location)
        w->location[w->locations] = 0;
    return w->location ? 0 : TD_E_NOMEM;
}

static int match_extras(struct instance_work *w, const struct td_dict *dict)
{
    const struct td_series *table = td_trace_table(w->want.trace, TD_TABLE_EXTRA);
    const uint64_t rows = td_series_count(table);
    int64_t names[TD_ZONES_AT_ONCE], last = 0;
    uint8_t matches = 0;
    for (uint64_t first = 0; first < rows; first += TD_ZONES_AT_ONCE) {
        uint64_t count = rows - first < TD_ZONES_AT_ONCE ? rows - first : TD_ZONES_AT_ONCE;
        td_series_read(table, TD_EXTRA_NAME, first, count, names);
        for (uint64_t i = 0; i < count; i++) {
            if (names[i] != last)
                matches = names[i] && !strcmp(td_dict_text(dict, (uint32_t)names[i]), w->want.name);
            last = names[i];
            if (matches && !w->extra)
                w->extra = calloc(rows, 1);
            if (matches && !w->extra)
                return TD_E_NOMEM;
            if (matches)
                w->extra[first + i] = 1;
        }
    }
    w->extras = rows;
    return 0;
}

static bool has_name(const struct instance_work *w, const struct td_zones *zones, uint32_t i)
{
    uint64_t location = (uint64_t)zones->column[TD_ZONE_SRCLOC][i];
    if (w->location[location < w->locations ? location : w->locations])
        return true;
    return w->extra && (uint64_t)zones->column[TD_ZONE_EXTRA][i] < w->extras &&
           w->extra[zones->column[TD_ZONE_EXTRA][i]];
}

/* ---- running time ---- */

bool td_instances_can_run(const struct td_trace *trace)
{
    return td_series_count(td_trace_table(trace, TD_TABLE_SWITCH_THREAD)) > 0;
}

/* The track's row of SWITCH_THREAD, or TD_E_NOTFOUND. */
static int64_t find_run(const struct td_trace *trace, uint32_t number)
{
    const struct td_series *threads = td_trace_table(trace, TD_TABLE_SWITCH_THREAD);
    const struct td_track *track = td_dict_get_track(td_trace_dict(trace), number);
    const uint64_t rows = track->context ? 0 : td_series_count(threads);
    for (uint64_t r = 0; r < rows; r++)
        if ((uint64_t)td_series_get(threads, r, TD_SWITCH_THREAD_THREAD) == track->thread)
            return (int64_t)r;
    return TD_E_NOTFOUND;
}

static int find_runs(struct instance_work *w, const struct td_dict *dict)
{
    const uint32_t tracks = td_dict_track_count(dict);
    w->runs = malloc(((size_t)tracks + 1) * sizeof *w->runs);
    for (uint32_t t = 0; w->runs && t < tracks; t++)
        w->runs[t] = find_run(w->want.trace, t);
    return w->runs ? 0 : TD_E_NOMEM;
}

/* The time of start .. end in which the thread ran; *at is where to look first, and where the next zone looks. */
static int64_t running_ns(const struct td_series *runs, uint64_t *at, int64_t start, int64_t end)
{
    const uint64_t count = td_series_count(runs);
    int64_t total = 0;
    for (; *at < count; (*at)++) {
        int64_t on = td_series_get(runs, *at, TD_SWITCH_START), off = td_series_get(runs, *at, TD_SWITCH_END);
        if (on >= end)
            break;
        on = on > start ? on : start;
        int64_t until = off < 0 || off > end ? end : off;
        total = until > on ? td_wrap_add(total, td_wrap_add(until, -on)) : total;
        if (off < 0 || off > end)
            break;
    }
    return total;
}

/* The first region that may reach into a zone that begins at start_ns. */
static uint64_t first_run(const struct td_series *runs, int64_t start_ns)
{
    uint64_t at = td_series_after(runs, TD_SWITCH_START, start_ns);
    return at - (at > 0);
}

bool td_zone_running_ns(const struct td_trace *trace, struct td_zone_ref zone, int64_t *running)
{
    const struct td_zone z = td_trace_zone(trace, zone.track, zone.row, zone.index);
    const int64_t row = find_run(trace, zone.track);
    if (row < 0)
        return false;
    const struct td_series *runs = td_trace_list(trace, TD_TABLE_SWITCH, (uint64_t)row);
    uint64_t at = first_run(runs, z.start_ns);
    *running = running_ns(runs, &at, z.start_ns, z.end_ns);
    return true;
}

/* ---- parts ---- */

static bool is_whole(const struct instance_work *w)
{
    return w->want.from_ns == INT64_MIN && w->want.to_ns == INT64_MAX;
}

/* Whether the zone lies in the range. */
static bool counts(const struct instance_work *w, const struct td_zones *zones, uint32_t i)
{
    int64_t length = zones->column[TD_ZONE_DURATION][i];
    if (is_whole(w))
        return true;
    int64_t start = zones->column[TD_ZONE_START][i];
    return start >= w->want.from_ns && (length < 0 || td_wrap_add(start, length) <= w->want.to_ns);
}

static unsigned columns_of(const struct instance_work *w, bool writing)
{
    unsigned columns = 1u << TD_ZONE_DURATION | 1u << TD_ZONE_SRCLOC;
    if (w->extra)
        columns |= 1u << TD_ZONE_EXTRA;
    if (!is_whole(w) || (writing && w->runs))
        columns |= 1u << TD_ZONE_START;
    if (writing && w->want.length == TD_LENGTH_SELF)
        columns |= 1u << TD_ZONE_CHILD_END;
    return columns;
}

/* Counts zones of which every one is in the range and has only its location's name. */
static void count_plainly(const struct instance_work *w, const struct td_zones *zones, uint32_t end,
                          struct instance_count *count)
{
    uint32_t open = 0, empty = 0, counted = 0;
    for (uint32_t i = 0; i < end; i++) {
        const uint64_t location = (uint64_t)zones->column[TD_ZONE_SRCLOC][i];
        const uint32_t named = w->location[location < w->locations ? location : w->locations];
        const int64_t length = zones->column[TD_ZONE_DURATION][i];
        open += named & (length < 0);
        empty += named & (length == 0);
        counted += named & (length > 0);
    }
    count->open += open;
    count->empty += empty;
    count->counted += counted;
}

static int count_part(void *self, size_t item, unsigned worker)
{
    struct instance_work *w = self;
    const struct td_zone_part *part = &w->parts.part[item];
    struct instance_count *count = &w->counts[item];
    struct td_zones *zones = &w->workers[worker].zones;
    if (w->job && td_job_cancelled(w->job))
        return TD_E_STOPPED;
    for (uint64_t first = part->first; first < part->end; first += zones->count) {
        if (!td_trace_zones_read(w->want.trace, part->track, part->row, first, columns_of(w, false), zones))
            break;
        const uint32_t end = part->end - first < zones->count ? (uint32_t)(part->end - first) : zones->count;
        if (!w->extra && is_whole(w)) {
            count_plainly(w, zones, end, count);
            continue;
        }
        for (uint32_t i = 0; i < end; i++) {
            if (!has_name(w, zones, i) || !counts(w, zones, i))
                continue;
            int64_t length = zones->column[TD_ZONE_DURATION][i];
            count->open += length < 0;
            count->empty += length == 0;
            count->counted += length > 0;
        }
    }
    return 0;
}

/* What the lengths of a part's zones need beside the zones, read as the zones are. */
struct instance_reader {
    struct td_zones *children;
    uint64_t child, run;
    const struct td_series *runs;
    bool self;
};

static struct instance_reader begin_part(const struct instance_work *w, const struct td_zone_part *part,
                                         struct instance_worker *worker)
{
    struct instance_reader r = {.children = &worker->children};
    r.children->count = 0;
    const struct td_zone zone = td_trace_zone(w->want.trace, part->track, part->row, part->first);
    r.self = w->want.length == TD_LENGTH_SELF && part->row + 1 < td_trace_rows(w->want.trace, part->track);
    r.child = zone.child_begin;
    if (w->runs && w->runs[part->track] >= 0) {
        r.runs = td_trace_list(w->want.trace, TD_TABLE_SWITCH, (uint64_t)w->runs[part->track]);
        r.run = first_run(r.runs, zone.start_ns);
    }
    return r;
}

static int64_t length_of(const struct instance_work *w, const struct td_zone_part *part,
                         struct instance_reader *r, const struct td_zones *zones, uint32_t i)
{
    int64_t length = zones->column[TD_ZONE_DURATION][i];
    if (r->self) {
        /* The children of zones with other names were not read. */
        uint64_t begin = i ? (uint64_t)zones->column[TD_ZONE_CHILD_END][i - 1] : r->child;
        return td_self_time(length, td_zones_length(w->want.trace, part->track, part->row + 1, r->children,
                                                    &begin, (uint64_t)zones->column[TD_ZONE_CHILD_END][i]));
    }
    if (r->runs)
        return running_ns(r->runs, &r->run, zones->column[TD_ZONE_START][i],
                          td_wrap_add(zones->column[TD_ZONE_START][i], length));
    return length;
}

/* False: it does not fit, so that all have to be written again. */
static bool put_length(struct instance_work *w, size_t at, int64_t length)
{
    if (w->made->wide) {
        w->made->wide[at] = length;
    } else if (length == (int64_t)(uint32_t)length) {
        w->made->length[at] = (uint32_t)length;
    } else {
        __atomic_store_n(&w->wide, true, __ATOMIC_RELAXED);
        return false;
    }
    return true;
}

static int write_part(void *self, size_t item, unsigned number)
{
    struct instance_work *w = self;
    const struct td_zone_part *part = &w->parts.part[item];
    struct instance_count *count = &w->counts[item];
    struct instance_worker *worker = &w->workers[number];
    struct td_zones *zones = &worker->zones;
    const size_t at = w->made->part[item].at;
    if (w->job && td_job_cancelled(w->job))
        return TD_E_STOPPED;
    if (w->job)
        td_job_set_progress(w->job, __atomic_add_fetch(&w->done, 1, __ATOMIC_RELAXED), w->parts.count);
    if (!count->counted || (!w->made->wide && __atomic_load_n(&w->wide, __ATOMIC_RELAXED)))
        return 0;
    count->written = 0;
    struct instance_reader reader = begin_part(w, part, worker);
    for (uint64_t first = part->first; first < part->end; first += zones->count) {
        if (!td_trace_zones_read(w->want.trace, part->track, part->row, first, columns_of(w, true), zones))
            break;
        for (uint32_t i = 0; i < zones->count && first + i < part->end; i++) {
            if (zones->column[TD_ZONE_DURATION][i] <= 0 || !has_name(w, zones, i) || !counts(w, zones, i) ||
                count->written == count->counted)
                continue;
            if (!put_length(w, at + count->written, length_of(w, part, &reader, zones, i)))
                return 0;
            w->made->offset[at + count->written++] = (uint16_t)(first + i - part->first);
        }
        if (reader.self)
            reader.child = (uint64_t)zones->column[TD_ZONE_CHILD_END][zones->count - 1];
    }
    return 0;
}

/* ---- results ---- */

static int place_parts(struct instance_work *w)
{
    struct td_instances *m = w->made;
    m->part = malloc((w->parts.count + 1) * sizeof *m->part);
    if (!m->part)
        return TD_E_NOMEM;
    for (size_t i = 0; i < w->parts.count; i++) {
        const struct td_zone_part *p = &w->parts.part[i];
        m->part[i] = (struct td_instance_part){p->track, p->row, p->first, m->count};
        m->count += w->counts[i].counted;
        m->open += w->counts[i].open;
        m->empty += w->counts[i].empty;
    }
    if (m->count > UINT32_MAX)
        return TD_E_NOMEM;
    m->length = malloc((m->count + 1) * sizeof *m->length);
    m->offset = malloc((m->count + 1) * sizeof *m->offset);
    return m->length && m->offset ? 0 : TD_E_NOMEM;
}

static int write_parts(struct instance_work *w, unsigned threads)
{
    struct td_instances *m = w->made;
    int rc = td_parallel(threads, w->parts.count, write_part, w);
    if (rc < 0 || !w->wide)
        return rc;
    free(m->length);
    m->length = NULL;
    m->wide = malloc((m->count + 1) * sizeof *m->wide);
    w->done = 0;
    return m->wide ? td_parallel(threads, w->parts.count, write_part, w) : TD_E_NOMEM;
}

/* Leaves out parts without instances, and the places of zones that a trace that grows has changed meanwhile. */
static void close_gaps(struct instance_work *w)
{
    struct td_instances *m = w->made;
    size_t at = 0;
    for (size_t i = 0; i < w->parts.count; i++) {
        const size_t from = m->part[i].at, written = w->counts[i].written;
        if (!written)
            continue;
        if (from != at) {
            if (m->length)
                memmove(m->length + at, m->length + from, written * sizeof *m->length);
            else
                memmove(m->wide + at, m->wide + from, written * sizeof *m->wide);
            memmove(m->offset + at, m->offset + from, written * sizeof *m->offset);
        }
        m->part[m->parts] = m->part[i];
        m->part[m->parts++].at = at;
        at += written;
    }
    m->count = at;
}

static int sort_lengths(struct instance_work *w)
{
    struct td_instances *m = w->made;
    const struct td_order_keys keys = {m->length, m->wide};
    const size_t blocks = (m->count + TD_INSTANCE_SUMS - 1) / TD_INSTANCE_SUMS;
    m->order = malloc((m->count + 1) * sizeof *m->order);
    m->sum = malloc((blocks + 1) * sizeof *m->sum);
    int rc = m->order && m->sum ? td_order_make(keys, m->count, m->order, m->sum, w->job) : TD_E_NOMEM;
    for (size_t i = 0; rc == 0 && i < blocks; i++) {
        int64_t sum = m->sum[i];
        m->sum[i] = m->total_ns;
        m->total_ns = td_wrap_add(m->total_ns, sum);
    }
    return rc;
}

static void find_deviation(struct td_instances *m)
{
    const double mean = m->count ? (double)m->total_ns / (double)m->count : 0;
    double squares = 0;
    for (size_t i = 0; i < m->count; i++) {
        const double off = (double)td_instances_length_of(m, i) - mean;
        squares += off * off;
    }
    m->deviation_ns = m->count > 1 ? sqrt(squares / (double)(m->count - 1)) : 0;
}

static int make(struct instance_work *w)
{
    const struct td_dict *dict = td_trace_dict(w->want.trace);
    const unsigned threads = td_parallel_threads(0);
    int rc = td_zone_parts_make(&w->parts, w->want.trace, w->want.from_ns, w->want.to_ns, w->want.lanes) < 0
                 ? TD_E_NOMEM
                 : 0;
    w->counts = calloc(w->parts.count + 1, sizeof *w->counts);
    w->workers = calloc(threads, sizeof *w->workers);
    if (rc < 0 || !w->counts || !w->workers || match_locations(w, dict) < 0 || match_extras(w, dict) < 0 ||
        (w->want.length == TD_LENGTH_RUNNING && find_runs(w, dict) < 0))
        return TD_E_NOMEM;
    rc = td_parallel(threads, w->parts.count, count_part, w);
    rc = rc ? rc : place_parts(w);
    rc = rc ? rc : write_parts(w, threads);
    if (rc < 0)
        return rc;
    close_gaps(w);
    rc = sort_lengths(w);
    find_deviation(w->made);
    return rc;
}

int td_instances_make(struct td_instances *instances, const struct td_instances_wanted *wanted,
                      struct td_job *job)
{
    struct instance_work w = {.want = *wanted, .made = instances, .job = job};
    *instances = (struct td_instances){0};
    int rc = make(&w);
    td_zone_parts_free(&w.parts);
    free(w.counts);
    free(w.workers);
    free(w.location);
    free(w.extra);
    free(w.runs);
    if (rc < 0)
        td_instances_free(instances);
    return rc;
}

void td_instances_free(struct td_instances *instances)
{
    free(instances->length);
    free(instances->wide);
    free(instances->offset);
    free(instances->order);
    free(instances->sum);
    free(instances->part);
    *instances = (struct td_instances){0};
}

/* ---- questions ---- */

const struct td_instance_part *td_instances_part(const struct td_instances *instances, size_t number)
{
    size_t low = 0, high = instances->parts;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (instances->part[middle].at <= number)
            low = middle;
        else
            high = middle;
    }
    return &instances->part[low];
}

struct td_zone_ref td_instances_ref(const struct td_instances *instances, size_t number)
{
    const struct td_instance_part *p = td_instances_part(instances, number);
    return (struct td_zone_ref){p->track, p->row, p->first + instances->offset[number]};
}

static bool is_before(struct td_zone_ref a, struct td_zone_ref b)
{
    if (a.track != b.track)
        return a.track < b.track;
    return a.row != b.row ? a.row < b.row : a.index < b.index;
}

size_t td_instances_find(const struct td_instances *instances, struct td_zone_ref zone)
{
    size_t low = 0, high = instances->count;
    TD_BISECT(low, high, middle, is_before(td_instances_ref(instances, middle), zone));
    return low < instances->count && td_ref_equal(td_instances_ref(instances, low), zone) ? low : SIZE_MAX;
}

int64_t td_instances_length(const struct td_instances *instances, size_t rank)
{
    return td_instances_length_of(instances, instances->order[rank]);
}

size_t td_instances_below(const struct td_instances *instances, int64_t length)
{
    size_t low = 0, high = instances->count;
    TD_BISECT(low, high, middle, td_instances_length(instances, middle) < length);
    return low;
}

int64_t td_instances_sum(const struct td_instances *instances, size_t rank)
{
    if (rank >= instances->count)
        return instances->total_ns;
    size_t at = rank - rank % TD_INSTANCE_SUMS;
    int64_t sum = instances->sum[at / TD_INSTANCE_SUMS];
    for (; at < rank; at++)
        sum = td_wrap_add(sum, td_instances_length(instances, at));
    return sum;
}

int64_t td_instances_percentile(const struct td_instances *instances, double fraction)
{
    return instances->count ? td_instances_length(instances, td_percentile_rank(instances->count, fraction))
                            : 0;
}
