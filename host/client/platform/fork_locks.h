/* fork_locks.c: mutexes whose holders must not be interrupted by a fork, in the order in which they may be held
 * at a time. Whoever holds one has signals blocked (td_signals_block), as handlers have markers. */
#ifndef TD_HOST_CLIENT_PLATFORM_FORK_LOCKS_H
#define TD_HOST_CLIENT_PLATFORM_FORK_LOCKS_H
#include <stddef.h>
#include <stdint.h>

enum td_fork_lock {
    TD_FORK_LOCK_CALLBACKS,
    TD_FORK_LOCK_LOCKS,    /* a lock gets its context: each is announced once */
    TD_FORK_LOCK_UNLOADED, /* libraries that left (wire_keys.h) */
    TD_FORK_LOCK_REPLAYED,
    TD_FORK_LOCK_NAMES,
    TD_FORK_LOCK_COUNT
};
void td_fork_lock_acquire(enum td_fork_lock lock);
void td_fork_lock_release(enum td_fork_lock lock);
void td_fork_locks_before_fork(void);
void td_fork_locks_after_fork(void);
#endif
