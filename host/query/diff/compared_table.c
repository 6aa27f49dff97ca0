/* The table of names in two traces; the request is with a struct td_compare_table, which is not the rows'. */
#include "host/base/json.h"
#include "host/query/diff/comparison.h"
#include "host/query/diff/rules.h"
#include "host/query/table/query_table.h"

#include <math.h>

#define ROWS      struct td_query_rows
#define ENTRY     td_compared_at(rows, i)
#define BEFORE    (&ENTRY->side[0])
#define NOW       (&ENTRY->side[1])
#define IN_BOTH   (BEFORE->count && NOW->count)
#define CHANGE(x) ((double)NOW->x - (double)BEFORE->x)

static const struct td_compare_table *table_of(const struct td_query_rows *rows)
{
    return rows->of.with;
}

static struct td_query_value ratio_of(const struct td_compare_entry *e)
{
    return td_is_known(e->side[0].count && e->side[1].count && e->side[0].mean_ns > 0,
                       td_is_real(e->side[1].mean_ns / e->side[0].mean_ns));
}

/* Whether the two traces' table has it: percentiles cost a pass over all zones, and only zones have self times. */
static bool has_metric(const struct td_compare_table *table, enum td_compare_metric metric)
{
    return metric == TD_COMPARE_self ? table->by == TD_COMPARE_BY_ZONE
                                     : table->percentiles || !td_compare_metric_is_percentile(metric);
}

static struct td_query_value value_of(const struct td_query_rows *rows, uint64_t i, int side,
                                      enum td_compare_metric metric)
{
    const struct td_compare_side *s = &ENTRY->side[side];
    const double value = td_compare_value(s, metric);
    const bool is_whole = value == (double)(int64_t)value;
    if (!has_metric(table_of(rows), metric))
        return td_is_part(false, td_is_int(0));
    return td_is_known(s->count != 0, is_whole ? td_is_int((int64_t)value) : td_is_real(value));
}

static struct td_query_value relative_change(const struct td_compare_entry *e)
{
    const double change = td_compare_relative_change(e, TD_COMPARE_mean);
    return td_is_known(!isnan(change), td_is_real(change));
}

/* clang-format off */
#define COMPARED_COLUMNS(X)                                                                                          \
    X(name,            "Zone",          TEXT,     0,   td_is_text(ENTRY->name))                                      \
    X(file,            "File",          TEXT,     190, td_is_text(ENTRY->file))                                      \
    X(slowdown_ns,     "Slow-down",     MEAN,     96,  td_is_known(IN_BOTH, td_is_real(td_comparison_slowdown_ns(ENTRY)))) \
    X(ratio,           "Ratio",         NUMBER,   70,  ratio_of(ENTRY))                                              \
    X(mean_change,     "Mean change",   NUMBER,   86,  relative_change(ENTRY))                                       \
    X(change,          "Change",        TEXT,     86,  td_is_text(td_compare_change_text(ENTRY, TD_COMPARE_mean, room))) \
    X(impact_ns,       "Total change",  DURATION, 100, td_is_int(td_compare_impact_ns(ENTRY)))                       \
    X(self_change_ns,  "Self change",   MEAN,     96,  td_is_real(CHANGE(self_ns)))                                  \
    X(mean_a_ns,       "Mean before",   MEAN,     92,  value_of(rows, i, 0, TD_COMPARE_mean))                        \
    X(mean_b_ns,       "Mean now",      MEAN,     86,  value_of(rows, i, 1, TD_COMPARE_mean))                        \
    X(total_a_ns,      "Total before",  DURATION, 92,  value_of(rows, i, 0, TD_COMPARE_total))                       \
    X(total_b_ns,      "Total now",     DURATION, 86,  value_of(rows, i, 1, TD_COMPARE_total))                       \
    X(self_a_ns,       "Self before",   DURATION, 92,  value_of(rows, i, 0, TD_COMPARE_self))                        \
    X(self_b_ns,       "Self now",      DURATION, 86,  value_of(rows, i, 1, TD_COMPARE_self))                        \
    X(median_a_ns,     "Median before", DURATION, 96,  value_of(rows, i, 0, TD_COMPARE_median))                      \
    X(median_b_ns,     "Median now",    DURATION, 86,  value_of(rows, i, 1, TD_COMPARE_median))                      \
    X(p99_a_ns,        "99 % before",   DURATION, 92,  value_of(rows, i, 0, TD_COMPARE_p99))                         \
    X(p99_b_ns,        "99 % now",      DURATION, 86,  value_of(rows, i, 1, TD_COMPARE_p99))                         \
    X(min_a_ns,        "Least before",  DURATION, 92,  value_of(rows, i, 0, TD_COMPARE_min))                         \
    X(min_b_ns,        "Least now",     DURATION, 86,  value_of(rows, i, 1, TD_COMPARE_min))                         \
    X(max_a_ns,        "Most before",   DURATION, 92,  value_of(rows, i, 0, TD_COMPARE_max))                         \
    X(max_b_ns,        "Most now",      DURATION, 86,  value_of(rows, i, 1, TD_COMPARE_max))                         \
    X(count_a,         "Count before",  COUNT,    92,  value_of(rows, i, 0, TD_COMPARE_count))                       \
    X(count_b,         "Count now",     COUNT,    86,  value_of(rows, i, 1, TD_COMPARE_count))
/* clang-format on */

const struct td_compare_entry *td_compared_at(const struct td_query_rows *rows, uint64_t row)
{
    return &table_of(rows)->entries[row];
}

TD_QUERY_COLUMNS(COMPARED_COLUMNS)

static const enum td_compare_metric metrics[] = {
#define TD_X(name, time) TD_COMPARE_##name,
    TD_COMPARE_METRICS(TD_X)
#undef TD_X
};

static void put_side(struct td_json *j, const char *key, const struct td_compare_table *table,
                     const struct td_compare_side *side)
{
    if (!side->count) {
        td_json_null(j, key);
        return;
    }
    td_json_object(j, key);
    td_json_uint(j, "line", side->line);
    for (size_t m = 0; m < sizeof metrics / sizeof *metrics; m++) {
        char name[32];
        snprintf(name, sizeof name, "%s%s", td_compare_metric_name(metrics[m]),
                 td_compare_metric_is_time(metrics[m]) ? "_ns" : "");
        if (has_metric(table, metrics[m]))
            td_json_double(j, name, td_compare_value(side, metrics[m]));
    }
    td_json_end_object(j);
}

/* The values in each trace. */
static int put_sides(struct td_json *j, const struct td_query_rows *rows, uint64_t i)
{
    put_side(j, "a", table_of(rows), BEFORE);
    put_side(j, "b", table_of(rows), NOW);
    return 0;
}

static int make_compared(struct td_query_rows *rows)
{
    rows->count = table_of(rows) ? table_of(rows)->count : 0;
    return 0;
}

const struct td_query_table td_table_compared = {
    .name = "compared",
    .about = "a name of zones in two traces",
    TD_QUERY_WITH_COLUMNS,
    .make = make_compared,
    .json = "name file impact_ns mean_change",
    .lines =
        "name file mean_a_ns mean_b_ns total_a_ns total_b_ns self_a_ns self_b_ns median_a_ns median_b_ns "
        "p99_a_ns p99_b_ns min_a_ns min_b_ns max_a_ns max_b_ns count_a count_b",
    .json_more = put_sides,
};
