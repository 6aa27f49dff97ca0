/* Working memory for passes over a trace whose size grows with the trace: from malloc(), or, if it is large and the
 * store spills early, in the store's file, where it stays until the store is destroyed. Thread-safe. */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct td_store;
struct td_trace;

/* Aligned to 8 bytes; not cleared. NULL: no memory. */
void *td_work_take(struct td_store *store, size_t bytes);
/* NULL is allowed. */
void td_work_give_back(struct td_store *store, void *memory, size_t bytes);
/* As td_grow() (host/base/grow.h), with the working memory of a trace. */
int td_trace_work_grow(const struct td_trace *trace, void *array, size_t *capacity, size_t need, size_t item);
void *td_trace_work_take(const struct td_trace *trace, size_t bytes);
/* A pass has read so many bytes more of texts or working memory. */
void td_trace_work_touch(const struct td_trace *trace, size_t bytes);
void td_trace_work_give_back(const struct td_trace *trace, void *memory, size_t bytes);
