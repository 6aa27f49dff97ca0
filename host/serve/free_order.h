/* The frees of each memory pool in their order. A trace that is followed keeps them (td_trace_follow()); for one
 * that was read from a file they are made here, once for all viewers. */
#pragma once
#include "host/trace/tables.h"

struct td_free_order;

/* NULL: no memory. */
struct td_free_order *td_free_order_create(const struct td_trace *trace);
void td_free_order_destroy(struct td_free_order *order); /* NULL is allowed */
/* Rows as in the table MEMORY_FREE. Thread-safe. */
const struct td_series *td_free_order_of(const struct td_free_order *order, const struct td_trace *trace,
                                         uint64_t pool);
