// Values at addresses that need not be aligned for them.
#ifndef TENDRIL_TRACY_ALIGN_HPP
#define TENDRIL_TRACY_ALIGN_HPP
#include "TracyForceInline.hpp"
#include <string.h>

namespace tracy
{
template <typename T> tracy_force_inline T MemRead(const T *from)
{
    T value;
    memcpy(&value, from, sizeof value);
    return value;
}

template <typename T> struct TendrilSame {
    typedef T Type;
};
template <typename T> tracy_force_inline void MemWrite(T *to, typename TendrilSame<T>::Type value)
{
    memcpy(static_cast<void *>(to), &value, sizeof value);
}
} // namespace tracy
#endif
