/* What the panel Instances costs: the time until the histogram of 10 million zones of a name is there, and memory for
 * a zone while the panel makes that histogram, the groups and the lists. */
#pragma once
#include "bench/report.h"

#include <stdbool.h>

/* 0, or -1: reported. */
int report_histogram(struct report *report, bool quick);
