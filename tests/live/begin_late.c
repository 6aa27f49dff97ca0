/* Starts its client itself (TRACY_MANUAL_LIFETIME), then frees what it allocated before the start. */
#include "tendril/client.h"
#include "tracy/TracyC.h"

#include <stdlib.h>

int main(void)
{
    void *volatile before = malloc(5000000);
    ___tracy_startup_profiler();
    if (!td_client_wait_connected(20000))
        return 1;
    free(before);
    free(malloc(1000001));
    ___tracy_shutdown_profiler();
    return 0;
}
