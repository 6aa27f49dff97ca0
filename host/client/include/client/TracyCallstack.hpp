#ifndef TENDRIL_TRACY_CALLSTACK_HPP
#define TENDRIL_TRACY_CALLSTACK_HPP
#include "TracyCallstack.h"
namespace tracy
{
constexpr bool has_callstack()
{
#ifdef TRACY_HAS_CALLSTACK
    return true;
#else
    return false;
#endif
}
} // namespace tracy
#endif
