/* The frames of both traces in the panel Compare: numbers and a histogram of the chosen frame set. */
#pragma once
#include "host/query/diff/comparison.h"
#include "host/viewer/model/panel.h"

struct compare_frames { /* all zero: nothing */
    struct td_job job;
    const struct td_comparison *comparison; /* the request of the job */
    uint32_t set;
    struct td_compared_frames made, shown;
    bool any;
};

/* Counts the frames of the chosen set if it has changed, and takes what was counted. */
void td_compare_frames_update(struct td_view *view, struct compare_frames *frames,
                              const struct td_comparison *comparison);
/* Ends the work before the comparison is freed. */
void td_compare_frames_free(struct compare_frames *frames);
/* Draws the button for the set, the numbers and the histogram. */
void td_draw_compare_frames(struct td_view *view, const struct compare_frames *frames,
                            const struct td_rect *place);
