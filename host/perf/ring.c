#include "host/perf/ring.h"
#include "host/base/err.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define LEAST_BYTES 16384

int td_perf_ring_map(struct td_perf_ring *ring, int fd, size_t bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t least = LEAST_BYTES < page ? page : LEAST_BYTES;
    for (; bytes >= least; bytes /= 2) {
        void *at = mmap(NULL, page + bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (at != MAP_FAILED) {
            *ring = (struct td_perf_ring){.page = at, .bytes = bytes};
            return 0;
        }
        if (errno != EPERM && errno != ENOMEM)
            break;
    }
    return -errno;
}

void td_perf_ring_unmap(struct td_perf_ring *ring)
{
    if (ring->page)
        munmap(ring->page, (size_t)sysconf(_SC_PAGESIZE) + ring->bytes);
    ring->page = NULL;
}

static void copy_out(const uint8_t *data, size_t size, uint64_t from, uint8_t *to, size_t bytes)
{
    const size_t at = (size_t)from & (size - 1), first = size - at < bytes ? size - at : bytes;
    memcpy(to, data + at, first);
    memcpy(to + first, data, bytes - first);
}

int td_perf_ring_walk(const uint8_t *data, size_t size, uint64_t tail, uint64_t head, uint8_t *scratch,
                      td_perf_take *take, void *self)
{
    struct perf_event_header header;
    int count = 0;
    if (head - tail > size)
        return TD_E_FORMAT;
    for (; tail != head; count++) {
        const size_t left = (size_t)(head - tail), at = (size_t)tail & (size - 1);
        if (left < sizeof header)
            return TD_E_FORMAT;
        copy_out(data, size, tail, (uint8_t *)&header, sizeof header);
        if (header.size < sizeof header || header.size > left)
            return TD_E_FORMAT;
        const uint8_t *record = data + at;
        if (header.size > size - at) {
            copy_out(data, size, tail, scratch, header.size);
            record = scratch;
        }
        take(self, record, header.size);
        tail += header.size;
    }
    return count;
}

int td_perf_ring_drain(struct td_perf_ring *ring, uint8_t *scratch, td_perf_take *take, void *self)
{
    struct perf_event_mmap_page *page = ring->page;
    const uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE), tail = page->data_tail;
    ring->drained = (size_t)(head - tail);
    if (head == tail)
        return 0;
    const uint8_t *data = (const uint8_t *)page + sysconf(_SC_PAGESIZE);
    const int count = td_perf_ring_walk(data, ring->bytes, tail, head, scratch, take, self);
    __atomic_store_n(&page->data_tail, head, __ATOMIC_RELEASE);
    return count;
}
