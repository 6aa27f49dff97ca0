/* Circular buffers between two cores of a tile: pages in L1, one producer, one consumer. C11 and C++.
 *
 *   producer                            consumer
 *   td_cb_reserve_back(cb, n);          td_cb_wait_front(cb, n);
 *   fill td_cb_write_pointer(cb) ...    use td_cb_read_pointer(cb) ...
 *   td_cb_push_back(cb, n);             td_cb_pop_front(cb, n);
 *
 * A buffer is named by the address of its counters in L1 (struct td_cb). The host lays it out and writes it
 * before the launch (td_cb_layout), or one core does (td_cb_init) before the other core uses it. n pages are
 * contiguous if every call uses the same n and n divides the number of pages.
 *
 * Waiting is a plain loop, to be wrapped in TD_WAIT where it should be seen. With TD_DATAFLOW_WAITS defined
 * before tendril/tendril.h and this header, a call that really has to wait opens a wait zone, "cb full" or
 * "cb empty", of its own. Each push and pop is then a zone, too, "cb push" or "cb pop", and the sender of a flow
 * whose receiver is the wait zone that it ends: so `tendril info --waits` says who waited for whom.
 */
#ifndef TENDRIL_CB_H
#define TENDRIL_CB_H
#include <stdint.h>

/* 48 bytes: each 16-byte line has one writer. */
struct td_cb {
    uint32_t base; /* address of the first page */
    uint32_t page_bytes, pages, unused;
    uint32_t pushed;     /* pages, modulo 2^32: producer */
    uint32_t write_page; /* producer */
    uint32_t packed;     /* pages that were written since the last push, of cores that compute: producer */
    uint32_t unused_write;
    uint32_t popped;    /* consumer */
    uint32_t read_page; /* consumer */
    uint32_t unused_read[2];
};

/* Bytes that td_cb_layout() needs at its address: the counters, and the pages after them. */
#define TD_CB_COUNTER_BYTES            64
#define TD_CB_BYTES(page_bytes, pages) (TD_CB_COUNTER_BYTES + (((page_bytes) * (pages) + 63) & ~63u))

/* An empty buffer whose counters are at `address` (64-byte aligned), with the pages after them. */
static inline struct td_cb td_cb_layout(uint32_t address, uint32_t page_bytes, uint32_t pages)
{
    struct td_cb cb = {address + TD_CB_COUNTER_BYTES, page_bytes, pages, 0, 0, 0, 0, 0, 0, 0, {0, 0}};
    return cb;
}

#if defined(__riscv) && __riscv_xlen == 32 /* a core; the host may be RISC-V, too */
#include "riscv/fence.h"

#if defined(TENDRIL_TENDRIL_H) && defined(TD_DATAFLOW_WAITS)
#define TD_CB_WAIT(name) TD_WAIT(name)
/* A flow's number: which buffer of the tile, and its counter after the push or pop. */
#define TD_CB_FLOW_ID(cb, counter)       ((cb) >> 6 << 17 | ((counter)&0x1ffff))
#define TD_CB_RECEIVE(flow, cb, counter) TD_FLOW_IN(flow, TD_CB_FLOW_ID(cb, counter))
#define TD_CB_SEND(zone, flow, cb, counter)                                                                  \
    ZoneScopedN(zone);                                                                                       \
    TD_FLOW_OUT(flow, TD_CB_FLOW_ID(cb, counter))
#else
#define TD_CB_WAIT(name)                    ((void)0)
#define TD_CB_RECEIVE(flow, cb, counter)    ((void)0)
#define TD_CB_SEND(zone, flow, cb, counter) ((void)0)
#endif

static inline volatile struct td_cb *td_cb_at_(uint32_t cb)
{
    return (volatile struct td_cb *)cb;
}

static inline void td_cb_init(uint32_t cb, uint32_t page_bytes, uint32_t pages)
{
    volatile struct td_cb *c = td_cb_at_(cb);
    c->base = cb + TD_CB_COUNTER_BYTES;
    c->page_bytes = page_bytes;
    c->pages = pages;
    c->write_page = 0;
    c->packed = 0;
    c->read_page = 0;
    c->pushed = 0;
    c->popped = 0;
    td_fence();
}

/* Pages that were pushed and not popped yet. */
static inline uint32_t td_cb_filled(uint32_t cb)
{
    td_fence();
    return td_cb_at_(cb)->pushed - td_cb_at_(cb)->popped;
}

static inline uint32_t td_cb_free(uint32_t cb)
{
    return td_cb_at_(cb)->pages - td_cb_filled(cb);
}

/* Waits until n pages are free. */
static inline void td_cb_reserve_back(uint32_t cb, uint32_t n)
{
    if (td_cb_free(cb) < n) {
        TD_CB_WAIT("cb full");
        while (td_cb_free(cb) < n)
            ;
        TD_CB_RECEIVE("cb page free", cb, td_cb_at_(cb)->popped);
    }
}

/* Address of the first free page. */
static inline uint32_t td_cb_write_pointer(uint32_t cb)
{
    return td_cb_at_(cb)->base + td_cb_at_(cb)->write_page * td_cb_at_(cb)->page_bytes;
}

/* Hands n pages over to the consumer. */
static inline void td_cb_push_back(uint32_t cb, uint32_t n)
{
    volatile struct td_cb *c = td_cb_at_(cb);
    TD_CB_SEND("cb push", "cb page", cb, c->pushed + n);
    uint32_t page = c->write_page + n;
    c->write_page = page >= c->pages ? page - c->pages : page;
    td_fence();
    c->pushed = c->pushed + n;
}

/* Waits until n pages are filled. */
static inline void td_cb_wait_front(uint32_t cb, uint32_t n)
{
    if (td_cb_filled(cb) < n) {
        TD_CB_WAIT("cb empty");
        while (td_cb_filled(cb) < n)
            ;
        TD_CB_RECEIVE("cb page", cb, td_cb_at_(cb)->pushed);
    }
    td_fence();
}

/* Address of the oldest page. */
static inline uint32_t td_cb_read_pointer(uint32_t cb)
{
    return td_cb_at_(cb)->base + td_cb_at_(cb)->read_page * td_cb_at_(cb)->page_bytes;
}

/* Gives n pages back to the producer. */
static inline void td_cb_pop_front(uint32_t cb, uint32_t n)
{
    volatile struct td_cb *c = td_cb_at_(cb);
    TD_CB_SEND("cb pop", "cb page free", cb, c->popped + n);
    uint32_t page = c->read_page + n;
    c->read_page = page >= c->pages ? page - c->pages : page;
    td_fence();
    c->popped = c->popped + n;
}
#endif
#endif
