/* Arguments of kernels as objects, by tt-metal's names of 2026: get_arg(RtaArg<uint32_t>{8}). C++. */
#ifndef TENDRIL_API_KERNEL_ARGS_H
#define TENDRIL_API_KERNEL_ARGS_H
#include "api/dataflow/kernel_args.h"

template <typename T> struct RtaArg {
    uint32_t byte_offset;
};
template <typename T> struct CrtaArg {
    uint32_t byte_offset;
};
template <typename T> struct CtaVal {
    T value;
};

template <typename T> static inline T get_arg(RtaArg<T> arg)
{
    return get_arg_val<T>(static_cast<int>(arg.byte_offset / 4));
}
template <typename T> static inline T get_arg(CrtaArg<T> arg)
{
    return get_common_arg_val<T>(static_cast<int>(arg.byte_offset / 4));
}
template <typename T> static constexpr T get_arg(CtaVal<T> arg)
{
    return arg.value;
}

namespace experimental
{
using ::CrtaArg;
using ::CtaVal;
using ::get_arg;
using ::RtaArg;
} // namespace experimental
#endif
