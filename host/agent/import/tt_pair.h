/* Pairs begins and ends of zones of one core, and makes events of its items. */
#pragma once
#include "host/agent/import/tt_lanes.h"

#define TD_TT_PUSH_BATCH 1024

/* Where events go. */
struct td_tt_push {
    struct td_hub *hub;
    struct td_dict *dict;
    struct td_tt_lane_counts *counts;
    uint32_t track;                /* of the lane that is pushed */
    const struct td_tt_chip *chip; /* of that lane */
    enum td_tt_noc_layout noc_layout;
    uint32_t no_end_text; /* string, 0: not made yet */
    struct td_event events[TD_TT_PUSH_BATCH];
    size_t count;
};
int td_tt_push_rest(struct td_tt_push *push, struct td_err *err);

/* A zone that ends after one around it has ended. */
struct td_tt_crossing {
    int64_t begin;
    uint32_t srcloc, text, end; /* end: order of that item */
};

/* The zones of a lane that are open, the outermost first. All zero: none. */
struct td_tt_pair {
    uint32_t *open; /* source locations */
    size_t count, capacity;
    struct td_tt_crossing *crossing; /* that are open; not in `open` */
    size_t crossing_count, crossing_capacity;
    int64_t last_cycle;
    bool has_begun;
};
void td_tt_pair_free(struct td_tt_pair *pair);
/* Takes items in order of time; all items of a time come in one call. An end closes the innermost zone of
 * its location; zones inside of it whose ends are missing end with it, and zones whose ends come later keep their
 * times: they are events of their own, which the model puts on lines of their own. Of items of one time, ends of the
 * zones that are open come first, the innermost before the outer ones. */
int td_tt_pair_push(struct td_tt_pair *pair, struct td_tt_push *push, const struct td_tt_item *items,
                    size_t count, struct td_err *err);
/* Ends the zones that are open, at the time of the lane's last item. */
int td_tt_pair_end(struct td_tt_pair *pair, struct td_tt_push *push, struct td_err *err);
