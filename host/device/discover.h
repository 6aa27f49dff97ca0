/* Finds the known boards on this machine: running simulators, PCI devices, cards with the vendor's driver,
 * probes on USB. It opens only the simulators' files, to read which board they are, and changes nothing. */
#pragma once
#include "host/device/board/board.h"

struct td_discovered {
    char where[300];   /* as td_transport_open() takes it */
    char boards[200];  /* names of the boards that it can be, with commas; "": the board reports its name */
    char what[200];    /* for the user */
    char why_not[300]; /* "", or why it cannot be opened, as far as can be seen without trying */
};

/* Where to look; {0}: where it all is on Linux. */
struct td_discover_roots {
    const char *sysfs;          /* "/sys" */
    const char *tenstorrent;    /* "/dev/tenstorrent" */
    const char *const *folders; /* of simulators' files, ended by NULL: /dev/shm, $TMPDIR, /tmp */
    int no_usb;                 /* 1: leave USB alone */
};

/* Calls `seen` with each; stops when that returns other than 0 and returns it. TD_E_NOMEM or TD_E_IO (errno):
 * a folder cannot be looked through. */
int td_discover_each(const struct td_discover_roots *roots, const struct td_board *boards, size_t board_count,
                     int (*seen)(void *self, const struct td_discovered *present), void *self);
