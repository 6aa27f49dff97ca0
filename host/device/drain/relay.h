/* Relay, the host's side: spare cores that gather lanes over the NoC into rings in the host's memory or in
 * DRAM (proto/device/relay.h).
 *
 * Starts the board's relay cores with the relay's firmware and hands them lanes, tile by tile; what they push
 * comes out of one gatherer. Destroy before the transport. One thread.
 */
#pragma once
#include "host/device/board/board.h"
#include "host/transport/gather.h"

struct td_relay_options {
    const char *elf;     /* the firmware; NULL: the one that was built for this board */
    uint32_t fifo_bytes; /* of each relay's ring, a power of two; 0: 1 MiB, or what there is */
    int in_dram;         /* 1: rings in DRAM, even where tiles reach the host's memory */
};

struct td_relay_stats {
    uint32_t relays;
    uint64_t rounds, waits, slots, reads, writes, read_bytes, written_bytes; /* of all relays */
};

/* TD_E_NOTFOUND: the board has no relay cores, or there is no firmware for it. */
struct td_gather *td_relay_create(struct td_transport *t, const struct td_board *board,
                                  const struct td_relay_options *options, struct td_err *err);
int td_relay_read_stats(struct td_gather *relay, struct td_relay_stats *stats, struct td_err *err);
/* Puts the relay cores back into reset. NULL is fine. */
void td_relay_destroy(struct td_gather *relay);
