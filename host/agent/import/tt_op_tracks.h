/* Tracks of operations: the host's, and for each chip those of its operations. Zones that overlap without
 * one being inside of the other get tracks of their own. Not thread-safe. */
#pragma once
#include "host/event/event.h"

#define TD_TT_OP_HOST UINT32_MAX /* as a chip: the host */

struct td_tt_op_zone {
    int64_t start_ns, end_ns;
    uint32_t chip, name, text; /* name, text: strings */
    size_t order;              /* set by td_tt_op_tracks_add() */
};

struct td_tt_op_tracks;
struct td_tt_op_tracks *td_tt_op_tracks_create(struct td_hub *hub); /* NULL: no memory */
void td_tt_op_tracks_destroy(struct td_tt_op_tracks *tracks);       /* NULL is allowed */
/* A message on the host's first track. */
int td_tt_op_tracks_message(struct td_tt_op_tracks *tracks, int64_t time_ns, uint32_t text,
                            struct td_err *err);
int td_tt_op_tracks_add(struct td_tt_op_tracks *tracks, const struct td_tt_op_zone *zone, struct td_err *err);
/* Pushes the zones; to be called once. */
int td_tt_op_tracks_push(struct td_tt_op_tracks *tracks, struct td_err *err);
