/* Copies of the memory of libraries that the program unloaded, until all events of their time are sent.
 * All functions but the first two are called under TD_FORK_LOCK_UNLOADED, which is never held while
 * waiting for the loader or for a peer. */
#ifndef TD_HOST_CLIENT_SYMBOLS_UNLOADED_H
#define TD_HOST_CLIENT_SYMBOLS_UNLOADED_H
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

extern atomic_uint td_unloaded_count; /* how often libraries have left; 0: nothing of all this is needed */
int td_unloaded_covers(uint64_t address); /* 0: no library that left was there */

struct td_unloaded;
/* When a record was written: by its time, or, of ordered records whose time the program gives, by number. */
struct td_when {
    int64_t time;
    uint32_t number;
    int by_number;
};
#define TD_NOW (&(const struct td_when){.time = INT64_MAX})
/* The library that the address was of then; NULL: what is there now. It is the same for all times after *from
 * up to *to. */
const struct td_unloaded *td_unloaded_at(uint64_t address, const struct td_when *when, int64_t *from,
                                         int64_t *to);
/* Those that left after the `serial`-th did, in order. *when: just before it left. */
const struct td_unloaded *td_unloaded_after(uint32_t serial, const struct td_unloaded *before,
                                            struct td_when *when);
int td_unloaded_has(const struct td_unloaded *left, uint64_t address);
/* As td_safe_copy() and td_safe_copy_text(). */
int td_unloaded_read(const struct td_unloaded *left, uint64_t address, void *to, size_t bytes);
size_t td_unloaded_text(const struct td_unloaded *left, uint64_t address, char *to, size_t room);

/* Takes the lock itself: all records up to that time have been taken, and who is connected has settled all
 * up to the `serial`-th library: memory of those that no event can refer to any more goes. INT64_MAX: there
 * are no records. */
void td_unloaded_sweep(int64_t time, uint32_t serial);
void td_unloaded_process_exits(void);  /* libraries that end from here on stay in memory: the process ends */
int td_unloaded_any_kept(void);        /* of their memory is kept */
unsigned td_unloaded_lost_count(void); /* libraries whose memory could not be kept */
void td_unloaded_forked(void);         /* in the child, under the lock */
#endif
