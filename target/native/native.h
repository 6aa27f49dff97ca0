/* The cores' runtime compiled for the host: threads or coroutines of a program act as cores that fill lanes.
 *
 * The sources are those of the cores (target/src); a struct td_native_core holds what the linker script
 * provides there. Compile a kernel for it with TD_NATIVE and TD_PROFILE defined; it uses the markers of
 * tendril.h. It has no ELF with sites: its names are looked up among the sites of the same kernel
 * cross-compiled, and a reader of the lanes reads that ELF. Without printf and accumulated zones. x86-64. */
#pragma once
#include <stddef.h>
#include <stdint.h>

/* A site of the cross-compiled kernel. */
struct td_native_site {
    const char *name; /* must outlive the core; NULL: the kernel's own zone */
    uint32_t id;
};

struct td_native_config {
    void *tile_ctrl, *lane, *ring; /* proto/device/lane.h, in the tile's memory, 8-byte aligned */
    uint32_t ring_slots;
    uint64_t build_id; /* of the cross-compiled kernel */
    const struct td_native_site *sites;
    size_t site_count;
    uint64_t (*clock)(void *self); /* the tile's wall clock */
    void (*pause)(void *self);     /* called repeatedly while the core waits for room; NULL: it spins */
    void *self;
};

struct td_native_core;
/* `config` is copied, but for what it points to. NULL: no memory. */
struct td_native_core *td_native_create(const struct td_native_config *config);
void td_native_destroy(struct td_native_core *core);
/* This thread is that core from here on, and again after anything else ran on it. */
void td_native_enter(struct td_native_core *core);
/* The two halves of a launch, for a kernel that runs piece by piece; in between, call td_native_enter() and
 * the markers. */
void td_native_begin(struct td_native_core *core);
void td_native_end(struct td_native_core *core, int code);
/* One launch, as crt0 makes it: opens the lane, runs `kernel` in its zone, ends the launch. The thread is the
 * core afterwards. Returns what `kernel` returned. */
int td_native_run(struct td_native_core *core, int (*kernel)(void));
