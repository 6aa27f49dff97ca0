/* The table of groups of the instances of a name. */
#include "host/query/sums/instance_tables.h"

#include <stdlib.h>

#define ROWS struct td_query_rows
#define OF   ((const struct td_instance_groups_wanted *)rows->of.with)
#define G    (&OF->groups.group[i])

static struct td_query_value label_of(const struct td_query_rows *rows, uint64_t i, char *room)
{
    td_instance_group_label(&OF->groups, rows->of.trace, G, room, 160);
    return td_is_text(room);
}

static double part_of(int64_t part, double whole)
{
    return whole > 0 ? (double)part / whole : 0;
}

/* clang-format off */
#define GROUP_COLUMNS(X)                                                                      \
    X(group,     "Group",  TEXT,     156, label_of(rows, i, room))                            \
    X(spread,    "Spread", TEXT,     0,   td_is_part(false, td_is_text("")))                  \
    X(count,     "Zones",  COUNT,    76,  td_is_uint(G->count))                               \
    X(first_ns,  "First",  TIME,     120, td_is_int(G->first_ns))                             \
    X(total_ns,  "Total",  DURATION, 84,  td_is_int(G->total_ns))                             \
    X(share,     "Share",  SHARE,    66,  td_is_real(part_of(G->total_ns, (double)OF->all_ns))) \
    X(mean_ns,   "Mean",   MEAN,     82,  td_is_real(part_of(G->total_ns, (double)G->count)))  \
    X(min_ns,    "Min",    DURATION, 82,  td_is_int(G->min_ns))                               \
    X(low_ns,    "p25",    DURATION, 82,  td_is_int(G->low_ns))                               \
    X(median_ns, "Median", DURATION, 82,  td_is_int(G->median_ns))                            \
    X(high_ns,   "p75",    DURATION, 82,  td_is_int(G->high_ns))                              \
    X(p99_ns,    "p99",    DURATION, 82,  td_is_int(G->p99_ns))                               \
    X(max_ns,    "Max",    DURATION, 82,  td_is_int(G->max_ns))
/* clang-format on */
TD_QUERY_COLUMNS(GROUP_COLUMNS)

static int make_groups(struct td_query_rows *rows)
{
    rows->count = OF ? OF->groups.count : 0;
    return 0;
}

static void free_wanted(void *with)
{
    if (with)
        free(((struct td_instance_groups_wanted *)with)->groups.group);
    free(with);
}

#define GROUP_LINES                                                                                          \
    "group count first_ns total_ns share mean_ns min_ns low_ns median_ns high_ns p99_ns max_ns"
const struct td_query_table td_table_instance_groups = {
    .name = "instance_groups",
    .about = "zones of one name that have something in common",
    TD_QUERY_WITH_COLUMNS,
    .make = make_groups,
    .free_with = free_wanted,
    .json = GROUP_LINES,
    .lines = GROUP_LINES,
    .text = GROUP_LINES,
};
