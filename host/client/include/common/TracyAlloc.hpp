// Memory that the client frees: what a source callback returns must come from here. Without TRACY_ENABLE it
// is malloc()'s.
#ifndef TENDRIL_TRACY_ALLOC_HPP
#define TENDRIL_TRACY_ALLOC_HPP
#include "../tendril/client.h"
#include <stdlib.h>

namespace tracy
{
inline void InitAllocator()
{
}

#ifdef TRACY_ENABLE
inline void *tracy_malloc(size_t size)
{
    return td_client_alloc(size);
}
inline void tracy_free(void *memory)
{
    td_client_free(memory);
}
inline void *tracy_realloc(void *memory, size_t size)
{
    return td_client_realloc(memory, size);
}
#else
inline void *tracy_malloc(size_t size)
{
    return malloc(size);
}
inline void tracy_free(void *memory)
{
    free(memory);
}
inline void *tracy_realloc(void *memory, size_t size)
{
    return realloc(memory, size);
}
#endif

inline void *tracy_malloc_fast(size_t size)
{
    return tracy_malloc(size);
}
inline void tracy_free_fast(void *memory)
{
    tracy_free(memory);
}
} // namespace tracy
#endif
