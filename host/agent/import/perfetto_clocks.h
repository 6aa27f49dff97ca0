/* The clocks of a Perfetto trace. Snapshots say what several clocks showed at one moment; a time is taken to the trace's
 * clock by the last snapshot before it, as Perfetto does: without a change of rate. */
#pragma once
#include "host/agent/import/protobuf.h"
#include "host/event/map.h"

struct td_pf_clock_time {
    uint64_t clock; /* td_pf_clock_key() */
    int64_t ns;
};

struct td_pf_clock_list { /* the snapshots that have a clock, by number of the time in `times` */
    uint32_t *at;
    size_t count, room;
    uint64_t unit_ns;
    int64_t last; /* of an incremental clock, in its units */
    bool is_incremental;
};

struct td_pf_clocks { /* all zero: none */
    uint64_t trace_clock;
    struct td_pf_clock_time *times; /* of all snapshots */
    uint32_t *snapshots;            /* of each time: the first one of its snapshot */
    struct td_pf_clock_list *lists;
    size_t time_count, time_room, snapshot_room, list_count, list_room;
    struct td_map by_key;
};
void td_pf_clocks_free(struct td_pf_clocks *clocks);

/* Clocks from 64 to 127 belong to a sequence. */
uint64_t td_pf_clock_key(uint64_t clock, uint32_t sequence);
/* 0 or TD_E_NOMEM. */
int td_pf_clocks_take_snapshot(struct td_pf_clocks *clocks, struct td_pb_reader snapshot, uint32_t sequence);
/* The time in ns of the trace's clock. False: the clock is related to no other, or the time cannot be one. */
bool td_pf_clocks_ns(struct td_pf_clocks *clocks, uint64_t key, uint64_t time, int64_t *ns);
