/* The locks of the program: how long each was held and waited for in the chosen range, and by how many threads. */
#include "host/query/table/tables.h"
#include "host/query/table/value_text.h"
#include "host/viewer/panels/lacks.h"
#include "host/viewer/panels/table_panel.h"

/* Which locks are listed, as stock groups them. */
enum locks_group { ALL_LOCKS, CONTENDED_LOCKS, SHARED_LOCKS, PRIVATE_LOCKS, GROUPS };
static const char *const group_names[GROUPS] = {"All locks", "Contended", "Several threads", "One thread"};

static bool lock_is_listed(const struct td_query_rows *rows, uint64_t lock, int group)
{
    const bool one = td_query_int(rows, lock, "active_threads") <= 1;
    return group == ALL_LOCKS || (group == SHARED_LOCKS && !one) || (group == PRIVATE_LOCKS && one) ||
           (group == CONTENDED_LOCKS && td_query_int(rows, lock, "contended_ns") > 0);
}

static const struct td_table_panel locks = {
    .table = &td_table_locks,
    .id = TD_PANEL_LOCKS,
    .columns = "lock waited_ns longest_ns held_ns contended_ns all_waits all_obtains active_threads kind "
               "lifetime_ns events announced_ns source",
    .sort = "waited_ns",
    .filter = "lock file",
    .hint = "Filter: name or file, -not",
    .row = "lock",
    .has_node = true,
    .node = TD_NODE_LOCK,
    .groups = group_names,
    .group_count = GROUPS,
    .lists = lock_is_listed,
};
TD_TABLE_PANEL(locks)

static const struct td_help_line locks_help[] = {
    {"Ctrl+L", "list of locks"},
    {"V in it", "all, contended, of several threads, of one thread"},
    {"X in it", "hide and show the row of the lock"},
    {"Enter in it", "zooms to the longest wait"},
    {0},
};

const struct td_panel td_panel_locks = {
    .name = "locks",
    .dock = TD_DOCK_BOTTOM,
    .title = "Locks",
    .group = TD_GROUP_THREADS,
    .page = "Who holds a lock, and who waits?",
    .lacks = td_lacks_locks,
    .keys = {{.key = 'l', .ctrl = true}},
    .help = locks_help,
    TD_TABLE_PANEL_FUNCTIONS,
};
