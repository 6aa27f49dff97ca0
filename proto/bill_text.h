/* What profiling has cost one core: a note of the trace (TD_NOTE_BILL) for each core that recorded something,
 *
 *   chip 0 tile 1,2 core 3: 1 launches, 900 zones, 8 messages, 0 points; 20000 instructions, 4100 stores,
 *   7300 bytes, 2 waits of 5100 ns; a zone 17250 ps, a message 40000 ps, a point 0 ps
 *
 * in one line. Times of 0 ps are not known. */
#pragma once
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* X(member, text before it, text after it): all numbers after the core's place. */
/* clang-format off */
#define TD_BILL(X)                                                                                           \
    X(launches, " ", " launches,")                                                                           \
    X(zones, " ", " zones,")                                                                                 \
    X(messages, " ", " messages,")                                                                           \
    X(points, " ", " points;")               /* of plots */                                                  \
    X(instructions, " ", " instructions,")   /* executed because of markers, without waiting for room */     \
    X(stores, " ", " stores,")               /* to L1, because of markers */                                 \
    X(bytes, " ", " bytes,")                 /* of the lane that the consumer read, and cleared */           \
    X(waits, " ", " waits")                  /* for room */                                                  \
    X(wait_ns, " of ", " ns;")                                                                               \
    X(zone_ps, " a zone ", " ps,")           /* mean of a zone's marker, its part of calls, texts, flows */  \
    X(message_ps, " a message ", " ps,")                                                                     \
    X(point_ps, " a point ", " ps")
/* clang-format on */

struct td_bill {
    uint32_t chip, x, y, core;
#define TD_X(member, before, after) uint64_t member;
    TD_BILL(TD_X)
#undef TD_X
};

#define TD_BILL_BYTES 512 /* more than any text has */

#define TD_BILL_PLACE                        "chip %" PRIu32 " tile %" PRIu32 ",%" PRIu32 " core %" PRIu32 ":"
#define TD_BILL_PUT_(member, before, after)  before "%" PRIu64 after
#define TD_BILL_SCAN_(member, before, after) before "%18" SCNu64 after
#define TD_BILL_FROM_(member, before, after) , b->member
#define TD_BILL_TO_(member, before, after)   , &b->member
#define TD_BILL_ONE_(member, before, after)  +1

static inline void td_bill_text(char text[TD_BILL_BYTES], const struct td_bill *b)
{
    snprintf(text, TD_BILL_BYTES, TD_BILL_PLACE TD_BILL(TD_BILL_PUT_), b->chip, b->x, b->y,
             b->core TD_BILL(TD_BILL_FROM_));
}

/* False: the text has another form. */
static inline bool td_bill_read(const char *text, struct td_bill *b)
{
    int end = 0;
    const int found = sscanf(text, TD_BILL_PLACE TD_BILL(TD_BILL_SCAN_) "%n", &b->chip, &b->x, &b->y,
                             &b->core TD_BILL(TD_BILL_TO_), &end);
    return found == 4 TD_BILL(TD_BILL_ONE_) && end > 0;
}
