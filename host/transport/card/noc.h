/* The noc transport: tiles by chip, coordinates and address through a limited set of windows.
 *
 * Windows that point somewhere are kept and used again; when there are no more, the one that was used least
 * lately is pointed anew; where a table of windows that is shared with other processes is full, each leaves
 * half of what it got to those that come after it. What crosses a window's end is done in pieces. Long reads
 * go through windows with relaxed order, writes and short reads through windows with strict order; before
 * something could overtake a write to the same tile, that write is read back. So all is in order as
 * transport.h promises. */
#ifndef TD_HOST_TRANSPORT_CARD_NOC_H
#define TD_HOST_TRANSPORT_CARD_NOC_H
#include "host/transport/card/window.h"

struct td_noc_config {
    struct td_windows *windows;
    const char *name;           /* of the transport */
    struct td_transport *under; /* controls and description come from there; may be NULL */
    int exclusive, cleans_up;
    uint32_t max_windows; /* 0: what is usual */
};
/* Takes windows and `under` over, also when it fails. */
struct td_transport *td_noc_open(const struct td_noc_config *config, struct td_err *err);

struct td_noc_stats {
    uint64_t points; /* times a window was pointed */
    uint64_t again;  /* of these: one that had pointed elsewhere */
    uint64_t readbacks;
    uint32_t windows;
};
const struct td_noc_stats *td_noc_get_stats(const struct td_transport *t);
#endif
