#include "host/client/symbols/loader.h"

#include <stdbool.h>
#include <stdatomic.h>

enum { OUTSIDE, INSIDE, CLOSED };
static atomic_int loader;

bool td_loader_enter(void)
{
    int outside = OUTSIDE;
    return atomic_compare_exchange_strong(&loader, &outside, INSIDE);
}

void td_loader_leave(void)
{
    int inside = INSIDE;
    atomic_compare_exchange_strong(&loader, &inside, OUTSIDE);
}

bool td_loader_close(void)
{
    return atomic_exchange(&loader, CLOSED) == INSIDE;
}
