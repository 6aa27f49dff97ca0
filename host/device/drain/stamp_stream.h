/* The stream of one tile's timestamper, as the host reads it. Private to stamp*.c. */
#pragma once
#include "host/device/board/board.h"
#include "host/transport/transport.h"

#include <stdbool.h>

struct td_stamp_event {
    uint64_t ticks;
    uint32_t word; /* what the core has stored */
};

struct td_stamp_stream {
    struct td_transport *t;
    const struct td_board *board;
    struct td_tile_at at;
    bool armed, used;
    uint32_t taken[2]; /* pieces of each buffer that were read */
};

/* Called for each event. The stream of one core is in order, but for events that came while buffers changed. */
typedef int td_stamp_on_event(void *self, const struct td_stamp_event *event);

int td_stamp_stream_arm(struct td_stamp_stream *s, struct td_err *err);
void td_stamp_stream_disarm(struct td_stamp_stream *s);
/* Reads what is there and makes room. *lost: events after those of the calls so far were lost. */
int td_stamp_stream_read(struct td_stamp_stream *s, td_stamp_on_event *event, void *self, bool *lost,
                         struct td_err *err);
