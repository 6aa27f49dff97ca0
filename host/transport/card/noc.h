/* The noc transport: tiles by chip, coordinates and address through a limited set of windows.
 *
 * Windows stay pointed and are used again. When no more can be had, the least recently used one is pointed
 * anew. When the windows that processes share run out, a process gives half of its own back for later
 * ones. An access that crosses a window's end is done in pieces. Long reads use windows with relaxed
 * order; writes and short reads use windows with strict order. Before an access could overtake a write to
 * the same tile, that write is read back. This gives the order that transport.h promises. */
#pragma once
#include "host/transport/card/window.h"

struct td_noc_config {
    struct td_windows *windows;
    const char *name;           /* of the transport */
    struct td_transport *under; /* has the controls and the description; may be NULL */
    int exclusive, cleans_up;
    uint32_t max_windows; /* 0: the default */
};
/* Takes ownership of `windows` and `under`, also when it fails. */
struct td_transport *td_noc_open(const struct td_noc_config *config, struct td_err *err);

struct td_noc_stats {
    uint64_t points; /* times a window was pointed */
    uint64_t again;  /* of these: one that had pointed elsewhere */
    uint64_t readbacks;
    uint32_t windows;
};
/* What the provider of the windows found when it opened the board, for a user who looks for what is wrong: calls
 * `fact` with a name and a text. Does nothing for other transports. */
void td_noc_facts(struct td_transport *t, void (*fact)(void *self, const char *name, const char *text),
                  void *self);
const struct td_noc_stats *td_noc_get_stats(const struct td_transport *t);
