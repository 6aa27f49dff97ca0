/* Decodes the words of one lane into packets with 64-bit times. It does no I/O and is safe on any bytes. */
#pragma once
#include "host/device/drain/zone_decoder.h"
#include "proto/device/packet.h"

#include <stddef.h>
#include <stdint.h>

/* A decoded packet. TD_PACKETS lists the members that it has; the others are 0. TIME and PAD packets give no
 * record: they only place the others in time and in the ring. */
struct td_packet_record {
    uint32_t type;      /* enum td_packet; a short zone is TD_PACKET_ZONE */
    uint32_t id;        /* the id field */
    uint64_t end_ticks; /* time, or end of a span, 64 bits */
    uint64_t duration_ticks;
    uint64_t value, value2;
    /* ARGS: words. Packets of 2 and of 3 words look alike (also 5 and 6 ...), so there may be one zero more
     * than the site's `args`. TEXT: bytes, arg_count is their number. Valid in the callback only. */
    uint32_t arg_count;
    const uint32_t *args;
};

struct td_packet_stats {
    uint64_t slots, packets, zones;
    uint64_t bad_slots; /* slots skipped because they made no sense */
    uint64_t bad_runs;  /* times the decoder had to find its way again */
    uint64_t cut_slots; /* slots of packets whose head was overwritten: skipped, but not bad */
    uint64_t untimed;   /* packets before the first TIME packet: no record */
};

struct td_packet_decoder {
    uint32_t time_high;
    int have_time; /* a TIME packet was seen */
    int after_gap; /* continuation slots without a head are cut, not bad */
    int in_bad;    /* the last slot was bad */
    td_zone_decoder *decode_zones;
    uint32_t pending_count; /* slots of a packet that is not complete yet */
    uint32_t pending[2 * 512];
    struct td_packet_stats stats;
};

void td_packet_decoder_init(struct td_packet_decoder *u);
/* High half of the clock at the words that come next, known from elsewhere (the lane's control words). */
void td_packet_decoder_set_time(struct td_packet_decoder *u, uint32_t time_high);
/* Words are missing before the next ones (overwrite policy). A packet that was cut there is no error, and
 * times are unknown until the next TIME packet. */
void td_packet_decoder_gap(struct td_packet_decoder *u);
typedef int td_packet_on_record(void *self, const struct td_packet_record *record);
/* Decodes; a packet cut at the end of `words` is kept for the next call. slots = 0 means that nothing
 * follows, which completes a packet whose length shows only in the slot after it (LOG without arguments). A
 * record callback that returns non-zero stops the decoder, which returns that value; the rest of `words` is
 * not decoded. */
int td_packet_decoder_feed(struct td_packet_decoder *u, const uint32_t *words, size_t slots,
                           td_packet_on_record *record, void *self);
/* Short zones that follow each other, in columns; valid in the callback only. Zone i ends at high_ticks |
 * end[i]. */
struct td_zone_columns {
    uint64_t high_ticks; /* a multiple of 2^32 */
    size_t count;        /* 1 .. TD_ZONE_RUN */
    const uint32_t *end;
    const uint16_t *id, *duration;
};
typedef int td_packet_on_zones(void *self, const struct td_zone_columns *zones);
struct td_packet_sink {
    td_packet_on_record *record;
    td_packet_on_zones *zones; /* NULL: short zones go to `record`, too */
    void *self;
};
/* Like td_packet_decoder_feed(), but short zones come as columns, the others as records, in their order: many
 * times faster. A callback that stops the decoder has used up the run it was given. */
int td_packet_decoder_feed_columns(struct td_packet_decoder *u, const uint32_t *words, size_t slots,
                                   const struct td_packet_sink *to);
/* At the end of a lane: like slots = 0, and an incomplete packet counts as bad. */
int td_packet_decoder_end_stream(struct td_packet_decoder *u, td_packet_on_record *record, void *self);
