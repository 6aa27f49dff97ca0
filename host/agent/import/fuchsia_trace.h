/* Imports a trace in Fuchsia's format into the hub: zones from durations and asynchronous operations, messages from
 * instants and log records, plots from counters, flows, and names of processes and threads from kernel objects.
 *
 *   create; feed all bytes, in any pieces; close; read the counts; destroy
 *
 * Records may be in any order of time, so they are kept in a small form until close. Records that are damaged are
 * left out and counted. Bytes may be hostile. Not thread-safe. */
#ifndef TD_HOST_AGENT_IMPORT_FUCHSIA_TRACE_H
#define TD_HOST_AGENT_IMPORT_FUCHSIA_TRACE_H
#include "host/agent/import/timeline.h"

struct td_fuchsia;
struct td_fuchsia *td_fuchsia_create(struct td_hub *hub); /* NULL: no memory */
void td_fuchsia_destroy(struct td_fuchsia *fuchsia);      /* NULL is allowed */
/* A file that begins with these bytes is such a trace. */
bool td_fuchsia_begins(const uint8_t *bytes, size_t count);
/* 0 or TD_E_NOMEM. */
int td_fuchsia_feed(struct td_fuchsia *fuchsia, const uint8_t *bytes, size_t count, struct td_err *err);
/* Ends the stream of bytes and pushes all to the hub. 0 or a negative enum td_e. */
int td_fuchsia_close(struct td_fuchsia *fuchsia, struct td_err *err);
const struct td_timeline_counts *td_fuchsia_get_counts(struct td_fuchsia *fuchsia);
/* After close: the trace breaks off inside a record, or at a record without a length. */
bool td_fuchsia_is_cut(const struct td_fuchsia *fuchsia);
#endif
