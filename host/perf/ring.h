/* The ring into which the kernel writes the records of one processor. For one thread. */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct perf_event_mmap_page;
struct td_perf_ring {
    struct perf_event_mmap_page *page; /* NULL: not mapped */
    size_t bytes;                      /* of data; a power of two */
    size_t drained;                    /* bytes that the last td_perf_ring_drain() found */
};
/* Maps the ring of an event; `bytes` is halved as long as the system refuses. 0, or -errno. */
int td_perf_ring_map(struct td_perf_ring *ring, int fd, size_t bytes);
void td_perf_ring_unmap(struct td_perf_ring *ring);

#define TD_PERF_RECORD_MAX 65536
typedef void td_perf_take(void *self, const uint8_t *record, size_t bytes);
/* Passes all records to `take` and frees their room. `scratch`: TD_PERF_RECORD_MAX bytes, for records at the
 * ring's end. Returns the number of records; negative: the ring makes no sense and was emptied. */
int td_perf_ring_drain(struct td_perf_ring *ring, uint8_t *scratch, td_perf_take *take, void *self);
/* The same for bytes that were copied out of a ring of `size` bytes (a power of two), from `tail` to `head`. */
int td_perf_ring_walk(const uint8_t *data, size_t size, uint64_t tail, uint64_t head, uint8_t *scratch,
                      td_perf_take *take, void *self);
