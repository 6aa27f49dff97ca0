#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include "host/python/memory_hook.h"
#include "host/python/address_set.h"

#include "host/client/include/tracy/TracyC.h"

#include <stdatomic.h>

static const char pool_of_objects[] = "python", pool_of_raw[] = "python raw";

struct hooked_domain {
    PyMemAllocatorDomain domain;
    const char *pool;
    PyMemAllocatorEx next;
    bool is_hooked;
};

static struct hooked_domain domains[] = {
    {.domain = PYMEM_DOMAIN_RAW, .pool = pool_of_raw},
    {.domain = PYMEM_DOMAIN_MEM, .pool = pool_of_objects},
    {.domain = PYMEM_DOMAIN_OBJ, .pool = pool_of_objects},
};

static atomic_bool is_on;
/* An allocator of large pieces calls that of raw memory: the outer one marks them. */
static __thread int depth __attribute__((tls_model("initial-exec")));

static void mark_alloc(const struct hooked_domain *of, void *memory, size_t bytes)
{
    if (memory && atomic_load_explicit(&is_on, memory_order_relaxed) && td_py_addresses_add(memory))
        ___tracy_emit_memory_alloc_named(memory, bytes, of->pool);
}

/* Before the memory is freed: another thread may get the address at once. */
static bool mark_free(const struct hooked_domain *of, void *memory)
{
    const bool was_marked = memory && td_py_addresses_remove(memory);
    if (was_marked)
        ___tracy_emit_memory_free_named(memory, of->pool);
    return was_marked;
}

static void *hooked_malloc(void *context, size_t bytes)
{
    const struct hooked_domain *of = context;
    depth++;
    void *memory = of->next.malloc(of->next.ctx, bytes);
    if (!--depth)
        mark_alloc(of, memory, bytes);
    return memory;
}

static void *hooked_calloc(void *context, size_t count, size_t bytes)
{
    const struct hooked_domain *of = context;
    depth++;
    void *memory = of->next.calloc(of->next.ctx, count, bytes);
    if (!--depth)
        mark_alloc(of, memory, count * bytes);
    return memory;
}

/* If it fails, the memory is as before. Its end is marked first, because its address may be taken over by
 * another thread before this function returns; so it is allocated again then, of unknown size. */
static void *hooked_realloc(void *context, void *memory, size_t bytes)
{
    const struct hooked_domain *of = context;
    const bool is_outer = !depth, was_marked = is_outer && mark_free(of, memory);
    depth++;
    void *moved = of->next.realloc(of->next.ctx, memory, bytes);
    depth--;
    if (is_outer && moved)
        mark_alloc(of, moved, bytes);
    else if (was_marked)
        mark_alloc(of, memory, 0);
    return moved;
}

static void hooked_free(void *context, void *memory)
{
    const struct hooked_domain *of = context;
    if (!depth)
        (void)mark_free(of, memory);
    depth++;
    of->next.free(of->next.ctx, memory);
    depth--;
}

void td_py_memory_begin(void)
{
    for (size_t i = 0; i < sizeof domains / sizeof *domains; i++) {
        struct hooked_domain *of = &domains[i];
        if (of->is_hooked)
            continue;
        PyMem_GetAllocator(of->domain, &of->next);
        PyMem_SetAllocator(
            of->domain, &(PyMemAllocatorEx){of, hooked_malloc, hooked_calloc, hooked_realloc, hooked_free});
        of->is_hooked = true;
    }
    atomic_store(&is_on, true);
}

void td_py_memory_end(void)
{
    atomic_store(&is_on, false);
}
