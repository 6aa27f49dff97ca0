/* How much of the picture the zones that a search has found cover. */
#pragma once
#include "host/query/sums/matches.h"
#include "host/viewer/timeline/pyramid.h"

/* The length of the matches among zones first .. end - 1. */
double td_matches_sum_ns(const struct td_match_row *row, struct td_row_reader *reader, uint64_t first,
                         uint64_t end);
/* Adds what matches cover of the cells, in ns; see td_pyramid_cover(). */
void td_matches_cover(const struct td_match_row *row, const struct td_pyramid *pyramid,
                      struct td_row_reader *reader, double start_ns, double cell_ns, unsigned cells,
                      double *covered_ns);
