/* Unpack: the words of one lane become packets with 64-bit times. A pump without I/O: safe on any bytes. */
#ifndef TD_HOST_DEVICE_UNPACK_H
#define TD_HOST_DEVICE_UNPACK_H
#include "proto/device/packet.h"
#include <stddef.h>
#include <stdint.h>

struct td_packet_record {
    uint32_t type;      /* enum td_packet; a short zone is TD_PACKET_ZONE */
    uint32_t id;        /* site, event id or version: the id field */
    uint64_t end_ticks; /* time, or end of a zone, STALL, LOST; 64 bits */
    uint64_t duration_ticks;
    uint64_t value;  /* ZVALUE, PLOT_* (w1), FLOW_*, SUM ticks, EXIT code, LOST zones, OP id, IMAGE build id */
    uint64_t value2; /* SUM count, LOST others */
    uint32_t arg_count;
    const uint32_t *args; /* LOG, ZTEXT, DATA; TEXT: bytes, arg_count = number of bytes. Valid in the callback only */
};

struct td_unpack_stats {
    uint64_t slots, packets, zones;
    uint64_t bad_slots; /* slots skipped because they made no sense */
    uint64_t bad_runs;  /* times the decoder had to find its way again */
};

struct td_unpack {
    uint32_t time_high;
    int have_time; /* a TIME packet was seen */
    uint32_t pending_count; /* slots of a packet that is not complete yet */
    uint32_t pending[2 * 512];
    struct td_unpack_stats stats;
};

void td_unpack_init(struct td_unpack *u);
typedef int td_unpack_record(void *self, const struct td_packet_record *record);
/* Decodes; a packet cut at the end of `words` is kept for the next call. A record callback that returns non-zero stops
 * the decoder, which returns that value. */
int td_unpack(struct td_unpack *u, const uint32_t *words, size_t slots, td_unpack_record *record, void *self);
#endif
