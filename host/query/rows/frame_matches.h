/* How much of each frame of a set the zones take that a search has found. */
#pragma once
#include "host/query/rows/frame_times.h"
#include "host/query/task/lane_choice.h"
#include "host/query/sums/matches.h"

struct td_frame_matches { /* all zero: none */
    float *ns;   /* of each frame: the time of the matches in it, of all tracks; at least TD_FRAME_TOUCHED if
                             there is one, else 0 */
    float *most; /* the greatest of each block of TD_FRAME_BLOCK frames */
    size_t frames, found; /* found: frames with matches */
};
#define TD_FRAME_TOUCHED .5f

/* Open zones and frames last until now_ns. `lanes` and `job` may be NULL. 0, TD_E_NOMEM or TD_E_STOPPED;
 * td_frame_matches_free() frees the result in any case. */
int td_frame_matches_make(struct td_frame_matches *made, const struct td_trace *trace, uint32_t set,
                          const struct td_matches *matches, const struct td_lane_choice *lanes,
                          int64_t now_ns, struct td_job *job);
void td_frame_matches_free(struct td_frame_matches *made);
/* The greatest time of the frames first to end - 1. */
float td_frame_matches_most(const struct td_frame_matches *matches, size_t first, size_t end);
