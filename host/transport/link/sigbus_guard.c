#include "host/transport/link/sigbus_guard.h"

#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

enum { RANGES = 512, PAGE_BYTES = 4096 };

/* Read by the handler. A range is in use while `bytes` is not 0. */
static struct guarded_range {
    uintptr_t start;
    size_t bytes;
    int hit;
} ranges[RANGES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct sigaction before;
static int installed;

static struct guarded_range *range_of(uintptr_t address)
{
    for (int i = 0; i < RANGES; i++) {
        size_t bytes = __atomic_load_n(&ranges[i].bytes, __ATOMIC_ACQUIRE);
        if (bytes && address - ranges[i].start < bytes)
            return &ranges[i];
    }
    return NULL;
}

static void pass_on(int number, siginfo_t *info, void *context)
{
    if (before.sa_flags & SA_SIGINFO) {
        before.sa_sigaction(number, info, context);
    } else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
        before.sa_handler(number);
    } else {
        /* The access is made again, and ends the process as it would have without this handler. */
        signal(SIGBUS, SIG_DFL);
    }
}

static void on_fault(int number, siginfo_t *info, void *context)
{
    struct guarded_range *range = range_of((uintptr_t)info->si_addr);
    if (!range || info->si_code <= 0) {
        pass_on(number, info, context);
        return;
    }
    void *page = (void *)((uintptr_t)info->si_addr & ~(uintptr_t)(PAGE_BYTES - 1));
    if (mmap(page, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) !=
        page) {
        pass_on(number, info, context);
        return;
    }
    memset(page, 0xff, PAGE_BYTES);
    __atomic_store_n(&range->hit, 1, __ATOMIC_RELEASE);
}

int td_sigbus_guard_add(void *map, size_t bytes, struct td_err *err)
{
    int found = TD_E_LIMIT;
    pthread_mutex_lock(&lock);
    if (!installed) {
        struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER};
        sigemptyset(&action.sa_mask);
        installed = sigaction(SIGBUS, &action, &before) == 0;
    }
    for (int i = 0; installed && found < 0 && i < RANGES; i++)
        if (ranges[i].bytes == 0)
            found = i;
    if (found >= 0) {
        ranges[found].start = (uintptr_t)map;
        ranges[found].hit = 0;
        __atomic_store_n(&ranges[found].bytes, bytes, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&lock);
    return found >= 0 ? found : td_fail(err, TD_E_LIMIT, "too many pieces of device memory are in use");
}

void td_sigbus_guard_remove(int range)
{
    if (range >= 0)
        __atomic_store_n(&ranges[range].bytes, 0, __ATOMIC_RELEASE);
}

bool td_sigbus_guard_hit(int range)
{
    return range >= 0 && __atomic_load_n(&ranges[range].hit, __ATOMIC_ACQUIRE);
}
