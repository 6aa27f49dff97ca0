/* Replaces malloc(), calloc(), free() and so on. Each marks the call as memory of the pool "malloc" and calls
 * the next function of its name in the order of libraries: the C library's, or another allocator's. This is a
 * library of its own, to be linked before the client or loaded with LD_PRELOAD.
 *
 * A free is marked before the memory is released, an allocation after it was made. So in the order of all
 * events an address is free before it is allocated again. Calls are marked from the first one on, so that
 * every free has its allocation. Markers may call these functions (a thread's first marker allocates); no
 * lock is held then. */
#include "host/base/export.h"
#include "host/client/include/tracy/TracyC.h"
#include "host/client/platform/client_api.h"
#include "host/client/platform/settings.h"
#include "host/client/queue/queue.h"

#include <stdbool.h>
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

/* X(name, what it returns, its arguments) */
/* clang-format off */
#define TD_REPLACED(X) \
    X(malloc, void *, (size_t)) X(calloc, void *, (size_t, size_t)) X(realloc, void *, (void *, size_t)) \
    X(free, void, (void *)) X(memalign, void *, (size_t, size_t)) X(aligned_alloc, void *, (size_t, size_t)) \
    X(posix_memalign, int, (void **, size_t, size_t)) X(valloc, void *, (size_t)) X(pvalloc, void *, (size_t)) \
    X(malloc_usable_size, size_t, (void *))
/* clang-format on */

static struct {
#define TD_X(name, result, arguments) result(*name) arguments;
    TD_REPLACED(TD_X)
#undef TD_X
} next;

/* The functions are called own_... here. Their symbols are the names that they replace. */
#define TD_X(name, result, arguments) TD_EXPORT result own_##name arguments __asm__(#name);
TD_REPLACED(TD_X)
#undef TD_X
TD_EXPORT void *own_reallocarray(void *memory, size_t count, size_t bytes) __asm__("reallocarray");

static int ready, depth;
static __thread int looking_up __attribute__((tls_model("initial-exec")));
static __thread int walking __attribute__((tls_model("initial-exec")));
static __thread unsigned frees
    __attribute__((tls_model("initial-exec"))); /* marked before the thread had a queue */

static const char pool[] = "malloc";

#define LAST_FREES 16 /* that a thread which allocated nothing may make after its end */

/* Memory for what the search for the next functions allocates. It is never freed. */
static _Alignas(16) char early[0x4000];
static size_t early_used;

static void *early_take(size_t bytes)
{
    size_t whole = (bytes + 15) & ~(size_t)15;
    size_t at = __atomic_fetch_add(&early_used, whole, __ATOMIC_RELAXED);
    return whole < bytes || at + whole > sizeof early ? NULL : early + at;
}

static bool is_early(const void *memory)
{
    return (const char *)memory >= early && (const char *)memory < early + sizeof early;
}

static void look_up(void)
{
    looking_up++;
#define TD_X(name, result, arguments) *(void **)&next.name = dlsym(RTLD_NEXT, #name);
    TD_REPLACED(TD_X)
#undef TD_X
    looking_up--;
    __atomic_store_n(&ready, 1, __ATOMIC_RELEASE);
}

/* Whether the next functions are known. Searches for them at the first call; 0: this call is part of the
 * search. */
static inline int found(void)
{
    if (__builtin_expect(__atomic_load_n(&ready, __ATOMIC_ACQUIRE), 1))
        return 1;
    if (looking_up)
        return 0;
    look_up();
    return 1;
}

__attribute__((constructor(102))) static void read_depth(void)
{
    depth = td_client_option("TENDRIL_MALLOC_DEPTH", 0);
}

static void mark_alloc(const void *memory, size_t bytes)
{
    if (!memory || !td_client_is_live())
        return;
    int error = errno, frames = walking ? 0 : depth;
    walking++;
    ___tracy_emit_memory_alloc_callstack_named(memory, bytes, frames, pool);
    walking--;
    errno = error;
}

static void mark_free(const void *memory)
{
    if (!memory || !td_client_is_live())
        return;
    int error = errno, frames = walking ? 0 : depth;
    /* A thread's first markers may be its last. */
    int leave = td_thread_over || (!td_ordered_producer.queue && frees++ < LAST_FREES);
    walking++;
    ___tracy_emit_memory_free_callstack_named(memory, frames, pool);
    walking--;
    if (leave)
        td_queue_leave_ordered();
    errno = error;
}

void *own_malloc(size_t bytes)
{
    if (!found())
        return early_take(bytes);
    void *memory = next.malloc(bytes);
    mark_alloc(memory, bytes);
    return memory;
}

void *own_calloc(size_t count, size_t bytes)
{
    if (!found())
        return bytes && count > sizeof early / bytes ? NULL : early_take(count * bytes);
    void *memory = next.calloc(count, bytes);
    mark_alloc(memory, count * bytes);
    return memory;
}

void own_free(void *memory)
{
    if (!memory || is_early(memory) || !found())
        return;
    mark_free(memory);
    next.free(memory);
}

static void *move_early(const char *memory, size_t bytes)
{
    void *moved = own_malloc(bytes);
    size_t rest = (size_t)(early + sizeof early - memory);
    if (moved)
        memcpy(moved, memory, bytes < rest ? bytes : rest);
    return moved;
}

void *own_realloc(void *memory, size_t bytes)
{
    if (!memory)
        return own_malloc(bytes);
    if (is_early(memory) || !found())
        return move_early(memory, bytes);
    size_t before = next.malloc_usable_size ? next.malloc_usable_size(memory) : 0;
    mark_free(memory);
    void *moved = next.realloc(memory, bytes);
    if (moved)
        mark_alloc(moved, bytes);
    else if (bytes)
        mark_alloc(memory, before); /* realloc() failed: the old memory stays */
    return moved;
}

void *own_reallocarray(void *memory, size_t count, size_t bytes)
{
    size_t all;
    if (!__builtin_mul_overflow(count, bytes, &all))
        return own_realloc(memory, all);
    errno = ENOMEM;
    return NULL;
}

void *own_memalign(size_t alignment, size_t bytes)
{
    if (!found() || !next.memalign)
        return NULL;
    void *memory = next.memalign(alignment, bytes);
    mark_alloc(memory, bytes);
    return memory;
}

void *own_aligned_alloc(size_t alignment, size_t bytes)
{
    if (!found() || !next.aligned_alloc)
        return NULL;
    void *memory = next.aligned_alloc(alignment, bytes);
    mark_alloc(memory, bytes);
    return memory;
}

int own_posix_memalign(void **memory, size_t alignment, size_t bytes)
{
    if (!found() || !next.posix_memalign)
        return ENOMEM;
    int error = next.posix_memalign(memory, alignment, bytes);
    if (!error)
        mark_alloc(*memory, bytes);
    return error;
}

void *own_valloc(size_t bytes)
{
    if (!found() || !next.valloc)
        return NULL;
    void *memory = next.valloc(bytes);
    mark_alloc(memory, bytes);
    return memory;
}

void *own_pvalloc(size_t bytes)
{
    if (!found() || !next.pvalloc)
        return NULL;
    void *memory = next.pvalloc(bytes);
    mark_alloc(memory, bytes);
    return memory;
}

size_t own_malloc_usable_size(void *memory)
{
    if (!memory || is_early(memory) || !found() || !next.malloc_usable_size)
        return 0;
    return next.malloc_usable_size(memory);
}
