/* C's <stdatomic.h> for cores; newlib's needs another compiler. Loads, stores and fences are those of the core. A
 * core has no atomic instructions, so what reads and writes (exchange, fetch_add ...) is a call (target/src/atomic.c)
 * and atomic on its own core only. A load after a store with memory_order_seq_cst is not done before it, also where
 * the fence instruction does not order them (riscv/fence.h). */
#ifndef TENDRIL_STDATOMIC_H
#define TENDRIL_STDATOMIC_H
#include "tendril/l1_order.h"

#include <stddef.h>
#include <stdint.h>

/* clang-format off */
typedef enum {
    memory_order_relaxed = __ATOMIC_RELAXED, memory_order_consume = __ATOMIC_CONSUME,
    memory_order_acquire = __ATOMIC_ACQUIRE, memory_order_release = __ATOMIC_RELEASE,
    memory_order_acq_rel = __ATOMIC_ACQ_REL, memory_order_seq_cst = __ATOMIC_SEQ_CST
} memory_order;

typedef _Atomic(_Bool) atomic_bool;
typedef _Atomic(char) atomic_char;
typedef _Atomic(signed char) atomic_schar;
typedef _Atomic(unsigned char) atomic_uchar;
typedef _Atomic(short) atomic_short;
typedef _Atomic(unsigned short) atomic_ushort;
typedef _Atomic(int) atomic_int;
typedef _Atomic(unsigned int) atomic_uint;
typedef _Atomic(long) atomic_long;
typedef _Atomic(unsigned long) atomic_ulong;
typedef _Atomic(long long) atomic_llong;
typedef _Atomic(unsigned long long) atomic_ullong;
typedef _Atomic(__CHAR16_TYPE__) atomic_char16_t;
typedef _Atomic(__CHAR32_TYPE__) atomic_char32_t;
typedef _Atomic(__WCHAR_TYPE__) atomic_wchar_t;
#define TD_X(type) typedef _Atomic(type) atomic_##type;
TD_X(int_least8_t) TD_X(uint_least8_t) TD_X(int_least16_t) TD_X(uint_least16_t)
TD_X(int_least32_t) TD_X(uint_least32_t) TD_X(int_least64_t) TD_X(uint_least64_t)
TD_X(int_fast8_t) TD_X(uint_fast8_t) TD_X(int_fast16_t) TD_X(uint_fast16_t)
TD_X(int_fast32_t) TD_X(uint_fast32_t) TD_X(int_fast64_t) TD_X(uint_fast64_t)
TD_X(intptr_t) TD_X(uintptr_t) TD_X(size_t) TD_X(ptrdiff_t) TD_X(intmax_t) TD_X(uintmax_t)
#undef TD_X
/* clang-format on */

#define ATOMIC_BOOL_LOCK_FREE     __GCC_ATOMIC_BOOL_LOCK_FREE
#define ATOMIC_CHAR_LOCK_FREE     __GCC_ATOMIC_CHAR_LOCK_FREE
#define ATOMIC_CHAR16_T_LOCK_FREE __GCC_ATOMIC_CHAR16_T_LOCK_FREE
#define ATOMIC_CHAR32_T_LOCK_FREE __GCC_ATOMIC_CHAR32_T_LOCK_FREE
#define ATOMIC_WCHAR_T_LOCK_FREE  __GCC_ATOMIC_WCHAR_T_LOCK_FREE
#define ATOMIC_SHORT_LOCK_FREE    __GCC_ATOMIC_SHORT_LOCK_FREE
#define ATOMIC_INT_LOCK_FREE      __GCC_ATOMIC_INT_LOCK_FREE
#define ATOMIC_LONG_LOCK_FREE     __GCC_ATOMIC_LONG_LOCK_FREE
#define ATOMIC_LLONG_LOCK_FREE    __GCC_ATOMIC_LLONG_LOCK_FREE
#define ATOMIC_POINTER_LOCK_FREE  __GCC_ATOMIC_POINTER_LOCK_FREE

#define ATOMIC_VAR_INIT(value)     (value)
#define atomic_init(object, value) atomic_store_explicit(object, value, memory_order_relaxed)
#define kill_dependency(value)                                                                               \
    __extension__({                                                                                          \
        __auto_type td_value_ = (value);                                                                     \
        td_value_;                                                                                           \
    })
#define atomic_thread_fence(order)                                                                           \
    ((order) == memory_order_seq_cst ? td_l1_is_written_() : (void)0, __atomic_thread_fence(order))
#define atomic_signal_fence(order)  __atomic_signal_fence(order)
#define atomic_is_lock_free(object) __atomic_is_lock_free(sizeof *(object), (object))

