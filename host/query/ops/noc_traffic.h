/* What went over the NoC of each chip in a range of time: bytes of links, of pairs of places, of tiles and of the cores
 * that gave the commands. A transfer counts if its command is in the range. */
#pragma once
#include "host/event/map.h"
#include "host/report/noc/noc_route.h"
#include "host/query/task/job.h"

/* All transfers of a trace by time, and those of each track. */
struct td_noc_index { /* all zero: none */
    struct td_noc_transfers transfers;
    uint32_t *of_track; /* places in the list, by track, then by time */
    size_t *first;      /* of each track in `of_track`; tracks + 1 of them */
    uint32_t tracks;
    struct td_map lanes; /* chip and place: the first core's track + 1 of the tile there */
};
/* Reads all messages. 0, TD_E_NOMEM or TD_E_STOPPED; `job` may be NULL, and can cancel. */
int td_noc_index_make(struct td_noc_index *index, const struct td_trace *trace, struct td_job *job);
void td_noc_index_free(struct td_noc_index *index);
/* The place in the list of the first transfer that is not before that time. */
size_t td_noc_index_at(const struct td_noc_index *index, int64_t time_ns);
/* The same among those of a track: a place in `of_track`, from first[track] to first[track + 1]. */
size_t td_noc_index_of(const struct td_noc_index *index, uint32_t track, int64_t time_ns);
/* The track of the first core of the tile at a place; UINT32_MAX: none is known there, such as DRAM. */
uint32_t td_noc_index_lane(const struct td_noc_index *index, uint32_t chip, struct td_noc_place place);

struct td_noc_sum {
    uint64_t bytes, transfers;
};

struct td_noc_pair { /* what went from one place to another, or to a rectangle of places */
    uint32_t chip;
    struct td_noc_place from, to, to_last;
    uint8_t noc;
    struct td_noc_sum sum;
};

struct td_noc_chip {
    uint32_t chip;
    struct td_noc_loads loads;     /* size 0: the trace has no map of the chip, so no links are known */
    uint64_t most;                 /* of a link */
    struct td_noc_sum *sent, *got; /* of each place, y * width + x; NULL without a map */
};

struct td_noc_traffic { /* all zero: none */
    struct td_noc_chip *chip;
    size_t chips;
    struct td_noc_pair *pair; /* those with most bytes first */
    size_t pairs, pair_room;
    struct td_noc_sum *core; /* of each track: what it commanded */
    uint32_t tracks;
    struct td_noc_sum all;
    uint64_t most; /* of a link of any chip */
    int64_t from_ns, to_ns;
};

/* 0, TD_E_NOMEM or TD_E_STOPPED; `job` may be NULL. The index must stay until then. */
int td_noc_traffic_make(struct td_noc_traffic *traffic, const struct td_noc_index *index, int64_t from_ns,
                        int64_t to_ns, struct td_job *job);
void td_noc_traffic_free(struct td_noc_traffic *traffic);
/* NULL: nothing went over the NoC of this chip. */
const struct td_noc_chip *td_noc_traffic_chip(const struct td_noc_traffic *traffic, uint32_t chip);
