/* The cores of an import of tt-metal's files: puts their markers in order of time, pairs begins and ends
 * of zones, and pushes them to the hub.
 *
 *   create; add items of each lane in any order near that of time; end_stream; destroy
 *
 * Items wait until there are `waiting_max` of them. Then the oldest ones of each lane are pushed, all
 * but the last TD_TT_KEPT: files are out of order only within a launch, which has at most 254 markers. An
 * item that comes later than that is moved to the time that its lane has reached, and counted. So memory
 * does not grow with the file. Not thread-safe. */
#pragma once
#include "host/agent/import/tt_chip.h"
#include "host/event/event.h"
#include "host/event/map.h"
#include "host/tt/noc_trace.h"

#include <stdbool.h>

#define TD_TT_WAITING_MAX (4u << 20) /* items: 128 MiB */
#define TD_TT_KEPT        512u

enum td_tt_item_kind {
    TD_TT_ITEM_BEGIN,   /* what = source location, value = text of a launch << 32 | other text; strings */
    TD_TT_ITEM_END,     /* what = source location */
    TD_TT_ITEM_MESSAGE, /* what = string */
    TD_TT_ITEM_DATA,    /* what = string, the name; value */
    TD_TT_ITEM_NOC,     /* value as in a device log */
    TD_TT_ITEM_PLOT     /* what = plot, value = the bits of a double */
};
struct td_tt_item {
    int64_t cycle;
    uint64_t value;
    uint32_t what;
    uint32_t order; /* set by td_tt_lanes_add() */
    uint32_t kind;  /* enum td_tt_item_kind */
};

struct td_tt_lane_counts {
    uint64_t zones, messages, plot_points;
    uint64_t open;      /* zones without an end */
    uint64_t crossing;  /* zones that end after a zone around them */
    uint64_t unmatched; /* ends without a begin */
    uint64_t late;      /* items that came too late to be sorted */
    uint32_t cores, chips;
};

struct td_tt_lanes;
/* `waiting_max` is TD_TT_WAITING_MAX, except in tests. NULL: no memory. */
struct td_tt_lanes *td_tt_lanes_create(struct td_hub *hub, size_t waiting_max);
void td_tt_lanes_destroy(struct td_tt_lanes *lanes); /* NULL is allowed */

/* The chip, made at the first call; NULL: no memory. Valid until the next chip is made. */
struct td_tt_chip *td_tt_lanes_chip(struct td_tt_lanes *lanes, uint32_t chip);
/* ns by which times of the host are later in the trace than in their report: more than 0 if a device log
 * begins before the report's time 0. Known once items are pushed. */
int64_t td_tt_lanes_host_shift(const struct td_tt_lanes *lanes);
size_t td_tt_lanes_chip_count(const struct td_tt_lanes *lanes);
const struct td_tt_chip *td_tt_lanes_chip_at(const struct td_tt_lanes *lanes, size_t index);

/* The number of a core's lane. `risc` is its name in tt-metal's files. A negative enum td_e: TD_E_LIMIT if
 * a track cannot have such numbers. */
int64_t td_tt_lanes_find(struct td_tt_lanes *lanes, uint32_t chip, uint32_t x, uint32_t y,
                         struct td_tt_text risc, struct td_err *err);
/* The name of the lane's track, "chip 0 tile 1,2 BRISC". */
const char *td_tt_lanes_name(const struct td_tt_lanes *lanes, uint32_t lane);
int td_tt_lanes_add(struct td_tt_lanes *lanes, uint32_t lane, const struct td_tt_item *item,
                    struct td_err *err);
/* Called for each chip when its zero must be known: relates it to the host, if it can, by setting its mhz,
 * zero and is_related. */
typedef void td_tt_relate(void *self, struct td_tt_chip *chip);
void td_tt_lanes_set_relate(struct td_tt_lanes *lanes, td_tt_relate *relate, void *self);
/* Notes a launch of an operation, for td_tt_lanes_op_start(). 0 or TD_E_NOMEM. */
int td_tt_lanes_note_launch(struct td_tt_lanes *lanes, uint32_t chip, uint32_t run_host_id, int64_t cycle);
/* The first begin of an operation's launches. False: there is none. */
bool td_tt_lanes_op_start(const struct td_tt_lanes *lanes, uint32_t chip, uint32_t run_host_id,
                          int64_t *cycle);
/* All items wait until the end from now on: for files that may be out of order by more than a launch. */
void td_tt_lanes_keep_all(struct td_tt_lanes *lanes);
/* How the values of TD_TT_ITEM_NOC are made, as far as it is known. */
void td_tt_lanes_set_noc_layout(struct td_tt_lanes *lanes, enum td_tt_noc_layout layout);

/* Pushes all items, ends the zones that are open, and sets the zeros of all chips. */
int td_tt_lanes_end_stream(struct td_tt_lanes *lanes, struct td_err *err);
const struct td_tt_lane_counts *td_tt_lanes_get_counts(const struct td_tt_lanes *lanes);
