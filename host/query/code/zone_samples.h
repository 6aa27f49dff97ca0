/* Which samples were taken in zones of a name. */
#pragma once
#include "host/trace/trace.h"

#include <stdbool.h>

struct td_zone_samples {
    const struct td_trace *trace;
    const char *name;
    bool *locations; /* by source location: it has the name */
    uint32_t count;
};

int td_zone_samples_init(struct td_zone_samples *zones, const struct td_trace *trace,
                         const char *name); /* 0 or TD_E_NOMEM */
void td_zone_samples_free(struct td_zone_samples *zones);
/* Keeps the samples of a block that lie in such a zone of the track. Returns how many. */
size_t td_zone_samples_keep(const struct td_zone_samples *zones, uint32_t track, int64_t *times,
                            int64_t *stacks, size_t count);
