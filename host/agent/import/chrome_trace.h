/* Imports a trace in Chrome's format (JSON) into the hub: zones from B, E, X and from the operations of b, e, n and
 * S, T, p, F; messages from i, I, R; frames from those of them whose name contains "frame"; flows from s, t, f; plots
 * from C; names of processes and threads and facts from M.
 *
 *   create; feed all bytes, in any pieces; close; read the counts; destroy
 *
 * Events may be in any order, so they are kept in a small form until close. Events that are damaged are left out and
 * counted. Bytes may be hostile. Not thread-safe. */
#ifndef TD_HOST_AGENT_IMPORT_CHROME_TRACE_H
#define TD_HOST_AGENT_IMPORT_CHROME_TRACE_H
#include "host/agent/import/timeline.h"

struct td_chrome;
struct td_chrome *td_chrome_create(struct td_hub *hub); /* NULL: no memory */
void td_chrome_destroy(struct td_chrome *chrome);       /* NULL is allowed */
/* A file that begins with these bytes may be a Chrome trace. */
bool td_chrome_begins(const uint8_t *bytes, size_t count);
/* 0, TD_E_FORMAT or TD_E_NOMEM. */
int td_chrome_feed(struct td_chrome *chrome, const uint8_t *bytes, size_t count, struct td_err *err);
/* Ends the stream of bytes and pushes all events to the hub. 0 or a negative enum td_e. TD_E_FORMAT: also if there are
 * events and all are damaged. */
int td_chrome_close(struct td_chrome *chrome, struct td_err *err);
const struct td_timeline_counts *td_chrome_get_counts(struct td_chrome *chrome);
bool td_chrome_is_cut(const struct td_chrome *chrome); /* after close: the trace breaks off */
#endif
