#include "tests/base/failing_memory.h"

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *old, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *old, size_t bytes);

static long left = -1, failed;
static bool all_fail;

void memory_fails(long after)
{
    left = after;
}

void memory_fails_for_good(bool for_good)
{
    all_fail = for_good;
}

long memory_left(void)
{
    return left;
}

long memory_failures(void)
{
    return failed;
}

bool memory_fails_now(void)
{
    if (left < 0 || left-- > 0)
        return false;
    left = all_fail ? 0 : -1;
    failed++;
    return true;
}

void *__wrap_malloc(size_t bytes)
{
    return memory_fails_now() ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    return memory_fails_now() ? NULL : __real_calloc(count, bytes);
}

void *__wrap_realloc(void *old, size_t bytes)
{
    return memory_fails_now() ? NULL : __real_realloc(old, bytes);
}
