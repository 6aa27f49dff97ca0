/* How long something ran until a time, from rows that do not overlap: a thread's runs between context switches, or
 * the threads that a processor ran.
 *
 * The rows stay in the model. Here is a mark for each TD_BUSY_BLOCK of them, with the time that was spent until
 * there, so that any sum over a range takes a binary search and at most one block of rows. A mark takes 16 bytes. */
#pragma once
#include "host/trace/tables.h"

#define TD_BUSY_BLOCK 8

struct td_busy_times {
    int64_t own_ns, other_ns; /* other: of a processor, threads of other programs */
};

struct td_busy {
    const struct td_series *rows;
    unsigned start, end; /* columns: TIME; end -1: not ended */
    unsigned thread;     /* the column with the thread */
    /* Whether the time of a row counts as that of other programs; NULL: none does. */
    bool (*is_other)(const void *self, uint64_t thread);
    const void *self;
    struct td_busy_times *marks; /* marks[k]: before row k * TD_BUSY_BLOCK */
    size_t count, capacity;
};

/* Reads rows that are new, until *most of them have been read, and subtracts their number; blocks that are full do not
 * change any more. 1: there are more; 0; TD_E_NOMEM. */
int td_busy_update(struct td_busy *busy, uint64_t *most);
void td_busy_free(struct td_busy *busy);
/* The sum of all rows before this one. */
struct td_busy_times td_busy_before(const struct td_busy *busy, uint64_t row);
/* The time spent until time_ns. An open row ends at open_ns. */
struct td_busy_times td_busy_until(const struct td_busy *busy, int64_t time_ns, int64_t open_ns);
/* The end of a row; of one without an end: the start of the next one, or open_ns. */
int64_t td_busy_end(const struct td_busy *busy, uint64_t row, int64_t open_ns);
/* The first row from `from` on that starts at time_ns or later: fast if it is near. */
uint64_t td_busy_from(const struct td_busy *busy, uint64_t from, int64_t time_ns);
/* The row that runs at time_ns, or the first one after it. */
uint64_t td_busy_at(const struct td_busy *busy, int64_t time_ns);
