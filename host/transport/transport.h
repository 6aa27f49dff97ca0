/* Transport: how the host reaches memory and clock of a board's tiles. One interface, a folder-mate each.
 *
 * A tile is named by chip and NoC 0 coordinates. Addresses are the tile's own. All calls return 0 (or what
 * they say) or a negative enum td_e. TD_E_GONE: the board went away, for good; every later call says so
 * again, and fast. One handle may be used by one thread at a time; open several.
 *
 * Operations that a transport does not have are NULL.
 */
#ifndef TD_HOST_TRANSPORT_TRANSPORT_H
#define TD_HOST_TRANSPORT_TRANSPORT_H
#include "host/base/err.h"
#include "proto/probe/control.h"

#include <stddef.h>
#include <stdint.h>

struct td_tile_at {
    uint16_t chip, x, y;
};

struct td_clock_sample {
    uint64_t host_before, host_after; /* td_host_ticks() around the read */
    uint64_t ticks;                   /* the tile's wall clock, 64 bits */
};

/* Windows of one kind in a PCI BAR, and the register that points each of them: its address field begins at
 * bit 0, the others (X(name, bits)) where `shift` says. */
#define TD_WINDOW_REGISTER(X)                                                                                \
    X(x_end, 6)                                                                                              \
    X(y_end, 6) X(x_start, 6) X(y_start, 6) X(noc, 1) X(mcast, 1) X(ordering, 2) X(linked, 1) X(vc, 1)
enum td_window_field {
#define TD_X(name, bits) TD_WINDOW_##name,
    TD_WINDOW_REGISTER(TD_X)
#undef TD_X
        TD_WINDOW_FIELD_COUNT
};
struct td_window_kind {
    uint64_t bytes;      /* of one window, a power of two */
    uint32_t count;      /* that are ours to use */
    uint32_t bar;        /* PCI BAR in which they lie, */
    uint64_t bar_offset; /* from here on, one after the other */
    uint64_t registers;  /* place in BAR 0 of the register of window index 0 */
    uint32_t register_bytes;
    uint32_t first_index; /* of the first one of this kind */
    uint8_t shift[TD_WINDOW_FIELD_COUNT];
};

/* What a transport to hardware has to know of the board's description. */
struct td_transport_setup {
    uint32_t clock_low, clock_live_high; /* addresses of registers of a tile */
    int clock_steps; /* they are words that a simulator refreshes now and then, not a clock */
    const struct td_window_kind *kinds;
    size_t kind_count;
};

struct td_gather; /* host/transport/gather.h */

struct td_transport;
struct td_transport_ops {
    const char *name;
    /* Reads and writes are in order with each other as seen by the tile; 4-byte aligned words are never torn,
     * nor is an aligned piece of 8 bytes that lies in one write. Several pieces of one read may be of
     * different times, in any order. */
    int (*read)(struct td_transport *t, struct td_tile_at at, uint64_t address, void *to, size_t bytes,
                struct td_err *err);
    int (*write)(struct td_transport *t, struct td_tile_at at, uint64_t address, const void *from,
                 size_t bytes, struct td_err *err);
    /* A pointer to tile memory, valid until close; NULL where there is none. Loads and stores of aligned 8
     * bytes are whole. */
    void *(*map)(struct td_transport *t, struct td_tile_at at, uint64_t address, size_t bytes);
    /* One clock read, as tight as the transport can. */
    int (*clock)(struct td_transport *t, struct td_tile_at at, struct td_clock_sample *sample,
                 struct td_err *err);
    /* TD_OK while the board answers, TD_E_GONE when it does not any more. Cheap: called every poll. */
    int (*alive)(struct td_transport *t, struct td_err *err);
    /* Waits until lanes may hold something: 1, or until the time is over: 0. NULL: the caller sleeps. */
    int (*wait)(struct td_transport *t, int timeout_ms, struct td_err *err);
    /* The board's description, as text in the syntax of boards/NAME/NAME.board, and the logical grid in use
     * ("WxH"); both belong to the transport. NULL: hardware that cannot tell; its description comes from
     * the boards folder. */
    int (*describe)(struct td_transport *t, const char **text, const char **grid, struct td_err *err);
    /* What only simulated boards have: their time and standing still. *out may be NULL. NULL: hardware. */
    int (*control)(struct td_transport *t, enum td_control what, uint64_t value, uint64_t *out,
                   struct td_err *err);
    /* The gatherer on the board's side (a probe), which takes what lanes hold; NULL: the host polls. Belongs
     * to the transport. */
    struct td_gather *(*gather)(struct td_transport *t);
    /* Before the first access, by td_board_attach(): nothing of *setup is kept. NULL: nothing to be known. */
    int (*setup)(struct td_transport *t, const struct td_transport_setup *setup, struct td_err *err);
    /* Has somebody who outlives this process (the vendor's driver) write a word to a tile when the process
     * ends, however it does; one word a tile, the last one asked for; `on` = 0 takes it back. NULL: nobody.
     */
    int (*at_end)(struct td_transport *t, struct td_tile_at at, uint64_t address, uint32_t word, int on,
                  struct td_err *err);
    /* The tiles' clock as the device tells it at the moment, 0: it does not. NULL: neither. */
    double (*frequency_hz)(struct td_transport *t);
    /* Memory of this host that tiles of a chip reach over the NoC: *memory (the transport's, until close),
     * and where tiles find it: tile and address. One piece a chip; *bytes says how much. NULL: there is none.
     */
    int (*host_memory)(struct td_transport *t, uint16_t chip, void **memory, size_t *bytes,
                       struct td_tile_at *at, uint64_t *address, struct td_err *err);
    void (*close)(struct td_transport *t);
};
struct td_transport {
    const struct td_transport_ops *ops;
    /* Only one process can have this board open: others come through the one that has (host/agent). */
    int exclusive;
    /* Somebody else (the vendor's driver, a probe) disarms the lanes when this process dies. */
    int cleans_up;
};

/* Opens a board where it is:
 *   PATH, shm:PATH           a simulated board's BAR file
 *   pci:BDF[/sysfs|/vfio]    a PCI device, 0000:01:00.0
 *   tenstorrent:N            the vendor's driver, /dev/tenstorrent/N
 *   simnoc:PATH              a simulated board's BAR file through windows (`tendril sim --windows N`)
 *   usb[:SERIAL]             a probe on USB
 *   serial:DEVICE[,BAUD]     a probe behind a UART or a pty
 *   tcp:HOST:PORT, unix:PATH a probe behind a socket, bytes framed as on a UART
 * wait_ms: how long to wait for it to appear. Returns NULL on error. */
struct td_transport *td_transport_open(const char *where, int wait_ms, struct td_err *err);

static inline int td_transport_control(struct td_transport *t, enum td_control what, uint64_t value,
                                       uint64_t *out, struct td_err *err)
{
    if (t->ops->control)
        return t->ops->control(t, what, value, out, err);
    if (out)
        *out = 0;
    return TD_OK;
}

static inline void td_transport_close(struct td_transport *t)
{
    if (t)
        t->ops->close(t);
}
#endif
