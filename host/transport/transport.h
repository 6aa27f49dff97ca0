/* Transport: how the host reaches the memory and the clock of a board's tiles. Each way to a board (PCI,
 * USB, serial line ...) implements this interface.
 *
 * A tile is named by its chip and its NoC 0 coordinates. Addresses are the tile's own. Unless stated
 * otherwise, calls return 0 or a negative enum td_e. TD_E_GONE: the board is gone for good; each later
 * call returns it again at once. One thread at a time may use a handle; several handles may be open.
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
    uint32_t count;      /* windows that this process may use */
    uint32_t bar;        /* the PCI BAR that has the windows, */
    uint64_t bar_offset; /* one after the other from this offset on */
    uint64_t registers;  /* offset in BAR 0 of the register of window index 0 */
    uint32_t register_bytes;
    uint32_t first_index; /* of the first one of this kind */
    uint8_t shift[TD_WINDOW_FIELD_COUNT];
};

/* The part of the board's description that a transport to hardware needs. */
struct td_transport_setup {
    uint32_t clock_low, clock_live_high; /* addresses of registers of a tile */
    int clock_steps; /* these are words that a simulator updates from time to time, not a clock */
    const struct td_window_kind *kinds;
    size_t kind_count;
};

/* What hardware says of itself that does not contain its description. */
struct td_identity {
    uint32_t vendor, device; /* of PCI */
    uint32_t chips;          /* that can be reached; 0: as described */
    int is_model; /* the vendor's simulator: it ends at an access to a debug bus or to performance counters */
};

/* What a chip says about itself, where that is not read from its registers. Bit i of a mask: the i-th row or
 * column of tiles with cores, DRAM bank, Ethernet or PCIe tile is harvested. */
struct td_chip_identity {
    uint32_t pci_device; /* which kind of chip it is; 0: not known */
    int translated;      /* tiles are called by translated coordinates; 0: by those of NoC 0 */
    uint32_t tensix, dram, ethernet, pcie;
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
    /* A pointer to tile memory, valid until close; NULL if that memory cannot be mapped. Loads and stores of
     * aligned 8 bytes are not torn. */
    void *(*map)(struct td_transport *t, struct td_tile_at at, uint64_t address, size_t bytes);
    /* One clock read, as tight as the transport can. */
    int (*clock)(struct td_transport *t, struct td_tile_at at, struct td_clock_sample *sample,
                 struct td_err *err);
    /* TD_OK while the board answers, TD_E_GONE when it no longer does. Cheap: called at every poll. */
    int (*alive)(struct td_transport *t, struct td_err *err);
    /* Waits until lanes may hold something: 1, or until the time is over: 0. NULL: the caller sleeps. */
    int (*wait)(struct td_transport *t, int timeout_ms, struct td_err *err);
    /* The board's description, as text in the syntax of boards/NAME/NAME.board, and the logical grid in use
     * ("WxH"); both belong to the transport. NULL: hardware that does not contain it; it comes from the
     * boards folder. */
    int (*describe)(struct td_transport *t, const char **text, const char **grid, struct td_err *err);
    /* Controls that only simulated boards have, such as stopping their time. *out may be NULL. NULL:
     * hardware. */
    int (*control)(struct td_transport *t, enum td_control what, uint64_t value, uint64_t *out,
                   struct td_err *err);
    /* The gatherer at the board (a probe) that empties the lanes; it belongs to the transport. NULL: the host
     * polls the lanes. */
    struct td_gather *(*gather)(struct td_transport *t);
    /* td_board_attach() calls it before the first access. *setup need not outlive the call. NULL: not
     * needed. */
    int (*setup)(struct td_transport *t, const struct td_transport_setup *setup, struct td_err *err);
    /* Has the vendor's driver write a word to a tile when this process ends, also when it is killed. One word
     * for each tile: a later call replaces it, `on` = 0 removes it. NULL: there is no such driver. */
    int (*at_end)(struct td_transport *t, struct td_tile_at at, uint64_t address, uint32_t word, int on,
                  struct td_err *err);
    /* NULL: not known. */
    void (*identity)(struct td_transport *t, struct td_identity *identity);
    /* NULL: the description says what is harvested, or the chip's registers do. */
    int (*chip_identity)(struct td_transport *t, uint16_t chip, struct td_chip_identity *identity,
                         struct td_err *err);
    /* 1: the program that has the board is about to end it, and waits until this process closes the transport.
     * NULL: boards of this kind do not end so. */
    int (*leaving)(struct td_transport *t);
    /* The present frequency of the tiles' clock as the device reports it; 0: it does not. May be NULL. */
    double (*frequency_hz)(struct td_transport *t);
    /* Memory of this host that tiles of a chip reach over the NoC: *memory and *bytes (the transport's,
     * valid until close), and the NoC tile and address at which tiles see it. One piece for each chip.
     * NULL: there is none. */
    int (*host_memory)(struct td_transport *t, uint16_t chip, void **memory, size_t *bytes,
                       struct td_tile_at *at, uint64_t *address, struct td_err *err);
    void (*close)(struct td_transport *t);
};
struct td_transport {
    const struct td_transport_ops *ops;
    /* Only one process can open this board; others go through that one (host/agent). */
    int exclusive;
    /* Each access is a message to another process or machine: one long one costs less than several short ones. */
    int asks;
    /* The vendor's driver, a probe or the simulator disarms the lanes when this process dies. */
    int cleans_up;
};

/* Opens a board where it is:
 *   PATH, shm:PATH           a simulated board's BAR file
 *   pci:BDF[/sysfs|/vfio]    a PCI device, 0000:01:00.0
 *   tenstorrent:N            the vendor's driver, /dev/tenstorrent/N
 *   ttsim:LIBRARY            chips of the vendor's simulator, in a process that this one starts
 *   umd:SOCKET, umd:FOLDER   chips of that simulator that a program of tt-metal holds and serves
 *   simnoc:PATH              a simulated board's BAR file through windows (`tendril sim --windows N`)
 *   usb[:SERIAL]             a probe on USB
 *   serial:DEVICE[,BAUD]     a probe at the other end of a UART or a pty
 *   tcp:HOST:PORT, unix:PATH a probe at the other end of a socket, framed as on a UART
 * wait_ms: how long to wait for it to appear. Returns NULL on error. */
TD_HOST_API struct td_transport *td_transport_open(const char *where, int wait_ms, struct td_err *err);

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
