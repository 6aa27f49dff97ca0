/* Locks of buffers and of memory in L1, by tt-metal's names of 2026. C++. A lock keeps no core out: it says in the
 * trace for how long a kernel relied on nothing else writing there.
 *
 *   auto lock = buffer.scoped_lock();      "CB_LOCK 0x12340 num_bytes=64", and CB_UNLOCK when it ends
 */
#ifndef TENDRIL_API_LOCK_H
#define TENDRIL_API_LOCK_H
#include "tools/profiler/noc_debugging_profiler.hpp"

template <typename Release> class Lock
{
  public:
    explicit Lock(Release at_end) : release(at_end)
    {
    }
    ~Lock()
    {
        release();
    }
    Lock(const Lock &) = delete;
    Lock &operator=(const Lock &) = delete;

  private:
    Release release;
};

namespace experimental
{
using ::Lock;
}
#endif
