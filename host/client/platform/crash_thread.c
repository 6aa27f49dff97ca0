/* Signal stacks of threads, and which thread crashed first. */
#include "host/client/platform/crash_thread.h"
#include "host/client/platform/client_api.h"

#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <time.h>

#define STACK_BYTES 65536

static _Atomic(uint32_t) crashed; /* the first thread that crashed; 0: none */
static atomic_int reported, stacks;
static __thread void *own_stack __attribute__((tls_model("initial-exec")));

uint32_t td_crash_is_of(uint32_t thread)
{
    uint32_t first = 0;
    atomic_compare_exchange_strong(&crashed, &first, thread);
    return first;
}

void td_crash_is_told(void)
{
    atomic_store(&reported, 1);
}

void td_crash_wait(void)
{
    uint32_t thread = atomic_load(&crashed);
    if (!thread || thread == td_client_thread_id())
        return;
    while (!atomic_load(&reported))
        nanosleep(&(struct timespec){0, 10000000}, NULL);
    nanosleep(&(struct timespec){1, 0}, NULL); /* time for the signal to end the process, if it does */
}

void td_crash_stacks(int wanted)
{
    atomic_store(&stacks, wanted);
}

void td_crash_thread_begins(void)
{
    stack_t now, mine = {.ss_size = STACK_BYTES};
    if (own_stack || !atomic_load(&stacks) || sigaltstack(NULL, &now) != 0 || !(now.ss_flags & SS_DISABLE))
        return;
    mine.ss_sp = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mine.ss_sp == MAP_FAILED)
        return;
    if (sigaltstack(&mine, NULL) == 0)
        own_stack = mine.ss_sp;
    else
        munmap(mine.ss_sp, STACK_BYTES);
}

void td_crash_thread_ends(void)
{
    stack_t now, none = {.ss_flags = SS_DISABLE};
    if (!own_stack || sigaltstack(NULL, &now) != 0)
        return;
    if (now.ss_sp == own_stack && ((now.ss_flags & SS_ONSTACK) || sigaltstack(&none, NULL) != 0))
        return; /* in use: this thread ends inside a handler */
    munmap(own_stack, STACK_BYTES);
    own_stack = NULL;
}
