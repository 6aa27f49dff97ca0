/* Drain: takes the words of every lane of a board, fairly and in bounded memory, and gives them to a callback
 * lane by lane.
 *
 * It knows transports and control words, but not the meaning of packets. One thread. Slots are copied first,
 * so what a core writes meanwhile cannot change what the decoder reads. */
#pragma once
#include "host/device/board/board.h"
#include "proto/device/lane.h"

#include <stdbool.h>

struct td_drain;

struct td_lane_at {
    struct td_tile_at tile;
    uint16_t core;
    uint16_t logical_x, logical_y;
    uint32_t
        index; /* number among all lanes of the board: ((chip * height + y) * width + x) * cores + core */
    int gap;   /* 1 or TD_GAP_HOLE: words are missing before these: td_packet_decoder_gap() first */
    uint32_t missing;   /* slots lost on their way, or written while the core had left */
    uint32_t time_high; /* then: high half of the clock in the lane's control words */
    int overwritten;    /* the words before these were overwritten */
    uint32_t given_zones,
        given_other; /* then: packets in all that the core has given up, taken before or not */
};
#define TD_LANE_NO_CORE UINT16_MAX
/* Overwrite: these `missing` slots of the ring held nothing. Of all that the core has given up nothing is missing. */
#define TD_GAP_HOLE 2

/* Whole slots, in order, each valid: `slots` times two words. There is at least one, but none when a gap ends
 * the lane. They belong to the drain. A packet may begin in one call and end in a later one. Returns 0, or an
 * error that stops the drain. */
typedef int td_drain_words(void *self, const struct td_lane_at *lane, const uint32_t *words, size_t slots,
                           struct td_err *err);

struct td_drain_stats {
    uint64_t slots, polls, idle_polls, bytes_read, bytes_written;
    uint64_t lost_slots; /* on their way from a gatherer, or while the core had left */
    uint64_t bad_frames; /* from a gatherer */
};

/* A kernel has overwritten the control words at that address, or `slots` slots of the ring there. They were
 * restored; what was lost is counted. Reported once a lane; core TD_LANE_NO_CORE: words of the tile. */
typedef void td_drain_damaged(void *self, const struct td_lane_at *lane, uint32_t address, uint32_t slots);

struct td_drain_options {
    enum td_policy policy;
    struct td_gather *gather;  /* takes what lanes hold; must outlive the drain. NULL: the transport's own */
    int poll;                  /* no gatherer, even where there is one */
    td_drain_damaged *damaged; /* NULL: damage is not reported */
    void *damaged_self;
    /* In virtual time: called at the end of each epoch, while the cores stand still; another value than 0
     * stops the drain. NULL: not called. */
    int (*epoch)(void *self, struct td_err *err);
    void *epoch_self;
};

/* Initialises tile and lane control words of every tile in the grid, sets the policy, registers the agent
 * (shm: this process in the board's header). Cores are invited to join with their next launch: that is
 * recorded from its first packet on, also where another one runs meanwhile. TD_E_USAGE: another living agent
 * drains the board. With a gatherer (policies block and drop only) lanes are handed over to it. */
struct td_drain *td_drain_create_with(struct td_transport *t, const struct td_board *board,
                                      const struct td_drain_options *options, struct td_err *err);
/* The same with no options but the policy. */
struct td_drain *td_drain_create(struct td_transport *t, const struct td_board *board, enum td_policy policy,
                                 struct td_err *err);
/* One round over all lanes; at most `ring_slots` slots a lane. *taken: slots taken (0: idle, the caller may
 * sleep). With policy off nothing is taken. TD_E_GONE: the device does not answer or reads as all ones, was
 * reset, or another agent has taken it over.
 *
 * On a simulated board in insn mode slots are taken only at the end of an epoch, while time is stopped. So
 * the same program always gives the same words. */
int td_drain_poll(struct td_drain *drain, td_drain_words *words, void *self, size_t *taken,
                  struct td_err *err);
/* Waits until lanes may hold slots (returns 1), for at most timeout_ms (returns 0). TD_E_USAGE, at once: this
 * board has no such wait, and the caller has to sleep. */
int td_drain_wait(struct td_drain *drain, int timeout_ms, struct td_err *err);
/* Takes everything that is still in the lanes, whether or not the cores have stopped. A simulated board is
 * frozen meanwhile, unless it is dead. */
int td_drain_finish(struct td_drain *drain, td_drain_words *words, void *self, struct td_err *err);
/* Whether zones of the tiles' timestampers are among the words: not if a gatherer has the lanes. */
bool td_drain_reads_stamps(const struct td_drain *drain);
/* Lane counters as the core keeps them. */
int td_drain_lane_ctrl(struct td_drain *drain, uint32_t lane_index, uint32_t ctrl[32], struct td_err *err);
/* Has the core joined this recording? If not, its counters are of another one. After td_drain_finish(). */
bool td_drain_lane_joined(const struct td_drain *drain, uint32_t lane_index);
const struct td_drain_stats *td_drain_get_stats(struct td_drain *drain);
/* Sets every lane's policy to off, so that no core waits for an agent any more, and leaves the board to the
 * next agent. NULL is fine. */
void td_drain_destroy(struct td_drain *drain);
