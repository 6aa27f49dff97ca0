/* The table of names in two traces; the request is with a struct td_compare_table, which is not the rows'. */
#include "host/query/diff/comparison.h"
#include "host/query/table/query_table.h"

#define ROWS      struct td_query_rows
#define ENTRY     td_compared_at(rows, i)
#define BEFORE    (&ENTRY->side[0])
#define NOW       (&ENTRY->side[1])
#define IN_BOTH   (BEFORE->count && NOW->count)
#define CHANGE(x) ((double)NOW->x - (double)BEFORE->x)

static struct td_query_value ratio_of(const struct td_compare_entry *e)
{
    return td_is_known(e->side[0].count && e->side[1].count && e->side[0].mean_ns > 0,
                       td_is_real(e->side[1].mean_ns / e->side[0].mean_ns));
}

/* clang-format off */
#define COMPARED_COLUMNS(X)                                                                                          \
    X(name,            "Zone",         TEXT,     0,   td_is_text(ENTRY->name))                                       \
    X(file,            "File",         TEXT,     190, td_is_text(ENTRY->file))                                       \
    X(slowdown_ns,     "Slow-down",    DURATION, 96,  td_is_known(IN_BOTH, td_is_real(td_comparison_slowdown_ns(ENTRY)))) \
    X(ratio,           "Ratio",        NUMBER,   70,  ratio_of(ENTRY))                                               \
    X(mean_before_ns,  "Mean before",  DURATION, 92,  td_is_known(BEFORE->count != 0, td_is_real(BEFORE->mean_ns)))  \
    X(mean_now_ns,     "Mean now",     DURATION, 86,  td_is_known(NOW->count != 0, td_is_real(NOW->mean_ns)))        \
    X(change_ns,       "Total change", DURATION, 100, td_is_int(td_compare_impact_ns(ENTRY)))                        \
    X(count_before,    "Count before", COUNT,    92,  td_is_uint(BEFORE->count))                                     \
    X(count_now,       "Count now",    COUNT,    86,  td_is_uint(NOW->count))                                        \
    X(self_change_ns,  "Self change",  DURATION, 96,  td_is_real(CHANGE(self_ns)))                                   \
    X(total_before_ns, "Total before", DURATION, 92,  td_is_int(BEFORE->total_ns))                                   \
    X(total_now_ns,    "Total now",    DURATION, 86,  td_is_int(NOW->total_ns))
/* clang-format on */

const struct td_compare_entry *td_compared_at(const struct td_query_rows *rows, uint64_t row)
{
    return &((const struct td_compare_table *)rows->of.with)->entries[row];
}

TD_QUERY_COLUMNS(COMPARED_COLUMNS)

static int make_compared(struct td_query_rows *rows)
{
    const struct td_compare_table *table = rows->of.with;
    rows->count = table ? table->count : 0;
    return 0;
}

const struct td_query_table td_table_compared = {
    .name = "compared",
    .about = "a name of zones in two traces",
    TD_QUERY_WITH_COLUMNS,
    .make = make_compared,
};
