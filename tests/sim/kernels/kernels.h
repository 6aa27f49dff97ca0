/* Shared by the test kernels and the tests that run them: blocks of words in L1 that kernels get as their
 * argument. */
#pragma once
#include <stdint.h>

#ifdef __riscv
#define CLOCK_LOW          (*(volatile uint32_t *)0xFFB121F0)
#define CLOCK_LIVE_HIGH    (*(volatile uint32_t *)0xFFB121F4)
#define CLOCK_LATCHED_HIGH (*(volatile uint32_t *)0xFFB121F8)
#endif

struct clocks {
    uint32_t role, other, ready, go, low, latched_at_once, latched_later, live_high, done;
};

/* Writes `value` to `result`. The two kernels add different numbers to it. */
struct answer {
    uint32_t value, result, runs;
};

enum noc_op { OP_END, OP_READ, OP_WRITE, OP_MULTICAST, OP_MULTICAST_SELF, OP_ATOMIC, OP_CLOCK };
#define NO_LOCAL 0xffffffff /* OP_ATOMIC: the old value is not asked for */
struct noc_step {
    uint32_t op, x, y, x1, y1, address, local, bytes;
    uint32_t ticks; /* out: until the barrier was passed */
};
struct noc_list {
    struct noc_step steps[16];
    uint32_t done;
};

/* Faults: the number of the case, and the pc of the fault as the kernel reports it in advance. */
struct faults {
    uint32_t kind, pc, survived;
};

/* One stage of a pipeline of circular buffers: adds 1 to every word and passes the page on. */
struct stage {
    uint32_t from, to; /* struct td_cb, 0: none */
    uint32_t pages, words;
    uint32_t sum, done;
};

struct handshake {
    uint32_t second, x, y, page, semaphore, cb, rounds; /* x, y: the other tile */
    uint32_t value, done;
};

/* Stores of words to registers of the timestamper, by their distance from the first one. */
struct stamps {
    uint32_t count, done;
    uint32_t before, after, append, status; /* the clock around the stores; what the registers read as then */
    struct {
        uint32_t offset, word;
    } steps[16];
};

/* Requests to NIUs by registers; places as in NODE_ID. */
struct niu_request {
    uint32_t noc, initiator, id, control, length, data;
    uint32_t target, target_place, other, other_place;
    uint32_t given, left; /* out: requests with the id that have no response, at once and later */
};
struct niu_list {
    uint32_t count, done, node[2];
    uint32_t counters[2][16];
    struct niu_request requests[12];
};

/* One core's part in an exchange of data with another one; `wrong` counts rounds in which old data was seen. */
enum exchange_part { EXCHANGE_STORE_THEN_SEND, EXCHANGE_SEND, EXCHANGE_RECEIVE, EXCHANGE_STORE_THEN_LOAD };
enum { EXCHANGE_ROUNDS = 200 };
struct exchange {
    uint32_t part, ordered, rounds, x, y; /* x, y: the other tile */
    uint32_t data, back, sign, answer;    /* addresses in L1 */
    uint32_t wrong, done;
    uint32_t missed[EXCHANGE_ROUNDS];
};

struct spans {
    uint32_t start, nops, end, loops, done;
};
