/* Windows of a simulated board (`tendril sim --windows N`): the host reaches tiles as on a card, through a
 * few windows that it points at tiles by registers.
 *
 * The simulator cannot notice loads from ordinary memory. So an access that on a card is a load or store in a
 * window is here a request in a mailbox, which one process has to itself. The simulator answers a write when
 * it has received it, and carries it out later. enum td_window_order (host/transport/card/window.h) says
 * which requests may overtake which; the simulator does reorder them.
 *
 * It is in the board's file at td_bar_header.windows_offset. Who writes a word: H the host, S the simulator.
 */
#pragma once
#include <stdint.h>

#define TD_SIM_WINDOW_BYTES UINT64_C(0x200000)
#define TD_SIM_MAX_WINDOWS  64
#define TD_SIM_MAILBOXES    4
#define TD_SIM_DATA_BYTES   32768 /* of one request at most */

/* Where the fields of a window's register are, in the order of TD_WINDOW_REGISTER
 * (host/transport/transport.h): as on a Blackhole card. */
#define TD_SIM_REGISTER_SHIFTS 43, 49, 55, 61, 67, 69, 70, 72, 73
#define TD_SIM_REGISTER_WORDS  3

struct td_sim_window {
    uint32_t owner;                            /* H: process, 0: free */
    uint32_t chip;                             /* H: the card */
    uint32_t registers[TD_SIM_REGISTER_WORDS]; /* H */
    uint32_t reserved[3];
};

enum td_sim_request { TD_SIM_READ = 1, TD_SIM_WRITE = 2 };

struct td_sim_mailbox {
    _Alignas(64) uint32_t owner;                  /* H: process, 0: free */
    uint32_t what, window, bytes;                 /* H: enum td_sim_request */
    uint64_t offset;                              /* H: in the window */
    _Alignas(64) uint64_t request;                /* H: counts up when the words above are filled in */
    _Alignas(64) uint64_t answer;                 /* S: follows it */
    int32_t status;                               /* S: 0; -1: no memory at that address */
    _Alignas(64) uint8_t data[TD_SIM_DATA_BYTES]; /* WRITE: H, READ: S */
};

struct td_sim_windows {
    uint32_t count;  /* S: number of windows */
    uint32_t bell;   /* H: counts up with each request; a futex, woken when `asleep` is set */
    uint32_t asleep; /* S */
    struct td_sim_window window[TD_SIM_MAX_WINDOWS];
    struct td_sim_mailbox mailbox[TD_SIM_MAILBOXES];
};
