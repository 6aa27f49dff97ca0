/* Exceeds usual numbers: `limits deep COUNT` enters COUNT zones and leaves none, `limits fibers COUNT` has
 * COUNT fibers with a zone each. */
#include "tracy/TracyC.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void deep(unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        TracyCZoneN(zone, "deep", 1);
        (void)zone;
    }
}

static void fibers(unsigned count)
{
    char(*names)[24] = calloc(count, sizeof *names); /* the client asks for them until the end */
    for (unsigned i = 0; names && i < count; i++) {
        snprintf(names[i], sizeof names[i], "fiber %u", i);
        TracyCFiberEnter(names[i]);
        TracyCZoneN(zone, "work", 1);
        TracyCZoneEnd(zone);
        TracyCFiberLeave;
    }
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    (strcmp(argv[1], "deep") ? fibers : deep)((unsigned)atoi(argv[2]));
    return 0;
}
