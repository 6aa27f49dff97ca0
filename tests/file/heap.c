/* The linker (--wrap) replaces malloc(), calloc(), realloc() and free() in our code by these functions. */
#include "tests/file/heap.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* In larger blocks only touched pages count: such blocks may be reserved and hardly used. */
#define LARGE_BYTES (1u << 20)

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *old, size_t bytes);
void __real_free(void *old);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *old, size_t bytes);
void __wrap_free(void *old);

static atomic_long used, peak, touched;

static long touched_bytes(const void *block, size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), pages = bytes / page + 1;
    unsigned char *in_memory = __real_malloc(pages);
    long count = 0;
    char *begin = (char *)block - (uintptr_t)block % page;
    if (!in_memory || mincore(begin, pages * page, in_memory) != 0) {
        __real_free(in_memory);
        return (long)bytes;
    }
    for (size_t i = 0; i < pages; i++)
        count += in_memory[i] & 1;
    __real_free(in_memory);
    return count * (long)page;
}

static void *enter(void *block)
{
    size_t bytes = block ? malloc_usable_size(block) : 0;
    if (bytes >= LARGE_BYTES)
        return block;
    long now = atomic_fetch_add(&used, (long)bytes) + (long)bytes, most = atomic_load(&peak);
    while (now > most && !atomic_compare_exchange_weak(&peak, &most, now)) {
    }
    return block;
}

static void leave(void *block)
{
    size_t bytes = block ? malloc_usable_size(block) : 0;
    if (bytes >= LARGE_BYTES)
        atomic_fetch_add(&touched, touched_bytes(block, bytes));
    else
        atomic_fetch_sub(&used, (long)bytes);
}

void *__wrap_malloc(size_t bytes)
{
    return enter(__real_malloc(bytes));
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    return enter(__real_calloc(count, bytes));
}

/* If there is no memory, the old block stays but is no longer counted; the tests do not run out of memory. */
void *__wrap_realloc(void *old, size_t bytes)
{
    leave(old);
    return enter(__real_realloc(old, bytes));
}

void __wrap_free(void *old)
{
    leave(old);
    __real_free(old);
}

void heap_begin(struct heap *heap)
{
    mallopt(M_MMAP_THRESHOLD, LARGE_BYTES / 2); /* large blocks get untouched pages of their own */
    heap->before = atomic_load(&used);
    atomic_store(&peak, heap->before);
    atomic_store(&touched, 0);
}

long heap_held(const struct heap *heap)
{
    return atomic_load(&peak) - heap->before + atomic_load(&touched);
}
