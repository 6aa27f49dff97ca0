/* Between a host and the process that holds the vendor's simulator (boards/ttsim): requests over a stream socket, each
 * answered before the next. Both are on one machine. */
#ifndef TD_PROTO_SIM_TTSIM_H
#define TD_PROTO_SIM_TTSIM_H
#include <stdint.h>

#define TD_TTSIM_MOST_BYTES 65536 /* of one request */

/* X(number, NAME, what) */
#define TD_TTSIM_REQUESTS(X)                                                                                 \
    X(0, CONFIG, "reads a word of the PCI configuration: `bytes` is 4")                                      \
    X(1, READ, "reads the memory of a BAR")                                                                  \
    X(2, WRITE, "writes it; `bytes` bytes follow")                                                           \
    X(3, FREEZE, "`address` 1: the chip's time stops; 0: it goes on")

enum td_ttsim_request {
#define TD_X(number, name, what) TD_TTSIM_##name = number,
    TD_TTSIM_REQUESTS(TD_X)
#undef TD_X
};

struct td_ttsim_head {
    uint32_t request, bytes;
    uint64_t address; /* as the library counts them */
};
/* The answer is the bytes that were read, or one byte for a request that reads none. There is none if the
 * library stops the process: it prints why. */
#endif
