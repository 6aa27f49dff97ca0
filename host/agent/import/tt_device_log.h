/* Rows of a device log become items of lanes: zones with the text of their launch, messages, plots of
 * counters. */
#pragma once
#include "host/agent/import/tt_lanes.h"

struct td_tt_device_log;
/* `file` is the name for error lines, and must outlive it, as `lanes` must. NULL: no memory. */
struct td_tt_device_log *td_tt_device_log_create(const char *file, struct td_tt_lanes *lanes,
                                                 struct td_dict *dict);
void td_tt_device_log_destroy(struct td_tt_device_log *log); /* NULL is allowed */
int td_tt_device_log_feed(struct td_tt_device_log *log, const void *bytes, size_t count, struct td_err *err);
int td_tt_device_log_end_stream(struct td_tt_device_log *log, bool *cut, struct td_err *err);

struct td_tt_device_log_counts {
    uint64_t rows, noc_events;
    uint64_t odd; /* rows of a type that is not known */
};
const struct td_tt_device_log_counts *td_tt_device_log_get_counts(const struct td_tt_device_log *log);

/* The text of a launch's zone: "op N" and the end of a flow from the host (proto/track.h), "trace T replay
 * R" if it is part of a trace (TD_TT_NO_TRACE: not), and "name NAME". A string; 0: there is nothing to
 * say; UINT32_MAX: no memory. */
uint32_t td_tt_launch_text(struct td_dict *dict, uint32_t run_host_id, uint32_t trace, uint32_t replay,
                           struct td_tt_text name);
