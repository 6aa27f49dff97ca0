/* The vendor's simulator: a library that the user names (libttsim_wh.so ...), loaded at run time. It ends this process
 * at any error, after a line that says why. One thread. */
#pragma once
#include "host/base/err.h"

#include <stdint.h>

enum { LIBRARY_CHIPS = 32, LIBRARY_BARS = 6 };

struct library {
    void (*init)(void);
    uint32_t (*config)(uint32_t device, uint32_t offset);
    void (*read)(uint64_t at, void *to, uint32_t bytes);
    void (*write)(uint64_t at, const void *from, uint32_t bytes);
    void (*clock)(uint32_t clocks);
    uint32_t vendor, device, chips; /* those that are PCI devices */
    uint64_t bar[LIBRARY_CHIPS][LIBRARY_BARS];
};

/* Loads and starts it, and finds its chips. */
int library_open(struct library *lib, const char *path, struct td_err *err);
