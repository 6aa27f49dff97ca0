/* A trace in a picture without a window, and what its frames cost: the processor time of the main thread for
 * building them while the timeline rests, pans and zooms. */
#pragma once
#include "bench/report.h"
#include "host/viewer/timeline/view.h"

struct stage {
    struct report *report;
    bool quick; /* few frames a motion */
    struct td_ui *ui;
    struct td_view view;
};

/* These return 0, or -1: reported. */
int open_stage(struct stage *s, int width, int height);
int show_trace(struct stage *s, struct td_trace *trace); /* end with td_view_free(&s->view) */
void close_stage(struct stage *s);
/* Draws until nothing is missing. 0, or -1: that takes more than a minute. */
int settle_stage(struct stage *s);
/* The mean time of a frame in the slowest motion. 0, or -1: reported. */
int measure_frames(struct stage *s, double *worst_ms);
