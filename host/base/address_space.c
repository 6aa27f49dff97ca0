#include "host/base/address_space.h"
#include "host/base/err.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

static uint64_t limit_of(int resource)
{
    struct rlimit limit;
    return getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY ? limit.rlim_cur : UINT64_MAX;
}

uint64_t td_address_space(void)
{
    const uint64_t all = limit_of(RLIMIT_AS), data = limit_of(RLIMIT_DATA);
    return all < data ? all : data;
}

/* Writable, because RLIMIT_DATA counts only what is. */
static void *map_unused(size_t bytes)
{
    return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

int td_reserve_space(struct td_space_reserve *reserve, size_t bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    void *at = NULL;
    bytes = (bytes + page - 1) & ~(page - 1);
    if (bytes == reserve->bytes)
        return 0;
    if (!bytes)
        munmap(reserve->at, reserve->bytes);
    else
        at = reserve->at ? mremap(reserve->at, reserve->bytes, bytes, MREMAP_MAYMOVE) : map_unused(bytes);
    if (at == MAP_FAILED)
        return TD_E_NOMEM;
    *reserve = (struct td_space_reserve){.at = at, .bytes = bytes};
    return 0;
}
