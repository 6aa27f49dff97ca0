#include "host/client/encode/callbacks.h"
#include "host/client/platform/client_api.h"
#include "host/client/platform/fork_locks.h"
#include "host/client/platform/pool.h"

static void (*parameter)(void *data, uint32_t idx, int32_t val);
static void *parameter_data;
static char *(*source)(void *data, const char *filename, size_t *size);
static void *source_data;

void td_client_parameter_register(void (*callback)(void *data, uint32_t idx, int32_t val), void *data)
{
    struct td_signals signals;
    td_signals_block(&signals); /* a signal handler that does not return would keep the lock */
    td_fork_lock_acquire(TD_FORK_LOCK_CALLBACKS);
    parameter = callback;
    parameter_data = data;
    td_fork_lock_release(TD_FORK_LOCK_CALLBACKS);
    td_signals_restore(&signals);
}

void td_client_source_register(char *(*callback)(void *data, const char *filename, size_t *size), void *data)
{
    struct td_signals signals;
    td_signals_block(&signals); /* a signal handler that does not return would keep the lock */
    td_fork_lock_acquire(TD_FORK_LOCK_CALLBACKS);
    source = callback;
    source_data = data;
    td_fork_lock_release(TD_FORK_LOCK_CALLBACKS);
    td_signals_restore(&signals);
}

void td_call_parameter(uint32_t idx, int32_t value)
{
    td_fork_lock_acquire(TD_FORK_LOCK_CALLBACKS);
    void (*callback)(void *, uint32_t, int32_t) = parameter;
    void *data = parameter_data;
    td_fork_lock_release(TD_FORK_LOCK_CALLBACKS);
    if (callback)
        callback(data, idx, value);
}

char *td_call_source(const char *filename, size_t *size)
{
    td_fork_lock_acquire(TD_FORK_LOCK_CALLBACKS);
    char *(*callback)(void *, const char *, size_t *) = source;
    void *data = source_data;
    td_fork_lock_release(TD_FORK_LOCK_CALLBACKS);
    *size = 0;
    return callback ? callback(data, filename, size) : NULL;
}
