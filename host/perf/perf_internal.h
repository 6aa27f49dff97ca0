/* What the files of perf share. */
#pragma once
#include "host/perf/clock.h"
#include "host/perf/order.h"
#include "host/perf/perf.h"
#include "host/perf/record.h"
#include "host/perf/ring.h"

#define TD_PERF_EXCEPT_MAX 16

struct td_perf_event { /* an open event: the number in its records, and what they are */
    uint64_t id;
    int fd;
    enum td_perf_kind kind;
};
struct td_perf_cpu {
    uint32_t number;
    struct td_perf_ring ring;
    int ring_fd;                  /* the event that the ring was mapped from; the others write into it, too */
    struct td_perf_event *events; /* by id */
    unsigned count, room, last;   /* last: the event that was found last */
    struct {
        uint32_t from, to;
        bool seen; /* the tracepoint recorded this switch; its spare record has not come yet */
    } change;
};
struct td_perf {
    const struct td_perf_host *host;
    struct td_perf_options options;
    uint32_t except[TD_PERF_EXCEPT_MAX], own_pid, kinds;
    bool has_kernel;
    unsigned threads;
    uint64_t read_format;      /* PERF_FORMAT_LOST, or 0: the kernel does not know it */
    uint64_t reported_lost;    /* what records of the kernel said of dropped ones */
    unsigned long descriptors; /* that may still be opened: the program needs some of those it may have */
    int epoll_fd;
    struct td_perf_cpu *cpus;
    struct td_perf_line *lines;
    unsigned cpu_count;
    struct td_perf_fields fields;
    struct td_perf_clock clock;
    struct td_perf_order order;
    struct td_perf_losses losses;
    unsigned filled;     /* td_perf_filled() */
    int64_t gathered_ns; /* when the last td_perf_gather() began */
    int64_t last_ticks;  /* of the record that was given last */
    unsigned now;        /* the processor whose ring is drained */
    uint8_t *scratch;
    struct td_perf_parsed *parsed;
};
/* events.c: opens the events of all kinds. */
void td_perf_open_events(struct td_perf *perf, struct td_perf_report *report);
