/* Core sampler: reads where the cores of a board are, through the tiles' debug buses. The cores do not
 * notice.
 *
 * It visits one tile after the other. A visit reads the control words of the tile's lanes
 * (proto/device/lane.h), has the debug bus show the program counter of each core that runs, and reads the
 * control words again. So it knows which launch of which image each program counter belongs to. A visit costs
 * two reads, and a write and a read for each core that runs.
 *
 * Visits come at random distances: cores that do the same thing again and again are not seen at the same
 * place each time. Not thread-safe. */
#pragma once
#include "host/device/board/board.h"

#include <stdbool.h>

struct td_core_sampling {
    double hz;    /* samples a second of each core, at most; 0: cores are not sampled */
    double reads; /* reads a second of the whole board, at most */
};
#define TD_CORE_SAMPLING_HZ    1000
#define TD_CORE_SAMPLING_READS 20000

struct td_core_sample {
    uint32_t lane, pc;
    uint64_t build_id; /* of the image that runs */
    int64_t ticks;     /* of the host's clock; in virtual time of the board's */
};
/* Takes a sample. Another value than 0 ends the visit with this error. */
typedef int td_core_sampled(void *self, const struct td_core_sample *sample, struct td_err *err);

struct td_core_sampler_stats {
    uint64_t samples, reads;
    uint64_t changed; /* samples that were given up: another launch began, or the core stopped, meanwhile */
    uint64_t missed;  /* visits that were left out because the host was busy */
};

struct td_core_sampler;
/* `transport` and `board` must outlive it. NULL: TD_E_USAGE: the board's description does not say where
 * program counters are; TD_E_NOMEM; or the board cannot be reached. */
struct td_core_sampler *td_core_sampler_create(struct td_transport *transport, const struct td_board *board,
                                               const struct td_core_sampling *sampling, struct td_err *err);
/* Switches the debug buses off. NULL is allowed. */
void td_core_sampler_destroy(struct td_core_sampler *sampler);
/* Makes the visits that are due. now_ns: of any clock that goes on. In virtual time the board stands still:
 * then ticks is the time of its clock; else it is -1. 0 or a negative enum td_e of the board, or take()'s. */
int td_core_sampler_poll(struct td_core_sampler *sampler, int64_t now_ns, int64_t ticks,
                         td_core_sampled *take, void *self, struct td_err *err);
const struct td_core_sampler_stats *td_core_sampler_get_stats(const struct td_core_sampler *sampler);
