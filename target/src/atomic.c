/* What the compiler calls for atomic operations that read and write. A core runs one thread and has no atomic
 * instructions, so these are plain accesses between fences: other cores may write in between. A load after the
 * store is not done before it. */
#include "riscv/fence.h"

#include <stdbool.h>
#include <stdint.h>

/* The names are those of built-in functions, which C may not define under these names. */
#define NAMED(name, bytes) __asm__("__atomic_" #name "_" #bytes)

#define READ_WRITE(name, type, bytes, result)                                                                \
    type td_atomic_##name##_##bytes(volatile void *at, type value, int order) NAMED(name, bytes);            \
    type td_atomic_##name##_##bytes(volatile void *at, type value, int order)                                \
    {                                                                                                        \
        volatile type *object = at;                                                                          \
        td_fence();                                                                                          \
        const type old = *object;                                                                            \
        *object = (type)(result);                                                                            \
        td_fence_stored(object);                                                                             \
        return old;                                                                                          \
    }

#define COMPARE(type, bytes)                                                                                 \
    bool td_atomic_compare_##bytes(volatile void *at, void *expected, type value, bool weak, int success,    \
                                   int failure) NAMED(compare_exchange, bytes);                              \
    bool td_atomic_compare_##bytes(volatile void *at, void *expected, type value, bool weak, int success,    \
                                   int failure)                                                              \
    {                                                                                                        \
        volatile type *object = at;                                                                          \
        type *wanted = expected;                                                                             \
        td_fence();                                                                                          \
        const type old = *object;                                                                            \
        const bool same = old == *wanted;                                                                    \
        if (same)                                                                                            \
            *object = value;                                                                                 \
        else                                                                                                 \
            *wanted = old;                                                                                   \
        td_fence_stored(object);                                                                             \
        return same;                                                                                         \
    }

#define ALL(type, bytes)                                                                                     \
    READ_WRITE(exchange, type, bytes, value)                                                                 \
    READ_WRITE(fetch_add, type, bytes, old + value)                                                          \
    READ_WRITE(fetch_sub, type, bytes, old - value)                                                          \
    READ_WRITE(fetch_and, type, bytes, old &value)                                                           \
    READ_WRITE(fetch_or, type, bytes, old | value)                                                           \
    READ_WRITE(fetch_xor, type, bytes, old ^ value)                                                          \
    READ_WRITE(fetch_nand, type, bytes, ~(old & value))                                                      \
    COMPARE(type, bytes)

ALL(uint8_t, 1)
ALL(uint16_t, 2)
ALL(uint32_t, 4)
ALL(uint64_t, 8)

uint64_t td_atomic_load_8(const volatile void *at, int order) NAMED(load, 8);
uint64_t td_atomic_load_8(const volatile void *at, int order)
{
    td_fence();
    const uint64_t value = *(const volatile uint64_t *)at;
    td_fence();
    return value;
}

void td_atomic_store_8(volatile void *at, uint64_t value, int order) NAMED(store, 8);
void td_atomic_store_8(volatile void *at, uint64_t value, int order)
{
    td_fence();
    *(volatile uint64_t *)at = value;
    td_fence_stored((volatile uint32_t *)at + 1);
    td_fence_stored((volatile uint32_t *)at);
}

/* Whether an object of this size is read and written in one access. */
bool td_atomic_is_lock_free(unsigned bytes, const volatile void *at) __asm__("__atomic_is_lock_free");
bool td_atomic_is_lock_free(unsigned bytes, const volatile void *at)
{
    return bytes == 1 || bytes == 2 || bytes == 4;
}

uint8_t td_atomic_test_and_set(volatile void *at, int order) __asm__("__atomic_test_and_set");
uint8_t td_atomic_test_and_set(volatile void *at, int order)
{
    return td_atomic_exchange_1(at, 1, order);
}
