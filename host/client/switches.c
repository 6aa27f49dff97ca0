#ifndef TRACY_ENABLE
#define TRACY_ENABLE
#endif
#include "host/client/switches.h"
#include "host/client/include/tendril/switches.h" /* the library's own build may have some */

#include <stdatomic.h>
#include <stdlib.h>

#define TD_X(name, symbol) extern const int td_client_switch_##symbol __attribute__((weak));
TD_SWITCHES(TD_X)
#undef TD_X
extern const char *const td_client_switch_TRACY_CLIENT_ADDRESS __attribute__((weak));

static const struct {
    const char *variable;
    const int *built; /* NULL: the program was built without it */
} switches[TD_SWITCH_COUNT] = {
#define TD_X(name, symbol) {#symbol, &td_client_switch_##symbol},
    TD_SWITCHES(TD_X)
#undef TD_X
};
static atomic_int values[TD_SWITCH_COUNT]; /* + 1; 0: not looked up yet */

int td_client_option(const char *name, int otherwise)
{
    const char *text = getenv(name);
    if (!text || !*text)
        return otherwise;
    char *end;
    long value = strtol(text, &end, 10);
    return *end || value < 0 || value > 1000000000 ? otherwise : (int)value;
}

int td_switch_built(enum td_switch which)
{
    return switches[which].built ? *switches[which].built : 0;
}

int td_switch(enum td_switch which)
{
    int value = atomic_load_explicit(&values[which], memory_order_relaxed);
    if (!value) {
        value = td_client_option(switches[which].variable, td_switch_built(which)) + 1;
        atomic_store_explicit(&values[which], value, memory_order_relaxed);
    }
    return value - 1;
}

const char *td_switch_address(void)
{
    const char *text = getenv("TRACY_CLIENT_ADDRESS");
    if (text && *text)
        return text;
    return &td_client_switch_TRACY_CLIENT_ADDRESS ? td_client_switch_TRACY_CLIENT_ADDRESS : NULL;
}
