/* Transport: how the host reaches memory and clock of a board's tiles. One interface, a folder-mate each: shm
 * (simulator) now; pcie, noc, usb, serial later.
 *
 * A tile is named by chip and NoC 0 coordinates. Addresses are the tile's own. All calls return 0 or a
 * negative enum td_e (TD_E_GONE: the board went away). One transport handle may be used by one thread at a
 * time; open several.
 */
#ifndef TD_HOST_TRANSPORT_TRANSPORT_H
#define TD_HOST_TRANSPORT_TRANSPORT_H
#include "host/base/err.h"
#include <stddef.h>
#include <stdint.h>

struct td_tile_at {
    uint16_t chip, x, y;
};

struct td_clock_sample {
    uint64_t host_before, host_after; /* td_host_ticks() around the read */
    uint64_t ticks;                   /* the tile's wall clock, 64 bits */
};

struct td_transport;
struct td_transport_ops {
    const char *name;
    /* Reads and writes are in order with each other as seen by the tile; 4-byte aligned words are never torn.
     */
    int (*read)(struct td_transport *t, struct td_tile_at at, uint64_t address, void *to, size_t bytes,
                struct td_err *err);
    int (*write)(struct td_transport *t, struct td_tile_at at, uint64_t address, const void *from,
                 size_t bytes, struct td_err *err);
    /* A pointer to tile memory, valid until close, or NULL where the transport cannot. */
    void *(*map)(struct td_transport *t, struct td_tile_at at, uint64_t address, size_t bytes);
    /* One clock read, as tight as the transport can. */
    int (*clock)(struct td_transport *t, struct td_tile_at at, struct td_clock_sample *sample,
                 struct td_err *err);
    /* TD_OK while the board answers, TD_E_GONE when it does not any more. Cheap: called every poll. */
    int (*alive)(struct td_transport *t, struct td_err *err);
    void (*close)(struct td_transport *t);
};
struct td_transport {
    const struct td_transport_ops *ops;
};

static inline void td_transport_close(struct td_transport *t)
{
    if (t)
        t->ops->close(t);
}
#endif
