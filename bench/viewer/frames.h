/* What frames of traces with many rows cost: lanes of a board, closed and open, plots, and threads with context
 * switches. */
#pragma once
#include "bench/report.h"

#include <stdbool.h>

#define FRAME_MS 4.0 /* the limit of a frame */

/* 0, or -1: reported. `quick`: with small traces. `name`: of one figure; NULL: all. */
int report_frames(struct report *report, bool quick, const char *name);
