/* Sends what the system reports about processors: where they are, and how busy. Used by the session's
 * thread. Both functions return 0, also if the system reports nothing, or negative: sending failed. */
#pragma once
#include "host/client/encode/encoder.h"

#include <stddef.h>
#include <stdint.h>

int td_system_send_topology(struct td_encoder *encoder);
/* The last reading of the load; all zero at first. */
struct td_load_sample {
    uint64_t busy, all; /* ticks of all processors */
    int64_t next_ms;    /* when to read again */
};
int td_system_send_load(struct td_encoder *encoder, struct td_load_sample *load, int64_t now_ms);
