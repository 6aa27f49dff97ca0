/* A client for merge4.py: marks the zones, reports that they wait, and ends when they are recorded.
 *
 *   together_zones COUNT */
#include "tracy/TracyC.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    const long count = argc > 1 ? atol(argv[1]) : 0;
    for (long i = 0; i < count; i++) {
        TracyCZoneN(zone, "waiting", 1);
        TracyCZoneEnd(zone);
    }
    puts("ready");
    fflush(stdout);
    return 0;
}
