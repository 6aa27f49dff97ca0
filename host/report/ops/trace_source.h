/* Launches of all cores of a trace, in order of their starts: one pass, with one walk for each core.
 *
 * td_trace_source_read() reads a finished trace. A follower reads a trace that is being filled: each call of
 * td_trace_follow_read() takes the launches that have ended since the call before. */
#pragma once
#include "host/report/ops/core_walk.h"
#include "host/report/ops/op.h"
#include "proto/chip_text.h"

/* The clock of a device: as the trace notes it, else with mhz 0. */
struct td_chip_clock td_trace_source_chip(const struct td_trace *trace, uint32_t device);
/* The same for td_op_sums_options: times are ns. */
struct td_op_clock td_trace_source_clock(const struct td_trace *trace, uint32_t device);

/* `marks` may be NULL. Gives the launches to the sums, which give their operations on the way and at the
 * end. *zones: how many zones were read. */
int td_trace_source_read(const struct td_trace *trace, struct td_op_sums *sums,
                         const struct td_core_marks *marks, uint64_t *zones, struct td_err *err);

struct td_trace_follower;
struct td_trace_follower *td_trace_follower_create(const struct td_trace *trace, struct td_op_sums *sums);
void td_trace_follower_destroy(struct td_trace_follower *follower); /* NULL is allowed */
/* Gives the operations that are complete. May run while the trace is filled. */
int td_trace_follower_read(struct td_trace_follower *follower, struct td_err *err);
