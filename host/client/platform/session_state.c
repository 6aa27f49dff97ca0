#include "host/client/platform/session_state.h"

#include <stdatomic.h>

static atomic_int state;

void td_session_enter(enum td_client_state next)
{
    atomic_store(&state, next);
}

int td_session_state(void)
{
    return atomic_load_explicit(&state, memory_order_relaxed);
}
