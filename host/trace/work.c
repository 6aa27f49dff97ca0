#include "host/trace/work.h"

#include "host/base/err.h"
#include "host/trace/model.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define LARGE_BYTES ((size_t)1 << 20)

static bool is_for_store(const struct td_store *store, size_t bytes)
{
    return bytes >= LARGE_BYTES && td_store_spills_early(store);
}

void *td_work_take(struct td_store *store, size_t bytes)
{
    return is_for_store(store, bytes) ? td_store_alloc(store, bytes) : malloc(bytes ? bytes : 1);
}

void td_work_give_back(struct td_store *store, void *memory, size_t bytes)
{
    if (!is_for_store(store, bytes))
        free(memory);
}

int td_trace_work_grow(const struct td_trace *trace, void *array, size_t *capacity, size_t need, size_t item)
{
    if (need <= *capacity)
        return 0;
    size_t more = *capacity ? 2 * *capacity : 64;
    more = more > need ? more : need;
    void *old, *now = more > SIZE_MAX / 2 / item ? NULL : td_work_take(trace->store, more * item);
    if (!now)
        return TD_E_NOMEM;
    memcpy(&old, array, sizeof old); /* not *(void **): the pointer has another type */
    if (old)
        memcpy(now, old, *capacity * item);
    td_work_give_back(trace->store, old, *capacity * item);
    memcpy(array, &now, sizeof now);
    *capacity = more;
    return 0;
}

void *td_trace_work_take(const struct td_trace *trace, size_t bytes)
{
    return td_work_take(trace->store, bytes);
}

void td_trace_work_touch(const struct td_trace *trace, size_t bytes)
{
    td_store_touch_(trace->store, bytes);
}

void td_trace_work_give_back(const struct td_trace *trace, void *memory, size_t bytes)
{
    td_work_give_back(trace->store, memory, bytes);
}
