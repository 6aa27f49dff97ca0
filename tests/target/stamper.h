/* The timestamper of a machine's tile, which is the simulator's (boards/tensix_sim/timestamper.c), and the
 * host's reader of its events (host/device/drain/stamps.h). It also notes each event that the core has written:
 * what the reader makes of the stream is compared with that. */
#pragma once
#include "tests/target/machine.h"
#include "tests/target/records.h"

struct stamper;

struct stamper_options {
    uint32_t pieces;    /* of each of the two buffers, one for each event */
    uint32_t one_of;    /* the host reads after one of so many events, */
    bool reads_if_full; /* and when both buffers are full, so that nothing is lost */
    uint32_t seed;
};

/* What the core has emitted. */
struct stamper_counts {
    uint32_t begins, ends;
    bool overflowed;
};

/* Of the machine's core. */
struct stamper *stamper_create(struct machine *m, const struct stamper_options *options);
void stamper_destroy(struct stamper *s);
/* The host takes up to `most` slots from the lane, and what is in the stream. */
void stamper_poll(struct stamper *s, size_t most);
/* It takes all that is left. *slots: of the lane, with the packets of stamped zones; the stamper's. */
const uint32_t *stamper_finish(struct stamper *s, size_t *slots);
/* Each zone that arrived is one that was emitted, with its site and times; all arrived, or the stream had no room
 * and the loss is reported. */
struct stamper_counts stamper_check(const struct stamper *s, const struct records *r);
