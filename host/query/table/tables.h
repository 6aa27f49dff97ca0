/* The list of the tables. Each is in a file of its own in the rooms above, NAME_table.c. */
#pragma once
#include "host/query/table/query_table.h"

/* clang-format off */
#define TD_QUERY_TABLES(X) \
    X(allocations) X(bill) X(context_switches) X(cpus) X(flows) X(frame_sets) X(gpu_contexts) X(gpu_notes) X(gpu_zones) \
    X(lanes) X(locations) X(locks) X(losses) X(memory_pools) X(messages) X(operations) X(plots) \
    X(sections) X(spread) X(stacks) X(symbols) X(track_zones) X(tracks) X(wait_stacks) X(waits) X(zones)
/* clang-format on */
#define TD_X(name) extern const struct td_query_table td_table_##name;
TD_QUERY_TABLES(TD_X)
#undef TD_X

/* All of them, by name; NULL is the end. */
extern const struct td_query_table *const td_query_tables[];
