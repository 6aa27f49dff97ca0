/* Reads the rings of tt-metal's streaming device profiler (proto/tt/stream_ring.h) from copies of a tile's memory.
 * The memory may hold anything. */
#pragma once
#include "host/tt/l1_profiler.h"
#include "proto/tt/stream_ring.h"

/* Searches the memory of a tile, from address `from` on, for rings in which cores have written. The address of the control
 * words; 0: not found. */
uint32_t td_tt_ring_find(const uint32_t *memory, size_t words, uint32_t from);

/* What a core's next packets are read with. */
struct td_tt_ring_state {
    uint64_t cursor;
    uint32_t high; /* of the clock */
    bool has_cursor, has_high;
    uint32_t op; /* host id of the launch; 0: not known */
};

enum td_tt_ring_kind {
    TD_TT_RING_IS_ZONE,
    TD_TT_RING_IS_DATA,
    TD_TT_RING_IS_EVENT,
    TD_TT_RING_IS_LAUNCH, /* state.op is its id */
    TD_TT_RING_IS_LOST,   /* a zone whose end is not known, because packets before it are not */
    TD_TT_RING_IS_ODD     /* words that are no packets: nothing follows */
};
struct td_tt_ring_item {
    enum td_tt_ring_kind kind;
    uint32_t id;
    uint64_t begin, end;  /* ticks; of a time, both */
    const uint32_t *data; /* of DATA */
    uint32_t count;       /* of its words; of words that are no packets */
};

/* Reads the next packet from words that begin and end between two packets, from *at on. now: a recent time of the clock,
 * for packets before the first one with its high half. False: there is none. */
bool td_tt_ring_next(struct td_tt_ring_state *state, const uint32_t *words, size_t count, size_t *at,
                     uint64_t now, struct td_tt_ring_item *item);
