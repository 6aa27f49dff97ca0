/* A program with an odd shape of zones. Usage: stress_odd MODE N
 *   deep    N nested zones that never end
 *   fibers  N fibers with a zone each
 * It prints "zones N" at its end: how many it has begun. */
#include "tracy/TracyC.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void begin(void)
{
    TracyCZoneN(zone, "deep", 1);
    (void)zone;
}

/* Names of fibers are literals of the program: the client reads them when the recorder asks. */
static void visit(char *names, size_t bytes, unsigned long i)
{
    char *name = names + i * bytes;
    snprintf(name, bytes, "fiber %lu", i);
    TracyCFiberEnter(name);
    TracyCZoneN(zone, "in a fiber", 1);
    TracyCZoneEnd(zone);
    TracyCFiberLeave;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    unsigned long count = strtoul(argv[2], NULL, 10);
    enum { NAME_BYTES = 32 };
    char *names = strcmp(argv[1], "fibers") ? NULL : malloc(count * NAME_BYTES + 1);
    for (unsigned long i = 0; i < count; i++)
        if (names)
            visit(names, NAME_BYTES, i);
        else
            begin();
    printf("zones %lu\n", count);
    fflush(stdout);
    return 0; /* the names live until the client has answered */
}
