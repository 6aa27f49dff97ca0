/* A thread has at most one entry, in a hash table of chains by thread. */
#include "host/client/queue/names.h"
#include "host/client/include/tracy/TracyC.h"
#include "host/client/platform/client_api.h"
#include "host/client/platform/fork_locks.h"
#include "host/client/platform/pool.h"
#include "host/client/platform/session_state.h"
#include "host/client/platform/settings.h"
#include "host/client/platform/text_file.h"

#include <stdbool.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct thread_name {
    struct thread_name *next;
    uint32_t thread;
    int32_t group_hint;
    int ended, fresh; /* fresh: td_client_renamed_threads() has not returned it */
    char text[];
};

static struct thread_name *names[1024]; /* by thread id */
static char program[64];
static atomic_int any_fresh;

void td_client_set_program_name(const char *name)
{
    struct td_signals signals;
    td_signals_block(&signals); /* a thread that is stopped while it holds the lock would stop the session */
    td_fork_lock_acquire(TD_FORK_LOCK_NAMES);
    snprintf(program, sizeof program, "%s", name ? name : "");
    td_fork_lock_release(TD_FORK_LOCK_NAMES);
    td_signals_restore(&signals);
}

void td_client_program_name(char *name, size_t room)
{
    td_fork_lock_acquire(TD_FORK_LOCK_NAMES);
    snprintf(name, room, "%s", program[0] ? program : program_invocation_short_name);
    td_fork_lock_release(TD_FORK_LOCK_NAMES);
}

static struct thread_name **chain_of(uint32_t thread)
{
    return &names[thread % (sizeof names / sizeof *names)];
}

static struct thread_name *find_name(uint32_t thread)
{
    struct thread_name *name = *chain_of(thread);
    while (name && name->thread != thread)
        name = name->next;
    return name;
}

/* Replaces the thread's entry. */
static void remember_name(uint32_t thread, const char *text, int32_t group_hint, int ended)
{
    size_t bytes = strlen(text) + 1;
    struct thread_name *name = td_pool_alloc(sizeof *name + bytes), *old = NULL;
    if (!name)
        return;
    name->thread = thread;
    name->group_hint = group_hint;
    name->ended = ended;
    name->fresh = !ended;
    memcpy(name->text, text, bytes);
    struct td_signals signals;
    td_signals_block(&signals);
    td_fork_lock_acquire(TD_FORK_LOCK_NAMES);
    struct thread_name **at = chain_of(thread);
    while (*at && (*at)->thread != thread)
        at = &(*at)->next;
    old = *at;
    name->next = old ? old->next : NULL;
    *at = name;
    if (!ended)
        atomic_store(&any_fresh, 1);
    td_fork_lock_release(TD_FORK_LOCK_NAMES);
    td_signals_restore(&signals);
    td_pool_free(old);
}

size_t td_client_renamed_threads(uint32_t *threads, size_t room)
{
    size_t count = 0, chain = 0, chains = sizeof names / sizeof *names;
    if (!atomic_load_explicit(&any_fresh, memory_order_relaxed))
        return 0;
    td_fork_lock_acquire(TD_FORK_LOCK_NAMES);
    for (; chain < chains && count < room; chain++)
        for (struct thread_name *name = names[chain]; name && count < room; name = name->next) {
            if (name->fresh)
                threads[count++] = name->thread;
            name->fresh = 0;
        }
    if (chain == chains && count < room)
        atomic_store(&any_fresh, 0);
    td_fork_lock_release(TD_FORK_LOCK_NAMES);
    return count;
}

void td_client_set_thread_name(const char *name, int32_t group_hint)
{
    uint32_t thread = td_client_thread_id();
    char short_name[16];
    if (!name)
        return;
    snprintf(short_name, sizeof short_name, "%s", name);
    if (thread != (uint32_t)getpid())
        pthread_setname_np(pthread_self(), short_name);
    remember_name(thread, name, group_hint, 0);
}

void ___tracy_set_thread_name(const char *name)
{
    td_client_set_thread_name(name, 0);
}

/* 0: the thread has ended. */
static bool system_name(uint32_t thread, char *name, size_t room)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%u/comm", thread);
    if (!td_client_read_text(path, name, room))
        return 0;
    size_t n = strlen(name);
    name[n - (n && name[n - 1] == '\n')] = 0;
    return 1;
}

/* Takes entries of ended threads out of the chain, under TD_FORK_LOCK_NAMES; the caller frees them. */
static struct thread_name *take_ended(struct thread_name **at)
{
    struct thread_name *taken = NULL;
    while (*at) {
        struct thread_name *name = *at;
        if (!name->ended) {
            at = &name->next;
            continue;
        }
        *at = name->next;
        name->next = taken;
        taken = name;
    }
    return taken;
}

static void forget_ended(uint32_t chain)
{
    td_fork_lock_acquire(TD_FORK_LOCK_NAMES);
    struct thread_name *taken = take_ended(chain_of(chain));
    td_fork_lock_release(TD_FORK_LOCK_NAMES);
    while (taken) {
        struct thread_name *name = taken;
        taken = name->next;
        td_pool_free(name);
    }
}

void td_client_forget_ended_threads(void)
{
    for (uint32_t i = 0; i < sizeof names / sizeof *names; i++)
        forget_ended(i);
}

void td_client_thread_ends(uint32_t thread)
{
    td_fork_lock_acquire(TD_FORK_LOCK_NAMES);
    struct thread_name *known = find_name(thread);
    if (known)
        known->ended = 1;
    td_fork_lock_release(TD_FORK_LOCK_NAMES);
    char name[32];
    if (td_setting_value(TD_SETTING_ON_DEMAND) && td_session_state() != TD_CLIENT_CONNECTED)
        forget_ended(thread);
    else if (!known && thread && system_name(thread, name, sizeof name))
        remember_name(thread, name, 0, 1);
}

int32_t td_client_thread_name(uint32_t thread, char *name, size_t room)
{
    int32_t hint = 0;
    struct td_signals signals;
    td_signals_block(&signals); /* programs call this function, too */
    td_fork_lock_acquire(TD_FORK_LOCK_NAMES);
    const struct thread_name *known = find_name(thread);
    if (thread == (uint32_t)getpid())
        snprintf(name, room, "Main thread");
    else if (known)
        snprintf(name, room, "%s", known->text);
    if (known)
        hint = known->group_hint;
    td_fork_lock_release(TD_FORK_LOCK_NAMES);
    td_signals_restore(&signals);
    if (!known && thread != (uint32_t)getpid() && !system_name(thread, name, room))
        snprintf(name, room, "%u", thread);
    return hint;
}
