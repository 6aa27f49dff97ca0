// Threads and their names. Names are copied; without TRACY_ENABLE naming does nothing.
#ifndef TENDRIL_TRACY_SYSTEM_HPP
#define TENDRIL_TRACY_SYSTEM_HPP
#include "../tendril/client.h"
#include "TracyApi.h"
#include <stdint.h>
#include <stdlib.h>

namespace tracy
{
#ifdef TRACY_ENABLE
inline void SetThreadName(const char *name)
{
    td_client_set_thread_name(name, 0);
}
// Threads with a hint other than 0 are sorted by it.
inline void SetThreadNameWithHint(const char *name, int32_t groupHint)
{
    td_client_set_thread_name(name, groupHint);
}
inline uint32_t GetThreadHandle()
{
    return td_client_thread_id();
}
// Valid until the calling thread asks again.
inline const char *GetThreadName(uint32_t id)
{
    static thread_local char name[256];
    td_client_thread_name(id, name, sizeof name);
    return name;
}
#else
inline void SetThreadName(const char *)
{
}
inline void SetThreadNameWithHint(const char *, int32_t)
{
}
// A number of the calling thread.
inline uint32_t GetThreadHandle()
{
    static thread_local char here;
    return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(&here) >> 4);
}
inline const char *GetThreadName(uint32_t)
{
    return "";
}
#endif

inline const char *GetEnvVar(const char *name)
{
    return getenv(name);
}
} // namespace tracy
#endif
