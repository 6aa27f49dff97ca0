/* What `perf script` prints, as a format of `tendril import`; perf_data.c reads it from the program itself. */
#pragma once
#include "host/agent/import/importer.h"

void *td_perf_script_create(struct td_hub *hub); /* NULL: no memory */
void td_perf_script_destroy(void *self);         /* NULL is allowed */
int td_perf_script_feed(void *self, const uint8_t *bytes, size_t count, struct td_err *err);
int td_perf_script_end(void *self, bool *cut, struct td_err *err);
const struct td_timeline_counts *td_perf_script_counts(const void *self);
