/* The client's memory. It never uses the program's malloc(), which may have markers itself. Thread-safe,
 * usable in signal handlers, and valid in the child after fork(). Only pieces larger than TD_POOL_MAX and
 * the pages of free blocks beyond TD_POOL_WARM go back to the system. */
#pragma once
#include <signal.h>
#include <stddef.h>
#include <stdint.h>

#define TD_POOL_MAX  0x20000u /* pieces up to here come from the pool's own memory */
#define TD_POOL_WARM 64u      /* free blocks that keep their pages */

size_t td_pool_used(void); /* bytes that are allocated now */

/* A block of TD_CLIENT_BLOCK_BYTES at a multiple of that size, all zero. The caller clears it before it
 * frees it. NULL: no memory. */
void *td_pool_alloc_block(void);
void td_pool_free_block(void *block);
/* Pieces of any size, aligned to 16 bytes. NULL: no memory. */
void *td_pool_alloc(size_t bytes);
/* The same for what is kept long: a large piece takes whole pages, where td_pool_alloc() may take twice its
 * size. Slower. */
void *td_pool_take_tight(size_t bytes);
void td_pool_free(void *piece);         /* NULL is allowed */
size_t td_pool_room(const void *piece); /* its usable size in bytes */

/* Blocks all signals of the calling thread; restores them and errno. Pairs nest. */
struct td_signals {
    sigset_t before;
    int error;
};
void td_signals_block(struct td_signals *signals);
void td_signals_restore(const struct td_signals *signals);
/* The calling thread is the client's, and has its signals blocked from its start to its end: pairs then make no
 * system calls, of which answering a recorder's questions would be made mostly. */
void td_signals_stay_blocked(void);

/* Around fork(), so that no other thread holds the pool's lock. */
void td_pool_lock(void);
void td_pool_unlock(void);
