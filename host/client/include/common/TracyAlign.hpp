// Values at addresses that need not be aligned for them.
#ifndef TENDRIL_TRACY_ALIGN_HPP
#define TENDRIL_TRACY_ALIGN_HPP
#include "TracyForceInline.hpp"
#include <string.h>

namespace tracy
{
template <typename T> tracy_force_inline T MemRead(const void *from)
{
    T value;
    memcpy(&value, from, sizeof value);
    return value;
}
template <typename T> tracy_force_inline T MemRead(const T *from)
{
    return MemRead<T>(static_cast<const void *>(from));
}

// To memory without a type a value is written as it is; to a typed address it is converted to that type
// first.
template <typename U> tracy_force_inline void MemWrite(void *to, U value)
{
    memcpy(to, &value, sizeof value);
}
template <typename U> tracy_force_inline void MemWrite(char *to, U value)
{
    memcpy(to, &value, sizeof value);
}
template <typename T, typename U> tracy_force_inline void MemWrite(T *to, U value)
{
    const T same = static_cast<T>(value);
    memcpy(static_cast<void *>(to), &same, sizeof same);
}
} // namespace tracy
#endif
