#include "host/query/sums/location_table.h"
#include "host/base/grow.h"

struct location_rows {
    struct td_query_rows rows;
    struct td_location *at;
    size_t capacity;
    double busy_ns; /* of all tracks that count */
};
#define ROWS    struct location_rows
#define FIGURES (&r->at[i].figures)

static const char *file_of(const struct location_rows *r, uint64_t i)
{
    return td_dict_text(r->rows.dict, td_dict_get_srcloc(r->rows.dict, r->at[i].sum.srcloc)->file);
}

static uint32_t line_of(const struct location_rows *r, uint64_t i)
{
    return td_dict_get_srcloc(r->rows.dict, r->at[i].sum.srcloc)->line;
}

static double share_of(const struct location_rows *r, uint64_t i)
{
    return r->busy_ns > 0 ? (double)r->at[i].sum.self_ns / r->busy_ns : 0;
}

/* clang-format off */
#define LOCATION_COLUMNS(X)                                                                                  \
    X(name,      "Zone",        TEXT,     0,   td_is_text(td_dict_zone_name(rows->dict, r->at[i].sum.srcloc))) \
    X(file,      "File",        TEXT,     190, td_is_text(file_of(r, i)))                                    \
    X(line,      "Line",        ID,       60,  td_is_uint(line_of(r, i)))                                    \
    X(count,     "Count",       COUNT,    88,  td_is_uint(FIGURES->count))                                   \
    X(total_ns,  "Total",       DURATION, 92,  td_is_int(FIGURES->total_ns))                                 \
    X(share,     "% of time",   SHARE,    72,  td_is_real(share_of(r, i)))                                   \
    X(self_ns,   "Self",        DURATION, 86,  td_is_int(r->at[i].sum.self_ns))                              \
    X(mean_ns,   "Mean",        MEAN,     86,  td_is_real(td_figures_mean_ns(FIGURES)))                      \
    X(median_ns, "Median",      DURATION, 86,  td_is_int(FIGURES->median_ns))                                \
    X(p90_ns,    "p90",         DURATION, 86,  td_is_int(FIGURES->p90_ns))                                   \
    X(p99_ns,    "p99",         DURATION, 86,  td_is_int(FIGURES->p99_ns))                                   \
    X(min_ns,    "Min",         DURATION, 86,  td_is_int(FIGURES->min_ns))                                   \
    X(max_ns,    "Max",         DURATION, 86,  td_is_int(FIGURES->max_ns))                                   \
    X(std_ns,    "Deviation",   MEAN,     86,  td_is_real(td_figures_deviation_ns(FIGURES)))                 \
    X(tracks,    "Tracks",      COUNT,    58,  td_is_uint(r->at[i].tracks))                                  \
    X(spread,    "Over tracks", TEXT,     110, td_is_part(false, td_is_text("")))                            \
    X(source,    "Source",      TEXT,     190, td_is_place(file_of(r, i), line_of(r, i), room))
/* clang-format on */
TD_QUERY_COLUMNS(LOCATION_COLUMNS)

/* The figures of zones with all that is in them: the sums have those of open zones, too. */
static void use_sum(struct td_figures *figures, const struct td_sum *sum)
{
    figures->count = sum->count + sum->open;
    figures->timed = sum->timed;
    figures->total_ns = sum->total_ns;
    figures->min_ns = sum->timed ? sum->min_ns : 0;
    figures->max_ns = sum->max_ns;
    figures->squares = sum->squares;
}

/* Joins the sums of each location. */
static int add_locations(struct location_rows *r, const struct td_sums *sums,
                         const struct td_lane_choice *lanes, const struct td_location_figures *figures)
{
    for (size_t i = 0, end; i < sums->count; i = end) {
        struct td_location row = {.sum = {.srcloc = sums->sum[i].srcloc, .min_ns = INT64_MAX}};
        for (end = i; end < sums->count && sums->sum[end].srcloc == row.sum.srcloc; end++)
            if (td_lane_chosen(lanes, sums->sum[end].track)) {
                td_sum_add(&row.sum, &sums->sum[end]);
                row.tracks++;
            }
        if (!row.tracks)
            continue;
        if (row.sum.srcloc < figures->locations)
            row.figures = figures->of[row.sum.srcloc];
        if (figures->timing == TD_TIMING_WHOLE)
            use_sum(&row.figures, &row.sum);
        if (TD_APPEND(r->at, r->rows.count, r->capacity, row) < 0)
            return TD_E_NOMEM;
    }
    for (uint32_t t = 0; t < sums->tracks; t++)
        r->busy_ns += td_lane_chosen(lanes, t) ? (double)sums->lane[t].busy_ns : 0;
    return 0;
}

static void release_sums(struct td_locations_wanted *wanted)
{
    if (wanted && wanted->release)
        wanted->release(wanted->self);
    if (wanted)
        wanted->release = NULL;
}

static int make_locations(struct td_query_rows *rows)
{
    const struct td_query_request *of = &rows->of;
    struct td_locations_wanted *wanted = of->with;
    const struct td_lane_choice *lanes = wanted ? &wanted->lanes : NULL;
    const struct td_figures_wanted figures_wanted = {of->trace, of->from_ns, of->to_ns,
                                                     wanted ? wanted->timing : TD_TIMING_WHOLE, lanes};
    struct td_location_figures figures = {0};
    struct td_sums own = {0};
    const struct td_sums *sums = wanted && wanted->sums ? wanted->sums : &own;
    int rc =
        sums == &own ? td_sums_make(&own, of->trace, of->from_ns, of->to_ns, of->now_ns, NULL, of->job) : 0;
    rc = rc ? rc : td_location_figures_make(&figures, &figures_wanted, of->job);
    rc = rc ? rc : add_locations((struct location_rows *)rows, sums, lanes, &figures);
    release_sums(wanted);
    td_location_figures_free(&figures);
    td_sums_free(&own);
    return rc;
}

TD_QUERY_FREES(free_locations, free(r->at))

static void free_wanted(void *with)
{
    struct td_locations_wanted *wanted = with;
    release_sums(wanted);
    if (wanted)
        td_lane_choice_free(&wanted->lanes);
    free(wanted);
}

const struct td_location *td_location_at(const struct td_query_rows *rows, uint64_t row)
{
    return &((const struct location_rows *)rows)->at[row];
}

const struct td_query_table td_table_locations = {
    .name = "locations",
    .about = "a source location with zones in the range",
    TD_QUERY_WITH_COLUMNS,
    .make = make_locations,
    .free = free_locations,
    .free_with = free_wanted,
    .json =
        "name file line count total_ns self_ns mean_ns median_ns p90_ns p99_ns min_ns max_ns std_ns tracks",
    .lines =
        "name file line count total_ns self_ns mean_ns median_ns p90_ns p99_ns min_ns max_ns std_ns tracks",
    .text = "name total_ns self_ns count mean_ns median_ns p99_ns min_ns max_ns tracks",
};
