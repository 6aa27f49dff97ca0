/* The tables of zones by location: of threads and cores, and of GPU contexts. */
#include "host/query/sums/location_figures.h"
#include "host/query/sums/sums.h"
#include "host/query/table/tables.h"

#include <stdlib.h>

struct name_rows {
    struct td_query_rows rows;
    const struct td_stat *stats; /* of the trace, or own */
    struct td_stat *own;
};
#define ROWS struct name_rows

static const struct td_srcloc *location_at(const struct name_rows *r, uint64_t i)
{
    return td_dict_get_srcloc(r->rows.dict, r->stats[i].srcloc);
}

static struct td_query_value text_at(const struct name_rows *r, uint32_t string)
{
    return td_is_text(td_dict_text(r->rows.dict, string));
}

/* clang-format off */
#define NAME_COLUMNS(X)                                                                                                  \
    X(name,     "Zone",      TEXT,     0,   td_is_text(td_dict_zone_name(rows->dict, r->stats[i].srcloc)))               \
    X(function, "Function",  TEXT,     190, text_at(r, location_at(r, i)->function))                                     \
    X(file,     "File",      TEXT,     190, text_at(r, location_at(r, i)->file))                                         \
    X(line,     "Line",      ID,       60,  td_is_uint(location_at(r, i)->line))                                         \
    X(wait,     "Waits",     BOOL,     66,  td_is_bool(location_at(r, i)->flags & TD_SRCLOC_WAIT))                       \
    X(lost,     "Lost",      BOOL,     66,  td_is_bool(location_at(r, i)->flags & TD_SRCLOC_LOST))                       \
    X(count,    "Count",     COUNT,    84,  td_is_uint(r->stats[i].count))                                               \
    X(open,     "Open",      COUNT,    66,  td_is_uint(r->stats[i].open))                                                \
    X(total_ns, "Total",     DURATION, 92,  td_is_int(r->stats[i].total_ns))                                             \
    X(self_ns,  "Self",      DURATION, 92,  td_is_int(r->stats[i].self_ns))                                              \
    X(mean_ns,  "Mean",      MEAN,     92,  td_is_real(r->stats[i].mean_ns))                                             \
    X(min_ns,   "Min",       DURATION, 92,  td_is_int(r->stats[i].min_ns))                                               \
    X(max_ns,   "Max",       DURATION, 92,  td_is_int(r->stats[i].max_ns))                                               \
    X(std_ns,   "Deviation", MEAN,     92,  td_is_real(r->stats[i].std_ns))
/* clang-format on */
TD_QUERY_COLUMNS(NAME_COLUMNS)

/* ---- of a trace that grows, which has no statistics of its own ---- */

static void use_sum(struct td_stat *stat, const struct td_sum *sum)
{
    const struct td_figures figures = {
        .timed = sum->timed, .total_ns = sum->total_ns, .squares = sum->squares};
    *stat = (struct td_stat){.srcloc = sum->srcloc,
                             .count = sum->count,
                             .timed = sum->timed,
                             .open = sum->open,
                             .total_ns = sum->total_ns,
                             .min_ns = sum->timed ? sum->min_ns : 0,
                             .max_ns = sum->max_ns,
                             .self_ns = sum->self_ns,
                             .mean_ns = td_figures_mean_ns(&figures),
                             .std_ns = td_figures_deviation_ns(&figures)};
}

static int add_stats(struct name_rows *r, const struct td_sums *sums, bool gpu)
{
    r->own = calloc(sums->count + 1, sizeof *r->own);
    if (!r->own)
        return TD_E_NOMEM;
    for (size_t i = 0, end; i < sums->count; i = end) {
        struct td_sum all = {.srcloc = sums->sum[i].srcloc, .min_ns = INT64_MAX};
        bool is_there = false;
        for (end = i; end < sums->count && sums->sum[end].srcloc == all.srcloc; end++)
            if ((td_dict_get_track(r->rows.dict, sums->sum[end].track)->kind == TD_TRACK_GPU) == gpu) {
                td_sum_add(&all, &sums->sum[end]);
                is_there = true;
            }
        if (is_there)
            use_sum(&r->own[r->rows.count++], &all);
    }
    r->stats = r->own;
    return 0;
}

static int make_stats(struct name_rows *r, bool gpu)
{
    const struct td_query_request *of = &r->rows.of;
    struct td_sums sums;
    int rc = td_sums_make(&sums, of->trace, of->from_ns, of->to_ns, of->now_ns, NULL, of->job);
    rc = rc ? rc : add_stats(r, &sums, gpu);
    td_sums_free(&sums);
    return rc;
}

static int make_names(struct td_query_rows *rows)
{
    struct name_rows *r = (struct name_rows *)rows;
    if (!td_trace_is_finished(rows->of.trace))
        return make_stats(r, false);
    rows->count = td_trace_stats(rows->of.trace, &r->stats);
    return r->stats ? 0 : TD_E_NOMEM;
}

static int make_gpu_names(struct td_query_rows *rows)
{
    struct name_rows *r = (struct name_rows *)rows;
    if (!td_trace_is_finished(rows->of.trace))
        return make_stats(r, true);
    rows->count = td_trace_gpu_stats(rows->of.trace, &r->stats);
    return r->stats ? 0 : TD_E_NOMEM;
}

TD_QUERY_FREES(free_names, free(r->own))

#define NAME_TEXT "zone=name:36 count:10 total=total_ns:12 mean=mean_ns:12 min=min_ns:12 max=max_ns:12"

const struct td_query_table td_table_names = {
    .name = "names",
    .about = "the zones of a location in threads and cores",
    TD_QUERY_WITH_COLUMNS,
    .make = make_names,
    .free = free_names,
    .text = NAME_TEXT,
};

const struct td_query_table td_table_gpu_names = {
    .name = "gpu_names",
    .about = "the zones of a location in GPU contexts",
    TD_QUERY_WITH_COLUMNS,
    .make = make_gpu_names,
    .free = free_names,
    .text = NAME_TEXT,
};
