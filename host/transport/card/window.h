/* Windows: pieces of a device's PCI memory, each of which can be pointed at a part of one tile's
 * addresses. A card has a limited number of them, in a few sizes.
 *
 * A provider (the vendor's driver, registers in a BAR, a simulator's mailbox) hands out windows and points
 * them; noc.h makes a transport of them. One handle, one thread at a time.
 */
#pragma once
#include "host/base/err.h"
#include "host/transport/transport.h"

/* Whether accesses through a window may overtake each other on the NoC. */
enum td_window_order { TD_WINDOW_RELAXED = 0, TD_WINDOW_STRICT = 1, TD_WINDOW_POSTED = 2 };

struct td_window_target {
    struct td_tile_at tile;
    uint64_t address; /* a multiple of the window's size */
    enum td_window_order order;
};

struct td_window {
    uint32_t id; /* the provider's */
    uint64_t bytes;
    /* Its mappings, uncached and write-combined; NULL: none, the provider's read and write are used. */
    volatile void *uc, *wc;
};

struct td_windows;
struct td_window_ops {
    /* One more window, of kind w->bytes[kind]. TD_E_LIMIT: there is none left. */
    int (*add)(struct td_windows *w, uint32_t kind, struct td_window *window, struct td_err *err);
    /* Gives it back. NULL: no other process could use it. */
    void (*remove)(struct td_windows *w, const struct td_window *window);
    int (*point)(struct td_windows *w, const struct td_window *window, const struct td_window_target *target,
                 struct td_err *err);
    /* Access without mappings. As through a mapping, its only order is that of the window's target. */
    int (*read)(struct td_windows *w, const struct td_window *window, uint64_t offset, void *to, size_t bytes,
                struct td_err *err);
    int (*write)(struct td_windows *w, const struct td_window *window, uint64_t offset, const void *from,
                 size_t bytes, struct td_err *err);
    /* TD_E_GONE: the device does not answer. Called often. */
    int (*alive)(struct td_windows *w, struct td_err *err);
    /* As in td_transport_ops; all may be NULL. */
    int (*at_end)(struct td_windows *w, struct td_tile_at at, uint64_t address, uint32_t word, int on,
                  struct td_err *err);
    double (*frequency_hz)(struct td_windows *w);
    void (*identity)(struct td_windows *w, struct td_identity *identity);
    /* As td_noc_facts(); may be NULL. */
    void (*facts)(struct td_windows *w, void (*fact)(void *self, const char *name, const char *text),
                  void *self);
    int (*setup)(struct td_windows *w, const struct td_transport_setup *setup, struct td_err *err);
    void (*close)(struct td_windows *w);
};
enum { TD_WINDOWS_MAX_KINDS = 8 };
struct td_windows {
    const struct td_window_ops *ops;
    uint32_t kinds;
    uint64_t bytes[TD_WINDOWS_MAX_KINDS]; /* sizes, small ones first, powers of two */
    const char *path;                     /* of the device, for messages */
};

/* The register of a window, as up to three words: the address in units of the window's size from bit 0 on,
 * the other fields at their shifts. Returns the number of words; TD_E_USAGE: the target does not fit. */
enum { TD_WINDOW_MAX_WORDS = 4 };
int td_window_encode(const struct td_window_kind *kind, const struct td_window_target *target,
                     uint32_t words[TD_WINDOW_MAX_WORDS], struct td_err *err);
/* The reverse; the chip is 0. */
void td_window_decode(const struct td_window_kind *kind, const uint32_t words[TD_WINDOW_MAX_WORDS],
                      struct td_window_target *target);
/* Checks the kinds of a description and copies them, small ones first. Returns how many there are; TD_E_USAGE: none,
 * too many, or one whose fields do not fit into the register or overlap. path: of the device, for messages. */
int td_window_kinds(const struct td_transport_setup *setup, const char *path,
                    struct td_window_kind kinds[TD_WINDOWS_MAX_KINDS], struct td_err *err);

/* memcpy from and to device memory: aligned words of 8 and 4 bytes as one access each, in ascending order. */
void td_device_copy_from(void *to, const volatile void *from, size_t bytes);
void td_device_copy_to(volatile void *to, const void *from, size_t bytes);
/* Makes stores through a write-combined mapping leave the processor. */
void td_device_flush(void);
