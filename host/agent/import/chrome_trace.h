/* Imports a trace in Chrome's format (JSON) into the hub: zones from B, E, X, b and e; messages from i and I;
 * frames from those of them whose name contains "frame"; plots from C; names of threads from M.
 *
 *   create; feed all bytes, in any pieces; close; read the counts; destroy
 *
 * Events may be in any order, so they are kept in a small form until close. Bytes may be hostile. Not
 * thread-safe. */
#ifndef TD_HOST_AGENT_IMPORT_CHROME_TRACE_H
#define TD_HOST_AGENT_IMPORT_CHROME_TRACE_H
#include "host/event/event.h"

#include <stdbool.h>

struct td_chrome;
struct td_chrome *td_chrome_create(struct td_hub *hub); /* NULL: no memory */
void td_chrome_destroy(struct td_chrome *chrome);       /* NULL is allowed */
/* A file that begins with these bytes may be a Chrome trace. */
bool td_chrome_begins(const uint8_t *bytes, size_t count);
/* 0, TD_E_FORMAT or TD_E_NOMEM. */
int td_chrome_feed(struct td_chrome *chrome, const uint8_t *bytes, size_t count, struct td_err *err);
/* Ends the stream of bytes and pushes all events to the hub. 0 or a negative enum td_e. */
int td_chrome_close(struct td_chrome *chrome, struct td_err *err);

struct td_chrome_counts {
    uint64_t zones, messages, frames, plot_points;
    uint64_t ignored; /* events of other kinds, or without a field that they must have */
    int cut;          /* 1: the trace breaks off */
};
const struct td_chrome_counts *td_chrome_get_counts(const struct td_chrome *chrome);
#endif
