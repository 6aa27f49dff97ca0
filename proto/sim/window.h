/* Windows of a simulated board (`tendril sim --windows N`): tiles as the host reaches them on a card, through
 * a few windows that it points by registers, each access a request that travels.
 *
 * Ordinary memory cannot notice loads, so what on a card is an access to a window's memory is a request here,
 * in a mailbox of the process's own. A write is answered when it has been taken, and done later; what may
 * overtake what is said at enum td_window_order (host/transport/card/window.h): the simulator makes use of it.
 *
 * In the board's file at td_bar_header.windows_offset. H the host, S the simulator writes a word.
 */
#ifndef TD_PROTO_SIM_WINDOW_H
#define TD_PROTO_SIM_WINDOW_H
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
    int32_t status;                               /* S: 0, -1: there is nothing at that place */
    _Alignas(64) uint8_t data[TD_SIM_DATA_BYTES]; /* WRITE: H, READ: S */
};

struct td_sim_windows {
    uint32_t count;  /* S: windows that there are */
    uint32_t bell;   /* H: counts up with each request; a futex, woken when `asleep` is set */
    uint32_t asleep; /* S */
    struct td_sim_window window[TD_SIM_MAX_WINDOWS];
    struct td_sim_mailbox mailbox[TD_SIM_MAILBOXES];
};
#endif
