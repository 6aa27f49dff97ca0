/* Writes profile_log_device.csv of a trace while its launches are read, and zone_src_locations.log after
 * it. Errors of the stream are left in it (ferror()). */
#pragma once
#include "host/report/ops/core_walk.h"
#include "host/tt/device_log_write.h"

#include <stdio.h>

struct td_log_csv;
/* Writes the head. `to` may be NULL: only the zones are collected. NULL: no memory. The trace and the
 * stream must outlive the object. */
struct td_log_csv *td_log_csv_create(FILE *to, const struct td_trace *trace, enum td_tt_log_era era);
void td_log_csv_destroy(struct td_log_csv *log); /* NULL is allowed */
/* For td_trace_source_read(). */
struct td_core_marks td_log_csv_marks(struct td_log_csv *log);
/* An operation that is complete. If its launches have no firmware zones, each of its cores gets rows of
 * BRISC-FW, from the first kernel's start to one cycle after the last one's end: tt-metal's scripts find
 * operations by such zones. */
void td_log_csv_op(struct td_log_csv *log, const struct td_op_sum *op);
uint64_t td_log_csv_rows(const struct td_log_csv *log);
/* A line for each zone of cores that was written. */
int td_log_csv_zone_sources(const struct td_log_csv *log, FILE *to);
