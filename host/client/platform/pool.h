/* Memory for what markers keep: never the program's malloc(), which may have markers itself, and usable in
 * signal handlers. Thread-safe; survives fork(). Nothing goes back to the system but what is larger than
 * TD_POOL_MAX and the pages of blocks beyond TD_POOL_WARM. */
#ifndef TD_HOST_CLIENT_PLATFORM_POOL_H
#define TD_HOST_CLIENT_PLATFORM_POOL_H
#include <signal.h>
#include <stddef.h>
#include <stdint.h>

#define TD_POOL_MAX  0x20000u /* pieces up to here come from the pool's own memory */
#define TD_POOL_WARM 64u      /* free blocks that keep their pages */

size_t td_pool_used(void); /* bytes that were taken and not given back */

/* A block of TD_CLIENT_BLOCK_BYTES, at a multiple of them, all zero; give back only zeros. NULL: no memory.
 */
void *td_pool_alloc_block(void);
void td_pool_free_block(void *block);
/* Pieces of any size, aligned to 16 bytes. NULL: no memory. */
void *td_pool_alloc(size_t bytes);
/* The same for what is kept long: of many bytes no more is taken than whole pages, where td_pool_take() may
 * take twice as much. Slower. */
void *td_pool_take_tight(size_t bytes);
void td_pool_free(void *piece);         /* NULL is allowed */
size_t td_pool_room(const void *piece); /* bytes that fit into it */

/* Nothing interrupts this thread between the two; errno is kept. They nest. */
struct td_signals {
    sigset_t before;
    int error;
};
void td_signals_block(struct td_signals *signals);
void td_signals_restore(const struct td_signals *signals);

/* Around fork(): nobody else holds the pool in between. */
void td_pool_lock(void);
void td_pool_unlock(void);
#endif
