/* What a search has found in the frames of the chosen set, for the panel Frames. */
#pragma once
#include "host/query/rows/frame_matches.h"

struct td_view;

struct frames_found { /* all zero: nothing */
    struct td_job job;
    const struct td_trace *trace; /* the request of the job */
    struct td_matches *matches;   /* shared with the search */
    struct td_lane_choice lanes;
    uint64_t lanes_key;
    uint32_t set;
    int64_t now_ns;
    struct td_frame_matches made, shown;
    uint32_t shown_set;
};

/* Starts to count if the search, the set or the filter of lanes has changed, and takes what was counted. */
void td_frames_found_update(struct td_view *view, struct frames_found *found);
void td_frames_found_free(struct frames_found *found);
/* Whether frames are marked: there is a search, or a zone is selected. */
bool td_frames_found_any(const struct td_view *view, const struct frames_found *found);
/* The greatest time that matches take of one of the frames first to end - 1; 0: they are not in these frames. Without
 * a search, the frames of the selected zone have TD_FRAME_TOUCHED. */
float td_frames_found_in(const struct td_view *view, const struct frames_found *found, size_t first,
                         size_t end);
/* ", 12 of 64 with matches", or "". */
const char *td_frames_found_text(const struct td_view *view, const struct frames_found *found, char *text,
                                 size_t bytes);
