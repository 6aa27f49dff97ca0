/* The linker sends malloc and the like of our code here (--wrap). */
#include "tests/file/heap.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *old, size_t bytes);
void __real_free(void *old);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *old, size_t bytes);
void __wrap_free(void *old);

static atomic_long used, peak;

static void *grown(void *block)
{
    long bytes = block ? (long)malloc_usable_size(block) : 0, now = atomic_fetch_add(&used, bytes) + bytes;
    long most = atomic_load(&peak);
    while (now > most && !atomic_compare_exchange_weak(&peak, &most, now)) {
    }
    return block;
}

void *__wrap_malloc(size_t bytes)
{
    return grown(__real_malloc(bytes));
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    return grown(__real_calloc(count, bytes));
}

void *__wrap_realloc(void *old, size_t bytes)
{
    long before = old ? (long)malloc_usable_size(old) : 0;
    void *block = __real_realloc(old, bytes);
    if (!block)
        return NULL;
    atomic_fetch_sub(&used, before);
    return grown(block);
}

void __wrap_free(void *old)
{
    if (old)
        atomic_fetch_sub(&used, (long)malloc_usable_size(old));
    __real_free(old);
}

long heap_used(void)
{
    return atomic_load(&used);
}

long heap_peak(void)
{
    return atomic_exchange(&peak, atomic_load(&used));
}
