/* Mutexes that fork() takes, so that none is held by a thread that the child lacks. A thread that holds
 * several takes them in the order of the enum. A holder has signals blocked (td_signals_block()), because
 * handlers may have markers. Thread-safe. */
#pragma once
#include <stddef.h>
#include <stdint.h>

enum td_fork_lock {
    TD_FORK_LOCK_CALLBACKS,
    TD_FORK_LOCK_LOCKS,    /* makes the context of a program's lock, once each */
    TD_FORK_LOCK_UNLOADED, /* copies of unloaded libraries (unloaded.h) */
    TD_FORK_LOCK_REPLAYED,
    TD_FORK_LOCK_NAMES,
    TD_FORK_LOCK_COLLECT, /* begin and end of what is collected (collect.h) */
    TD_FORK_LOCK_COUNT
};
void td_fork_lock_acquire(enum td_fork_lock lock);
void td_fork_lock_release(enum td_fork_lock lock);
void td_fork_locks_before_fork(void); /* takes all; the other releases them, in parent and child */
void td_fork_locks_after_fork(void);
