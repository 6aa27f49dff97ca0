/* Board source: one board's lanes become events of the hub.
 *
 * poll() drains and decodes; times stay in device ticks until finish(), when clock samples from before and
 * after every event are known, so that each is mapped between two samples and never beyond the last. One
 * thread.
 */
#ifndef TD_HOST_AGENT_BOARD_BOARD_SOURCE_H
#define TD_HOST_AGENT_BOARD_BOARD_SOURCE_H
#include "host/device/board/board.h"
#include "host/event/event.h"
#include "proto/device/lane.h"

struct td_board_source;

struct td_board_source_options {
    enum td_policy policy;
    int virtual_clock;        /* device time is not real time: tick 0 is the trace's start, no sync */
    int poll;                 /* no gatherer, even where there is one */
    struct td_gather *gather; /* takes what lanes hold; NULL: the transport's own, if any */
    uint64_t memory_bytes;    /* what events take in memory until finish, the rest in a file; 0: no limit */
    const char *const *elf_dirs; /* where the kernels' ELFs are found by build id */
    size_t elf_dir_count;
};

struct td_board_summary {
    uint32_t lanes, lanes_used;
    uint64_t zones, messages, points;
    uint64_t lost_zones, lost_other, stalls, bad_slots;
    uint64_t link_lost_slots, link_bad_frames; /* between a gatherer and here; the slots are in lost_other */
    uint64_t left_open;     /* of the zones: open when their launch or the recording ended */
    uint64_t unnamed_sites; /* packets whose site no ELF explained */
    uint32_t faults, damages;
    double clock_error_ns; /* bound; negative: no sync (virtual clock) */
};

/* `transport` and `board` must outlive the source. Arms the lanes. */
struct td_board_source *td_board_source_create(struct td_transport *transport, const struct td_board *board,
                                               const struct td_board_source_options *options,
                                               struct td_dict *dict, struct td_err *err);
/* Disarms the lanes. NULL is allowed. */
void td_board_source_destroy(struct td_board_source *source);
/* One round; *taken = slots taken, 0 = idle. */
int td_board_source_poll(struct td_board_source *source, size_t *taken, struct td_err *err);
/* Waits up to timeout_ms until lanes may hold something. Negative, at once: this board cannot wait. */
int td_board_source_wait(struct td_board_source *source, int timeout_ms, struct td_err *err);
/* Takes a clock sample of each chip: `reads` reads, the tightest counts. */
int td_board_source_sync(struct td_board_source *source, int reads, struct td_err *err);
/* Bytes of events that wait for finish(), and how many of them are in a temporary file. */
void td_board_source_waiting(const struct td_board_source *source, uint64_t *bytes, uint64_t *in_file);
/* Drains what is left, leaves the board to others and hands all events to the hub. With board_gone, only what
 * arrived before. Times: ns since host tick t0. */
int td_board_source_finish(struct td_board_source *source, int board_gone, struct td_hub *hub, uint64_t t0,
                           double ns_per_tick, struct td_err *err);
/* Valid after finish. */
const struct td_board_summary *td_board_source_summary(const struct td_board_source *source);
/* Why the board went away in finish, which then keeps what arrived before; NULL: it did not. */
const struct td_err *td_board_source_gone(const struct td_board_source *source);
/* One line a core that stopped by a fault; index 0 .. summary.faults-1. */
const char *td_board_source_fault(const struct td_board_source *source, uint32_t index);
/* One line a lane, or a tile, whose control words or ring a kernel has written over; index 0 ..
 * summary.damages-1. */
const char *td_board_source_damage(const struct td_board_source *source, uint32_t index);
/* First kernel whose ELF was not found, its build id in hex, or NULL. */
const char *td_board_source_missing_image(const struct td_board_source *source);
#endif
