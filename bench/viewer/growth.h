/* What watching a live session takes beside recording it: the memory of a process that records a program's events and
 * draws them meanwhile, less that of one that only records the same events. Both before the model is finished. */
#pragma once
#include "bench/report.h"

#include <stdbool.h>

/* Runs the program and both processes. 0, or -1: reported. */
int report_growth(struct report *report, bool quick);
/* Such a process, "viewer growth PORT recorder|viewer": prints the bytes that the session took. */
int watch_growth(struct report *report, const char *port, const char *as);
