/* Memory. Some arguments differ between Tracy's releases, and the functions take both: where 0.11 has
 * `secure` (0 or 1), newer releases have the pool's name, which is an address, or nothing. */
#include "host/base/export.h"
#include "host/client/api/mark.h"
#include "host/client/platform/client_api.h"
#include "host/client/queue/compose.h"
#include "host/client/queue/queue.h"
#include "host/client/queue/records.h"
#include "host/client/symbols/stack.h"

#include <string.h>

static void put_stack(uint64_t *at, const uint64_t *stack, uint32_t frames)
{
    if (!frames)
        return;
    at[0] = frames;
    memcpy(at + 1, stack, 8 * (size_t)frames);
}

/* ORs into the kind. */
static unsigned with_stack(uint32_t frames)
{
    return frames ? TD_REC_STACK : 0;
}

static void mark_alloc(const void *ptr, size_t size, int depth, const char *name, const void *caller)
{
    if (!td_client_is_live())
        return;
    uint64_t stack[TD_REC_STACK_MAX], now = td_client_ticks();
    uint32_t frames = depth > 0 ? td_stack_walk(stack, depth, caller) : 0;
    unsigned words = name ? 5 : 4;
    uint64_t *record = td_reserve_ordered(words + (frames ? 1 + frames : 0));
    if (!record)
        return;
    record[2] = (uintptr_t)ptr;
    record[3] = size;
    if (name)
        record[4] = (uintptr_t)name;
    put_stack(record + words, stack, frames);
    td_publish_ordered(record, (name ? TD_REC_MEM_ALLOC_NAMED : TD_REC_MEM_ALLOC) | with_stack(frames), now,
                       0);
}

static void mark_free(const void *ptr, int depth, const char *name, const void *caller)
{
    if (!ptr || !td_client_is_live())
        return;
    uint64_t stack[TD_REC_STACK_MAX], now = td_client_ticks();
    uint32_t frames = depth > 0 ? td_stack_walk(stack, depth, caller) : 0;
    unsigned words = name ? 4 : 3;
    uint64_t *record = td_reserve_ordered(words + (frames ? 1 + frames : 0));
    if (!record)
        return;
    record[2] = (uintptr_t)ptr;
    if (name)
        record[3] = (uintptr_t)name;
    put_stack(record + words, stack, frames);
    td_publish_ordered(record, (name ? TD_REC_MEM_FREE_NAMED : TD_REC_MEM_FREE) | with_stack(frames), now, 0);
}

/* Reserves a record whose time the program gives. The caller writes the words from 2 on. */
static uint64_t *reserve_at(unsigned words)
{
    return td_client_is_live() ? td_reserve_ordered(words) : NULL;
}

static void publish_at(uint64_t *record, unsigned kind, int64_t cpu_time, uint32_t thread)
{
    uint64_t time = cpu_time ? (uint64_t)cpu_time : td_client_ticks();
    td_publish_ordered(record, kind, time, (uint64_t)(thread ? thread : td_client_thread_id()) << 32);
}

void td_client_memory_alloc_at(const char *pool, uint64_t address, uint64_t bytes, int64_t cpu_time,
                               uint32_t thread)
{
    uint64_t *record = reserve_at(5);
    if (!record)
        return;
    record[2] = address;
    record[3] = bytes;
    record[4] = (uintptr_t)pool;
    publish_at(record, TD_REC_MEM_ALLOC_AT, cpu_time, thread);
}

void td_client_memory_free_at(const char *pool, uint64_t address, int64_t cpu_time, uint32_t thread)
{
    uint64_t *record = address ? reserve_at(4) : NULL;
    if (!record)
        return;
    record[2] = address;
    record[3] = (uintptr_t)pool;
    publish_at(record, TD_REC_MEM_FREE_AT, cpu_time, thread);
}

/* The pool's name: the argument in the place of `secure`, or the one after it. */
static const char *pool_of(uintptr_t secure_or_name, const char *name)
{
    return secure_or_name <= 1 ? name : (const char *)secure_or_name;
}

TD_CLIENT_API void ___tracy_emit_memory_alloc(const void *ptr, size_t size)
{
    mark_alloc(ptr, size, 0, NULL, NULL);
}

TD_CLIENT_API TD_MARKER void ___tracy_emit_memory_alloc_callstack(const void *ptr, size_t size, int32_t depth)
{
    mark_alloc(ptr, size, depth, NULL, TD_CALLER);
}

TD_CLIENT_API void ___tracy_emit_memory_free(const void *ptr)
{
    mark_free(ptr, 0, NULL, NULL);
}

TD_CLIENT_API TD_MARKER void ___tracy_emit_memory_free_callstack(const void *ptr, int32_t depth)
{
    mark_free(ptr, depth, NULL, TD_CALLER);
}

TD_CLIENT_API void ___tracy_emit_memory_alloc_named(const void *ptr, size_t size, uintptr_t secure_or_name,
                                                    const char *name)
{
    mark_alloc(ptr, size, 0, pool_of(secure_or_name, name), NULL);
}

TD_CLIENT_API TD_MARKER void ___tracy_emit_memory_alloc_callstack_named(const void *ptr, size_t size,
                                                                        int32_t depth,
                                                                        uintptr_t secure_or_name,
                                                                        const char *name)
{
    mark_alloc(ptr, size, depth, pool_of(secure_or_name, name), TD_CALLER);
}

TD_CLIENT_API void ___tracy_emit_memory_free_named(const void *ptr, uintptr_t secure_or_name,
                                                   const char *name)
{
    mark_free(ptr, 0, pool_of(secure_or_name, name), NULL);
}

TD_CLIENT_API TD_MARKER void ___tracy_emit_memory_free_callstack_named(const void *ptr, int32_t depth,
                                                                       uintptr_t secure_or_name,
                                                                       const char *name)
{
    mark_free(ptr, depth, pool_of(secure_or_name, name), TD_CALLER);
}

TD_CLIENT_API TD_MARKER void ___tracy_emit_memory_discard_callstack(const char *name, int32_t depth)
{
    if (!td_client_is_live())
        return;
    uint64_t stack[TD_REC_STACK_MAX];
    struct td_mark mark = {.kind = TD_REC_MEM_DISCARD, .fields = {0, (uintptr_t)name}, .stack = stack};
    mark.frames = depth > 0 ? td_stack_walk(stack, depth, TD_CALLER) : 0;
    td_mark_record(&mark);
}

TD_CLIENT_API void ___tracy_emit_memory_discard(const char *name)
{
    ___tracy_emit_memory_discard_callstack(name, 0);
}
