/* What the drawing thread spends on frames, in processor time: without waiting, and without the renderer. */
#pragma once
#include <stdint.h>

struct td_frame_cost { /* all zero: nothing yet */
    uint64_t frames;
    int64_t total_ns, worst_ns;
    int64_t since_ns, spent_ns; /* of the frame that is being made; since_ns 0: paused */
};

/* Only what the thread does between resume and pause counts. */
void td_frame_cost_resume(struct td_frame_cost *cost);
void td_frame_cost_pause(struct td_frame_cost *cost);
/* While paused: the frame is made. */
void td_frame_cost_add(struct td_frame_cost *cost);
/* While paused, before the thread waits: what it did without making a frame may be the worst, too, but is no part of the
 * next frame. */
void td_frame_cost_wait(struct td_frame_cost *cost);
/* What the frames until now cost; counts anew. */
struct td_frame_cost td_frame_cost_take(struct td_frame_cost *cost);
