/* What cores moved over the NoC, from the events on their tracks: messages such as "NoC READ noc=NOC_0
 * vc=-1 num_bytes=4096 dx=1 dy=2" of kernels that are compiled with PROFILE_NOC_EVENTS, and of imported
 * device logs.
 *
 *   struct td_noc_transfers t;
 *   td_noc_transfers_make(&t, trace, NULL, &err);
 *   for (size_t i = 0; i < t.count; i++) use(&t.list[i]);          td_noc_route() gives its links (noc_route.h)
 *   td_noc_transfers_free(&t);
 *
 * Or message by message: td_noc_reader_create(), td_noc_reader_take() for each message of a core in its
 * order, td_noc_reader_destroy().
 *
 * Each read, write, multicast and atomic of a core is one transfer. Places are those of NoC 0 if the trace
 * has a map of the chip (host/trace/chip_maps.h), else as the track and the message have them. Events
 * without a destination move nothing: they set what a later event uses (types ..._SET_STATE), or end
 * transfers (barriers). Events of the fabric, which leave the chip, are left out. One thread at a time;
 * the trace may grow, and must outlive the reader. */
#pragma once
#include "host/base/err.h"
#include "host/base/progress.h"
#include "host/report/ops/core_walk.h"
#include "host/trace/chip_maps.h"
#include "host/tt/noc_trace.h"

struct td_noc_place {
    uint16_t x, y;
};
static inline bool td_noc_place_equal(struct td_noc_place a, struct td_noc_place b)
{
    return a.x == b.x && a.y == b.y;
}

struct td_noc_transfer {
    int64_t time_ns;          /* when the core gave the command */
    int64_t done_ns;          /* end of the core's first barrier that waits for it; TD_OPEN: there was none */
    uint64_t bytes;           /* of the payload; of a multicast, to each tile; 0: an atomic, or not known */
    uint32_t track, chip;     /* of the core that gave the command */
    struct td_noc_place from; /* where the data was */
    struct td_noc_place to,
        to_last;  /* where it went; of a multicast, the corners of the rectangle, else equal */
    uint8_t type; /* enum td_tt_noc_type */
    uint8_t noc;  /* 0 or 1 */
    bool is_read; /* the core is at `to`; else at `from` */
};
static inline bool td_noc_is_multicast(const struct td_noc_transfer *t)
{
    return t->type == TD_TT_NOC_TYPE_WRITE_MULTICAST || t->type == TD_TT_NOC_TYPE_SEMAPHORE_SET_MULTICAST ||
           t->type == TD_TT_NOC_TYPE_SEMAPHORE_INC_MULTICAST;
}

struct td_noc_transfers { /* all zero: none */
    struct td_noc_transfer *list;
    size_t count, room;
    struct td_chip_maps maps;
};
/* In the trace's order of messages: by time once it is finished. 0, TD_E_NOMEM or TD_E_STOPPED; `progress`
 * may be NULL. */
int td_noc_transfers_make(struct td_noc_transfers *transfers, const struct td_trace *trace,
                          const struct td_progress *progress, struct td_err *err);
void td_noc_transfers_free(struct td_noc_transfers *transfers);

struct td_noc_reader;
struct td_noc_reader *td_noc_reader_create(const struct td_trace *trace); /* NULL: no memory */
void td_noc_reader_destroy(struct td_noc_reader *reader);                 /* NULL is allowed */
/* 1: *transfer is set, its done_ns is TD_OPEN; 0: the message is about none; TD_E_NOMEM. */
int td_noc_reader_take(struct td_noc_reader *reader, const struct td_message *message,
                       struct td_noc_transfer *transfer);
const struct td_chip_maps *td_noc_reader_maps(const struct td_noc_reader *reader);

/* The NoC 0 place of a core. */
struct td_noc_place td_noc_core_place(const struct td_chip_maps *maps, const struct td_core_place *core);
