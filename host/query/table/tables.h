/* The list of the tables. Each is in a file of its own in the rooms above, NAME_table.c. */
#pragma once
#include "host/query/table/query_table.h"

/* clang-format off */
#define TD_QUERY_TABLES(X) \
    X(allocations) X(bill) X(context_switches) X(counters) X(cpu_processes) X(cpu_threads) X(cpus) X(critical_path) X(facts) X(flows) X(frame_sets) X(frames) X(gpu_contexts) \
    X(gpu_names) X(gpu_notes) X(lanes) X(locations) X(lock_events) X(locks) X(losses) X(memory_pools) X(messages) \
    X(names) X(noc_transfers) X(operations) X(plot_points) X(plots) X(samples) X(sections) X(spread) X(stack_frames) X(stacks) \
    X(switches) X(symbols) X(track_zones) X(tracks) X(wait_stacks) X(waits) X(wakeups) X(zones)
/* clang-format on */
#define TD_X(name) extern const struct td_query_table td_table_##name;
TD_QUERY_TABLES(TD_X)
#undef TD_X

/* All of them, by name; NULL is the end. */
extern const struct td_query_table *const td_query_tables[];
