/* Arguments of kernels, by tt-metal's names: at run time (of this core, of all cores) and at compile time. */
#ifndef TENDRIL_API_DATAFLOW_KERNEL_ARGS_H
#define TENDRIL_API_DATAFLOW_KERNEL_ARGS_H
#include "proto/device/kernel_env.h"
#include "tendril/tendril.h"

#include <array>
#include <cstdint>
#include <stddef.h>
#ifdef KERNEL_COMPILE_TIME_ARG_MAP
#include <string_view>
#include <utility>
#endif

typedef unsigned int uint; /* as in the headers of tt-metal's compiler */

template <typename... Values> static constexpr auto td_words_(Values... values)
{
    return std::array<uint32_t, sizeof...(Values)>{static_cast<uint32_t>(values)...};
}

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
constexpr auto kernel_compile_time_args = td_words_(KERNEL_COMPILE_TIME_ARGS);
#define td_compile_time_arg_(index) (kernel_compile_time_args[index])
template <uint32_t INDEX> static constexpr uint32_t get_ct_arg()
{
    static_assert(INDEX < kernel_compile_time_args.size(),
                  "the kernel is compiled with fewer compile-time arguments");
    return kernel_compile_time_args[INDEX];
}
#else
template <typename T> constexpr uint32_t td_no_compile_time_args_(T)
{
    static_assert(sizeof(T) == 0, "this kernel is compiled without KERNEL_COMPILE_TIME_ARGS");
    return 0;
}
#define td_compile_time_arg_(index) (td_no_compile_time_args_(index))
template <uint32_t INDEX> static constexpr uint32_t get_ct_arg()
{
    return td_no_compile_time_args_(INDEX);
}
#endif
#ifdef TD_NUMBERED_ARGS
#define get_compile_time_arg_val(index) KERNEL_COMPILE_TIME_ARG_##index
#else
#define get_compile_time_arg_val(index) get_ct_arg<index>()
#endif

/* Those with names: -D'KERNEL_COMPILE_TIME_ARG_MAP={"tiles",4},{"width",2}'. */
#ifdef KERNEL_COMPILE_TIME_ARG_MAP
constexpr std::pair<std::string_view, uint32_t> td_named_args_[] = {KERNEL_COMPILE_TIME_ARG_MAP};
/* Not a constant, so the compiler names it. */
static inline void td_no_such_named_compile_time_argument()
{
    __builtin_trap();
}
static constexpr uint32_t get_named_compile_time_arg_val(std::string_view name)
{
    for (const auto &arg : td_named_args_)
        if (arg.first == name)
            return arg.second;
    td_no_such_named_compile_time_argument();
    return 0;
}
static constexpr uint32_t get_named_ct_arg(std::string_view name)
{
    return get_named_compile_time_arg_val(name);
}
#endif

static inline uint8_t get_absolute_logical_x()
{
    return static_cast<uint8_t>(td_kernel_env_()->logical_x);
}

static inline uint8_t get_absolute_logical_y()
{
    return static_cast<uint8_t>(td_kernel_env_()->logical_y);
}

/* Of the first tile of those that the host has given this kernel to: all of them. */
static inline uint8_t get_relative_logical_x()
{
    return get_absolute_logical_x();
}

static inline uint8_t get_relative_logical_y()
{
    return get_absolute_logical_y();
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
