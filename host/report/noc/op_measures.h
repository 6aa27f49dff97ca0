/* What kernels measured during operations, beyond zones: transfers over the NoC (noc_transfers.h),
 * performance counters of tiles (proto/device/perf_counters.h), and the work of dispatch cores for an
 * operation.
 *
 * create; give its marks to td_trace_source_read(); get; destroy
 *
 * A dispatch core has zones "CQ-DISPATCH..." around its commands, and in them, as tt-metal's firmware
 * writes it, a value "runtime_host_id_dispatch: RUN HOST ID". */
#pragma once
#include "host/report/ops/core_walk.h"

/* A message of a core with what a counter has counted, "counter FPU_COUNTER: 12 of 4096": the bytes of the name, which
 * begins behind TD_COUNTER_TEXT; 0: it is none. */
#define TD_COUNTER_TEXT "counter "
size_t td_counter_read(const char *text, uint64_t *value, uint64_t *cycles);

/* Of one counter: its share of the cycles counted, in percent, of the cores that recorded it. */
struct td_op_counter {
    const char *name; /* "FPU_COUNTER"; valid as long as the trace */
    double min, median, max;
    double sum; /* over the cores */
    uint32_t cores;
};

struct td_op_measured {
    bool has_noc;
    /* Bytes x links of their ways: over all links, and those of multicasts. `links`: of both NoCs of the
     * chip. */
    uint64_t link_bytes, multicast_bytes, links;
    /* Lengths from the first to the last zone of dispatch cores; -1: there were none. */
    int64_t dispatch_ns, go_ns;     /* on BRISC; on NCRISC, which sends the go signal */
    struct td_op_counter *counters; /* by name; the caller frees */
    size_t counter_count;
};

struct td_op_measures;
struct td_op_measures *td_op_measures_create(const struct td_trace *trace); /* NULL: no memory */
void td_op_measures_destroy(struct td_op_measures *measures);               /* NULL is allowed */
struct td_core_marks td_op_measures_marks(struct td_op_measures *measures);
/* False: nothing was measured; then nothing is to be freed. */
bool td_op_measures_get(const struct td_op_measures *measures, const struct td_op_sum *op,
                        struct td_op_measured *measured);
