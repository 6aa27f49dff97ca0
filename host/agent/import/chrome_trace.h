/* A trace in Chrome's format (JSON), into the hub: zones from B, E, X, b and e, messages from i and I, frames
 * from those named "frame", plots from C, names of threads from M. Events are kept in a small form (48 bytes
 * each) until the end, since they may come in any order. Bytes may be hostile. */
#ifndef TD_HOST_AGENT_IMPORT_CHROME_TRACE_H
#define TD_HOST_AGENT_IMPORT_CHROME_TRACE_H
#include "host/event/event.h"

struct td_chrome;
struct td_chrome *td_chrome_create(struct td_hub *hub);   /* NULL: no memory */
void td_chrome_destroy(struct td_chrome *chrome);         /* NULL is allowed */
int td_chrome_begins(const uint8_t *bytes, size_t count); /* 1: bytes that begin so may be one */
int td_chrome_feed(struct td_chrome *chrome, const uint8_t *bytes, size_t count, struct td_err *err);
/* The end of the bytes: everything goes to the hub. */
int td_chrome_close(struct td_chrome *chrome, struct td_err *err);

struct td_chrome_counts {
    uint64_t zones, messages, frames, plot_points;
    uint64_t ignored; /* of kinds that say nothing here, or without what they must have */
    int cut;          /* it breaks off */
};
const struct td_chrome_counts *td_chrome_get_counts(const struct td_chrome *chrome);
#endif
