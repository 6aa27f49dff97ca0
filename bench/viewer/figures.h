/* What the panel Zones costs: the time until the sums over 50 million zones are there, which other panels share, and
 * until their percentiles are, for each way to measure a zone. */
#pragma once
#include "bench/report.h"

#include <stdbool.h>

/* 0, or -1: reported. */
int report_figures(struct report *report, bool quick);
