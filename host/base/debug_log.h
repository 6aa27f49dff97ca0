/* The debug log: lines on standard error that say what Tendril does, by area. TENDRIL_DEBUG=noc,drain in the
 * environment or --debug noc,drain chooses the areas; by default there are none, and a td_debug() then costs
 * one predictable branch and does not evaluate its arguments.
 *
 *   td_debug(noc, "window %u is pointed at tile (%u,%u)", id, x, y);
 *   18:25:01.123456 tendril[4242] noc: window 3 is pointed at tile (1,2)
 *
 * A line has the local time of day, the process and the area, and is one write(), so that lines of several
 * threads and processes are not mixed. Characters that could steer a terminal are replaced (plain_text.h).
 * errno is kept. td_debug() may be called by any thread, but not by a signal handler.
 *
 * The set of areas is the one variable of the host's libraries that all code of a process shares. It only
 * decides what is printed. A handle that had to be passed to each function would be the alternative. */
#pragma once
#include "host/base/err.h"

/* X(area, what its lines show) */
#define TD_DEBUG_AREAS(X)                                                                                    \
    X(board, "boards that are found, chosen, opened and shared with programs")                               \
    X(card, "PCI devices and cards: BARs, VFIO, the vendor's driver, the windows it gives")                  \
    X(client, "connections to programs: addresses, protocols tried and refused, the welcome, the end")       \
    X(collect, "what the kernel observes of a program: what is collected, and what is missing and why")      \
    X(drain, "lanes: set up, joined, not joined and why, damaged, finished")                                 \
    X(launch, "kernels: images loaded, launches, faults, cores that are waited for")                         \
    X(limits, "triggers, cuts, estimates of the trace's size")                                               \
    X(line, "serial lines and sockets: connections, retries, damaged bytes")                                 \
    X(memory, "the memory limit: its value, and when it is reached")                                         \
    X(noc, "windows: the tile that each is pointed at, windows given back, a device that is gone")           \
    X(owner, "agents that own tiles: heartbeats watched, tiles taken and disarmed")                          \
    X(probe, "requests to a probe, answers, time-outs, repeats, sessions")                                   \
    X(relay, "relays: used or not and why, their rings and lanes")                                           \
    X(serve, "viewers that are served: connections, releases, what a release cannot carry, ends")            \
    X(sim, "simulated boards: the file, its simulator, locks")                                               \
    X(sync, "clock samples: device time, round trip, samples that are refused")                              \
    X(usb, "probes on USB: devices seen, failed transfers, cleared endpoints, reconnects")                   \
    X(viewer, "the viewer's start: window, OpenGL, fonts, first picture, first rows, file read")

enum td_debug_area {
#define TD_X(area, what) TD_DEBUG_##area,
    TD_DEBUG_AREAS(TD_X)
#undef TD_X
        TD_DEBUG_AREA_COUNT
};

/* Areas separated by commas, "all", or "help", are added to those that are on. Returns 0; 1: `areas` has
 * "help", and the list of areas was printed on standard output; TD_E_USAGE: an unknown area. */
int td_debug_choose(const char *areas, struct td_err *err);
/* The same with the areas in TENDRIL_DEBUG. 0 if the variable is not set. */
int td_debug_from_environment(struct td_err *err);
/* For --debug: the same as td_debug_choose(), and sets TENDRIL_DEBUG for the programs that this process
 * starts. Call it before there are other threads (setenv()). */
int td_debug_option(const char *areas, struct td_err *err);

extern unsigned td_debug_mask_; /* a bit for each area; only the functions above write it */

/* For work that only a log line needs. */
#define td_debug_on(area)                                                                                    \
    __builtin_expect(__atomic_load_n(&td_debug_mask_, __ATOMIC_RELAXED) >> TD_DEBUG_##area & 1, 0)

#define td_debug(area, ...)                                                                                  \
    do {                                                                                                     \
        if (td_debug_on(area))                                                                               \
            td_debug_line_(TD_DEBUG_##area, __VA_ARGS__);                                                    \
    } while (0)

void td_debug_line_(enum td_debug_area area, const char *format, ...)
    __attribute__((format(printf, 2, 3), cold));
