/* Arguments of kernels, by tt-metal's names: at run time (of this core, of all cores) and at compile time. */
#ifndef TENDRIL_API_DATAFLOW_KERNEL_ARGS_H
#define TENDRIL_API_DATAFLOW_KERNEL_ARGS_H
#include "proto/device/kernel_env.h"
#include "tendril/tendril.h"

#include <cstdint>
#include <stddef.h>

typedef unsigned int uint; /* as in the headers of tt-metal's compiler */

static inline const struct td_kernel_env *td_kernel_env_()
{
    return reinterpret_cast<const struct td_kernel_env *>(td_arg());
}

static inline uintptr_t get_arg_addr(int index)
{
    return td_kernel_env_()->args + 4u * static_cast<uint32_t>(index);
}

static inline uintptr_t get_common_arg_addr(int index)
{
    return td_kernel_env_()->common + 4u * static_cast<uint32_t>(index);
}

/* Arguments are words. */
template <typename T> static inline T get_arg_val(int index)
{
    static_assert(sizeof(T) == 4, "an argument of a kernel has 4 bytes");
    return *reinterpret_cast<T tt_l1_ptr *>(get_arg_addr(index));
}

template <typename T> static inline T get_common_arg_val(int index)
{
    static_assert(sizeof(T) == 4, "an argument of a kernel has 4 bytes");
    return *reinterpret_cast<T tt_l1_ptr *>(get_common_arg_addr(index));
}

/* The build gives them: -DKERNEL_COMPILE_TIME_ARGS=1,2,3, and also one by one,
 * -DKERNEL_COMPILE_TIME_ARG_0=1 ... Kernels of before 2025 that ask for them in #if are built with
 * TD_NUMBERED_ARGS; an index is then a plain number. */
#ifdef KERNEL_COMPILE_TIME_ARGS
constexpr uint32_t kernel_compile_time_args[] = {KERNEL_COMPILE_TIME_ARGS};
#define td_compile_time_arg_(index) (kernel_compile_time_args[index])
#else
template <typename T> constexpr uint32_t td_no_compile_time_args_(T)
{
    static_assert(sizeof(T) == 0, "this kernel is compiled without KERNEL_COMPILE_TIME_ARGS");
    return 0;
}
#define td_compile_time_arg_(index) (td_no_compile_time_args_(index))
#endif
#ifdef TD_NUMBERED_ARGS
#define get_compile_time_arg_val(index) KERNEL_COMPILE_TIME_ARG_##index
#else
#define get_compile_time_arg_val(index) td_compile_time_arg_(index)
#endif

static inline uint8_t get_absolute_logical_x()
{
    return static_cast<uint8_t>(td_kernel_env_()->logical_x);
}

static inline uint8_t get_absolute_logical_y()
{
    return static_cast<uint8_t>(td_kernel_env_()->logical_y);
}

/* The tile's clock, in cycles. */
static inline uint64_t get_timestamp()
{
    return td_clock64();
}

static inline uint32_t get_timestamp_32b()
{
    return static_cast<uint32_t>(td_clock64());
}

static inline void riscv_wait(uint32_t cycles)
{
    const uint64_t begin = td_clock64();
    while (td_clock64() - begin < cycles)
        ;
}

#endif
