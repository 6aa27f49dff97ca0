/* The number of messages that are ready, for poll(): an eventfd that is readable while it is not 0. */
#pragma once
#include <stdint.h>
#include <unistd.h>

static inline void td_ready_set(int event, int *count, int now)
{
    uint64_t one = 1;
    if (*count == 0 && now > 0)
        (void)!write(event, &one, sizeof one);
    else if (*count > 0 && now == 0)
        (void)!read(event, &one, sizeof one);
    *count = now;
}
