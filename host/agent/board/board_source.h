/* Board source: turns the packets of a board's lanes into events of the hub.
 *
 * poll drains and decodes. Times stay in device ticks until there are clock samples from before and after
 * them. After td_board_source_stream() each clock sample sends on to the hub what later samples and packets
 * cannot change: usually all that is older than two samples, and zones that are open. The rest follows at the
 * end. Without that call, and in virtual time, all events wait until finish. Not thread-safe.
 */
#pragma once
#include "host/agent/board/core_sampler.h"
#include "host/agent/board/tt_options.h"
#include "host/device/board/board.h"
#include "host/event/event.h"
#include "proto/bill_text.h"
#include "proto/clock_text.h"
#include "proto/device/lane.h"

struct td_board_source;
struct td_board_tap;

struct td_board_source_options {
    enum td_policy policy;
    uint16_t first_chip;      /* number of the board's chip 0 in the trace */
    uint32_t first_lane;      /* lanes of boards before this one */
    int virtual_clock;        /* 1: device time is not real time; tick 0 is the trace's start, no sync */
    int64_t unrelated_ns;     /* the trace's time at a device's time 0 if their clocks were never compared */
    bool followed;            /* the trace is read before it is finished */
    int poll;                 /* 1: use no gatherer, even if there is one */
    struct td_gather *gather; /* empties the lanes; NULL: the transport's own, if any */
    uint64_t memory_bytes;    /* waiting events in memory, the rest is in a file; 0: no limit */
    const char *spill_folder; /* for that file, as of td_store_set_folder() */
    const char *const *elf_dirs; /* searched for the kernels' ELFs by build id */
    size_t elf_dir_count;
    struct td_core_sampling sampling; /* of the cores' program counters; hz 0: none */
    struct td_client_spaces *spaces;  /* of the trace's processes; NULL: there are none */
    const struct td_board_tap *tap;   /* board_tap.h; NULL: none; must outlive the source */
    /* place not NULL: there are no lanes of ours; the cores' zones are those of tt-metal's own device profiler,
     * which is only read. */
    struct td_tt_buffers_options tt_buffers;
};

struct td_board_summary {
    uint32_t lanes, lanes_used;
    uint64_t zones, messages, points;
    uint64_t lost_zones, lost_other, stalls, bad_slots;
    uint64_t link_lost_slots, link_bad_frames; /* between a gatherer and here; the slots are in lost_other */
    uint64_t left_open;     /* of the zones: open when their launch or the recording ended */
    uint64_t unnamed_sites; /* packets whose site is in no ELF */
    uint64_t samples, unnamed_samples, missed_samples; /* unnamed: no function is known there */
    uint32_t faults, damages;
    /* Lanes of which it is not known what they lost: a kernel has written over them, or the board was lost during a
     * launch. lost_zones and lost_other are at least that. */
    uint32_t unknown_lanes;
    double clock_error_ns; /* upper bound; negative: no sync (virtual clock) */
    /* Of tt-metal's buffers (tt_buffers.h). */
    uint64_t tt_launches, tt_missed, tt_full, tt_ring_launches, tt_lost_words;
};

/* Arms the lanes. `transport` and `board` must outlive the source. NULL: *err says why. */
struct td_board_source *td_board_source_create(struct td_transport *transport, const struct td_board *board,
                                               const struct td_board_source_options *options,
                                               struct td_dict *dict, struct td_err *err);
/* Disarms the lanes. NULL is allowed. */
void td_board_source_destroy(struct td_board_source *source);
/* From now on events go to the hub while the board runs, with times in ns since host tick t0. To be called
 * before the first poll; `hub` must outlive finish. Has no effect in virtual time, where the order in which
 * the lanes' events reach the hub has to be the same in each run. */
void td_board_source_stream(struct td_board_source *source, struct td_hub *hub, uint64_t t0,
                            double ns_per_tick);
/* Drains the lanes once. *taken: slots taken; 0: the board is idle. 0 or a negative enum td_e, as below. */
int td_board_source_poll(struct td_board_source *source, size_t *taken, struct td_err *err);
/* Waits for at most timeout_ms until lanes may have packets. Negative, at once: this board cannot wait. */
int td_board_source_wait(struct td_board_source *source, int timeout_ms, struct td_err *err);
/* Takes a clock sample of each chip: the best of `reads` reads. Then sends on what is due. TD_E_NOMEM may be
 * the hub's. */
int td_board_source_sync(struct td_board_source *source, int reads, struct td_err *err);
/* Bytes that events which wait unpacked will take as rows. */
uint64_t td_board_source_waiting(const struct td_board_source *source);
/* Drains the lanes for the last time, releases the board and pushes the events that were not sent on yet to
 * the hub, with times in ns since host tick t0. board_gone: does not access the board, pushes only what
 * arrived before. */
int td_board_source_finish(struct td_board_source *source, int board_gone, struct td_hub *hub, uint64_t t0,
                           double ns_per_tick, struct td_err *err);
/* The following are valid after finish. */
const struct td_board_summary *td_board_source_summary(const struct td_board_source *source);
/* The earliest time of its events where that is up to 12 h before the recording began, else when that was. A launch
 * that is read from tt-metal's buffers may have begun before; a broken clock must not stretch the trace. */
int64_t td_board_source_begin_ns(const struct td_board_source *source, int64_t began_ns);
/* The number of the board's chip 0 in the trace. */
uint32_t td_board_source_first_chip(const struct td_board_source *source);
/* After the events were pushed: the bound on the error of the chip's times over time, in at most `room` parts.
 * Returns how many; 0: its clock is not related to the host's. */
size_t td_board_source_clock_parts(const struct td_board_source *source, uint32_t chip,
                                   struct td_clock_part *parts, size_t room);
/* Why the board went away during finish, which then pushed what arrived before. NULL: it did not. */
const struct td_err *td_board_source_gone(const struct td_board_source *source);
/* What markers have cost the core of a lane, below summary.lanes; false: it has recorded nothing. */
bool td_board_source_bill(const struct td_board_source *source, uint32_t lane, struct td_bill *bill);
/* A line about a core that stopped by a fault; index below summary.faults. */
const char *td_board_source_fault(const struct td_board_source *source, uint32_t index);
/* A line about a lane or tile whose control words or ring a kernel has overwritten; index below
 * summary.damages. */
const char *td_board_source_damage(const struct td_board_source *source, uint32_t index);
/* tt-metal's buffers were to be read, and none were found. */
bool td_board_source_lacks_tt_buffers(const struct td_board_source *source);
/* Zones of the tiles' timestampers were not read, because a probe or relay had the lanes. */
bool td_board_source_lacks_stamps(const struct td_board_source *source);
/* The build id, in hex, of the first kernel whose ELF was not found; NULL: all were found. */
const char *td_board_source_missing_image(const struct td_board_source *source);
