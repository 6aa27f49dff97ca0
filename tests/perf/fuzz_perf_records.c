/* Rings of perf records that may be anything: the walk over a ring, the parser, the order of records. */
#include "host/perf/order.h"
#include "host/perf/record.h"
#include "host/perf/ring.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define RING  4096
#define LINES 3

static const struct td_perf_host host = {.take = malloc, .give = free};
static const struct td_perf_fields fields = {.old_thread = {24, 4, true},
                                             .old_priority = {28, 4, true},
                                             .old_state = {32, 8, true},
                                             .new_thread = {56, 4, true},
                                             .new_priority = {60, 4, true},
                                             .old_name = {8, 16, false},
                                             .new_name = {40, 16, false},
                                             .woken = {24, 4, true},
                                             .display = {8, 4, true}};

struct fuzzed_ring {
    struct td_perf_order order;
    struct td_perf_line lines[LINES];
    struct td_perf_parsed parsed;
};

static int kind_of(const void *self, uint64_t id)
{
    return id < 2 * TD_PERF_KIND_COUNT ? (int)(id % TD_PERF_KIND_COUNT) : -1;
}

static void take(void *self, const uint8_t *record, size_t bytes)
{
    struct fuzzed_ring *ring = self;
    struct td_perf_parsed *parsed = &ring->parsed;
    const unsigned line = (unsigned)(bytes % LINES);
    const enum td_perf_what what = td_perf_parse(record, bytes, &fields, kind_of, NULL, parsed);
    if (what == TD_PERF_EVENT && parsed->record.count > TD_PERF_STACK_MAX)
        abort();
    if (what == TD_PERF_EVENT && parsed->record.kind == TD_PERF_SWITCH &&
        (parsed->old_name[TD_THREAD_NAME_BYTES - 1] || parsed->new_name[TD_THREAD_NAME_BYTES - 1]))
        abort();
    if (what == TD_PERF_EVENT)
        td_perf_order_add(&ring->order, line, &parsed->record);
    else if (what == TD_PERF_LOST)
        td_perf_order_gap(&ring->order, line);
}

/* Each processor's switches follow each other, and no thread runs twice. */
static void check_switches(struct td_perf_order *order, int64_t until)
{
    uint32_t running[LINES] = {0};
    int known[LINES] = {0};
    int64_t last = INT64_MIN;
    struct td_perf_record record;
    while (td_perf_order_next(order, until, &record)) {
        if (record.time < last)
            abort();
        last = record.time;
        if (record.kind != TD_PERF_SWITCH)
            continue;
        if (known[record.cpu] && running[record.cpu] != record.change.old_thread)
            abort();
        for (unsigned i = 0; i < LINES && record.change.new_thread; i++)
            if (i != record.cpu && known[i] && running[i] == record.change.new_thread)
                abort();
        running[record.cpu] = record.change.new_thread;
        known[record.cpu] = 1;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t bytes[RING], scratch[TD_PERF_RECORD_MAX];
    static struct fuzzed_ring ring;
    uint16_t tail = 0;
    if (size < 2)
        return 0;
    memcpy(&tail, data, 2);
    size -= 2;
    size = size > RING ? RING : size;
    memset(&ring, 0, sizeof ring);
    for (size_t i = 0; i < size; i++)
        bytes[(tail + i) % RING] = data[2 + i];
    for (uint32_t i = 0; i < LINES; i++)
        ring.lines[i].cpu = i;
    td_perf_order_init(&ring.order, &host, ring.lines, LINES, 1 << 20);
    td_perf_ring_walk(bytes, RING, tail, tail + size, scratch, take, &ring);
    check_switches(&ring.order, INT64_MAX);
    td_perf_order_free(&ring.order);
    return 0;
}
