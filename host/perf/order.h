/* Records of several processors, each in the order of its ring, merged into the order of their times. Context
 * switches come out consistent: a thread that stops on a processor was started there before, and runs on one
 * processor at a time. Where records are missing, switches are added (`change.mended`). For one thread. */
#pragma once
#include "host/perf/perf.h"

struct td_perf_piece;
struct td_perf_line { /* the records of one processor that wait, oldest first */
    struct td_perf_piece *first, *last;
    int64_t head_time;     /* of the oldest one */
    int64_t last_time;     /* of the newest one that ever came */
    uint32_t cpu, running; /* running: the thread, as of the records that were taken */
    bool any;              /* `running` is known */
};
struct td_perf_order {
    const struct td_perf_host *host;
    struct td_perf_line *lines; /* not owned */
    unsigned count;
    uint16_t heap[TD_PERF_CPU_MAX]; /* lines that have records, the oldest one first */
    unsigned heap_count;
    size_t bytes, most_bytes; /* of memory for records */
    struct td_perf_piece *spare;
    int64_t last_time;               /* of the record that was given last */
    struct td_perf_record mended[4]; /* to be given before others */
    unsigned mended_count, mended_at;
    uint64_t stack[TD_PERF_STACK_MAX]; /* of the record that was given last */
};
void td_perf_order_init(struct td_perf_order *order, const struct td_perf_host *host,
                        struct td_perf_line *lines, unsigned count, size_t most_bytes);
void td_perf_order_free(struct td_perf_order *order); /* the records, not the lines */
/* Adds a record to a line, with its stack if it has one. Its time may be a little before that of the line's last
 * record, and counts as that one's then. False: no memory. */
bool td_perf_order_add(struct td_perf_order *order, unsigned line, const struct td_perf_record *record);
/* Notes that records of the line are missing here. */
bool td_perf_order_gap(struct td_perf_order *order, unsigned line);
/* 1: *record is the oldest one, if its time is before `until`; its stack is valid until the next call. 0: none. */
int td_perf_order_next(struct td_perf_order *order, int64_t until, struct td_perf_record *record);
