// For the programs of this folder.
#pragma once
#include <time.h>

// Stock's capture of 0.9.0 looks for a connection every 100 ms and waits forever for one that is over.
static inline void linger()
{
    const struct timespec while_it_looks = {0, 300000000};
    nanosleep(&while_it_looks, nullptr);
}
