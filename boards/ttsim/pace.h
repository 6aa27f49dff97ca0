/* When the chips' time moves. In virtual time it moves by epochs: at the end of each, time is held until the lanes
 * have been drained, so no core waits for a host, and lengths are exact. Between two batches of clocks, hosts are
 * answered. One thread. */
#pragma once
#include "boards/ttsim/library.h"
#include "host/probe/board_server.h"
#include "host/transport/transport.h"

#include <stdbool.h>

struct pace {
    struct td_transport base; /* has the controls of time; not the caller's to close */
    const struct library *lib;
    bool is_virtual;
    uint32_t epoch_clocks, batch, in_epoch;
    unsigned batches; /* since their size was looked at */
    int64_t least_ns; /* that one of these took: others may have been interrupted */
    bool at_end;      /* of an epoch, which waits to be drained */
    uint64_t frozen, agent, done, drained;
    int64_t served_ns; /* when lanes were last given out */
    uint32_t held;     /* slots of the fullest lane at the end of the last epoch */
    uint64_t clocks;
    uint64_t calls;
    int64_t hosts_ns; /* of this process's processor time, for hosts; an estimate */
};

/* epoch_clocks: 0: the usual. */
void pace_init(struct pace *p, const struct library *lib, bool is_virtual, uint32_t epoch_clocks);
/* Answers hosts, or looks at their lanes; counts the processor's time. */
void pace_answer(struct pace *p, struct td_board_server *server);
void pace_serve_lanes(struct pace *p, struct td_board_server *server);
/* May time move? Then moves it by a batch. */
bool pace_step(struct pace *p, struct td_board_server *server);
