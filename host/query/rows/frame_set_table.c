/* The table of frame sets. */
#include "host/query/rows/frame_times.h"
#include "host/query/table/tables.h"

#include <stdlib.h>

struct frame_set_rows {
    struct td_query_rows rows;
    struct frame_set {
        uint32_t set;
        struct td_frame_times times;
    } * at;
};
#define ROWS struct frame_set_rows

static struct td_query_value name_of_set(const struct td_dict *dict, uint32_t set)
{
    return set ? td_is_string(dict, td_dict_get_frame_set(dict, set, NULL)) : td_is_text("Frame");
}

static bool is_continuous(const struct td_dict *dict, uint32_t set)
{
    int continuous;
    td_dict_get_frame_set(dict, set, &continuous);
    return continuous != 0;
}

/* clang-format off */
#define FRAME_SET_COLUMNS(X)                                                                                             \
    X(name,       "Frames",     TEXT,     0,  name_of_set(rows->dict, r->at[i].set))                                     \
    X(continuous, "Continuous", BOOL,     76, td_is_bool(is_continuous(rows->dict, r->at[i].set)))                       \
    X(frames,     "All frames", COUNT,    84, td_is_uint(td_trace_frames(rows->of.trace, r->at[i].set)))                 \
    X(timed,      "Timed",      COUNT,    84, td_is_uint(r->at[i].times.count))                                          \
    X(total_ns,   "Total",      DURATION, 92, td_is_int(r->at[i].times.total_ns))                                        \
    X(mean_ns,    "Mean",       MEAN,     92, td_is_real(r->at[i].times.mean_ns))                                        \
    X(median_ns,  "Median",     DURATION, 92, td_is_int(r->at[i].times.median_ns))                                       \
    X(min_ns,     "Min",        DURATION, 92, td_is_int(r->at[i].times.min_ns))                                          \
    X(max_ns,     "Max",        DURATION, 92, td_is_int(r->at[i].times.max_ns))                                          \
    X(std_ns,     "Deviation",  MEAN,     92, td_is_real(r->at[i].times.deviation_ns))
/* clang-format on */
TD_QUERY_COLUMNS(FRAME_SET_COLUMNS)

static int make_frame_sets(struct td_query_rows *rows)
{
    struct frame_set_rows *r = (void *)rows;
    const struct td_query_request *of = &rows->of;
    const uint32_t sets = td_dict_frame_set_count(rows->dict);
    r->at = calloc((size_t)sets + 1, sizeof *r->at);
    int rc = r->at ? 0 : TD_E_NOMEM;
    for (uint32_t set = 0; rc == 0 && set < sets; set++) {
        if (!td_trace_frames(of->trace, set))
            continue;
        struct frame_set *s = &r->at[rows->count++];
        s->set = set;
        rc = td_frame_times_make(&s->times, of->trace, set, of->now_ns, of->job);
    }
    return rc;
}

static void free_frame_sets(struct td_query_rows *rows)
{
    struct frame_set_rows *r = (void *)rows;
    for (uint64_t i = 0; r->at && i < rows->count; i++)
        td_frame_times_free(&r->at[i].times);
    free(r->at);
}

const struct td_query_table td_table_frame_sets = {
    .name = "frame_sets",
    .about = "a set of frames, with their lengths",
    TD_QUERY_WITH_COLUMNS,
    .make = make_frame_sets,
    .free = free_frame_sets,
    .json = "name continuous frames timed min_ns max_ns mean_ns",
    .lines = "set=name frames=timed total_ns mean_ns median_ns min_ns max_ns std_ns",
};
