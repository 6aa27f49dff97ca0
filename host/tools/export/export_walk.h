/* What the writers of zones share. */
#pragma once
#include "host/query/table/track_name.h"
#include "host/tools/export/export.h"
#include "host/trace/walk.h"

/* Enters and leaves each zone of a track, depth first. `visit` returns 0, or a negative enum td_e that ends the walk.
 * *done counts zones for the progress. */
int export_each_zone(const struct export_work *work, uint32_t track, uint64_t *done,
                     int (*visit)(void *self, const struct td_step *step), void *self, struct td_err *err);

/* The name of a zone: a string of the dictionary. */
uint32_t export_zone_name(const struct td_trace *trace, const struct td_zone *zone);