#define atomic_store_explicit(object, value, order)                                                          \
    __extension__({                                                                                          \
        __auto_type td_at_ = (object);                                                                       \
        __typeof__((void)0, *td_at_) td_new_ = (value);                                                      \
        __atomic_store(td_at_, &td_new_, (order));                                                           \
        if ((order) == memory_order_seq_cst)                                                                 \
            td_fence_stored((const volatile unsigned char *)td_at_);                                         \
    })
#define atomic_load_explicit(object, order)                                                                  \
    __extension__({                                                                                          \
        __auto_type td_at_ = (object);                                                                       \
        __typeof__((void)0, *td_at_) td_old_;                                                                \
        __atomic_load(td_at_, &td_old_, (order));                                                            \
        td_old_;                                                                                             \
    })
#define atomic_exchange_explicit(object, value, order)                                                       \
    __extension__({                                                                                          \
        __auto_type td_at_ = (object);                                                                       \
        __typeof__((void)0, *td_at_) td_new_ = (value), td_old_;                                             \
        __atomic_exchange(td_at_, &td_new_, &td_old_, (order));                                              \
        td_old_;                                                                                             \
    })
#define TD_ATOMIC_COMPARE_(object, expected, value, weak, success, failure)                                  \
    __extension__({                                                                                          \
        __auto_type td_at_ = (object);                                                                       \
        __typeof__((void)0, *td_at_) td_new_ = (value);                                                      \
        __atomic_compare_exchange(td_at_, (expected), &td_new_, weak, (success), (failure));                 \
    })
#define atomic_compare_exchange_strong_explicit(object, expected, value, success, failure)                   \
    TD_ATOMIC_COMPARE_(object, expected, value, 0, success, failure)
#define atomic_compare_exchange_weak_explicit(object, expected, value, success, failure)                     \
    TD_ATOMIC_COMPARE_(object, expected, value, 1, success, failure)
#define atomic_fetch_add_explicit(object, value, order) __atomic_fetch_add((object), (value), (order))
#define atomic_fetch_sub_explicit(object, value, order) __atomic_fetch_sub((object), (value), (order))
#define atomic_fetch_or_explicit(object, value, order)  __atomic_fetch_or((object), (value), (order))
#define atomic_fetch_xor_explicit(object, value, order) __atomic_fetch_xor((object), (value), (order))
#define atomic_fetch_and_explicit(object, value, order) __atomic_fetch_and((object), (value), (order))

#define atomic_store(object, value)     atomic_store_explicit(object, value, memory_order_seq_cst)
#define atomic_load(object)             atomic_load_explicit(object, memory_order_seq_cst)
#define atomic_exchange(object, value)  atomic_exchange_explicit(object, value, memory_order_seq_cst)
#define atomic_fetch_add(object, value) atomic_fetch_add_explicit(object, value, memory_order_seq_cst)
#define atomic_fetch_sub(object, value) atomic_fetch_sub_explicit(object, value, memory_order_seq_cst)
#define atomic_fetch_or(object, value)  atomic_fetch_or_explicit(object, value, memory_order_seq_cst)
#define atomic_fetch_xor(object, value) atomic_fetch_xor_explicit(object, value, memory_order_seq_cst)
#define atomic_fetch_and(object, value) atomic_fetch_and_explicit(object, value, memory_order_seq_cst)
#define atomic_compare_exchange_strong(object, expected, value)                                              \
    TD_ATOMIC_COMPARE_(object, expected, value, 0, memory_order_seq_cst, memory_order_seq_cst)
#define atomic_compare_exchange_weak(object, expected, value)                                                \
    TD_ATOMIC_COMPARE_(object, expected, value, 1, memory_order_seq_cst, memory_order_seq_cst)

                typedef struct {
    atomic_uchar value;
} atomic_flag;
#define ATOMIC_FLAG_INIT                                                                                     \
    {                                                                                                        \
        0                                                                                                    \
    }
#define atomic_flag_test_and_set_explicit(flag, order)                                                       \
    __extension__({                                                                                          \
        const _Bool td_was_ = atomic_exchange_explicit(&(flag)->value, 1, order);                            \
        td_was_;                                                                                             \
    })
#define atomic_flag_test_and_set(flag)          atomic_flag_test_and_set_explicit(flag, memory_order_seq_cst)
#define atomic_flag_clear_explicit(flag, order) atomic_store_explicit(&(flag)->value, 0, order)
#define atomic_flag_clear(flag)                 atomic_flag_clear_explicit(flag, memory_order_seq_cst)

#endif
