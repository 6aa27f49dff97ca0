/* Wrong markers: one kind of fault, three times. Usage: live_wrong KIND */
#include "tracy/TracyC.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static void make_fault(const char *kind)
{
    TracyCZoneN(zone, "some zone", 1);
    if (!strcmp(kind, "order")) {
        TracyCZoneN(inner, "inner zone", 1);
        TracyCZoneEnd(zone);
        TracyCZoneEnd(inner);
        return;
    }
    TracyCZoneEnd(zone);
    if (!strcmp(kind, "double-end")) {
        TracyCZoneEnd(zone);
    } else if (!strcmp(kind, "text")) {
        TracyCZoneText(zone, "late", 4);
    } else if (!strcmp(kind, "name")) {
        TracyCZoneName(zone, "late", 4);
    } else if (!strcmp(kind, "color")) {
        TracyCZoneColor(zone, 0xff0000);
    } else if (!strcmp(kind, "value")) {
        TracyCZoneValue(zone, 7);
    } else if (!strcmp(kind, "free")) {
        TracyCFree((void *)(uintptr_t)0x1000);
    } else if (!strcmp(kind, "twice")) {
        TracyCAlloc((void *)(uintptr_t)0x2000, 16);
        TracyCAlloc((void *)(uintptr_t)0x2000, 16);
    } else if (!strcmp(kind, "frame")) {
        TracyCFrameMarkEnd("set");
        TracyCFrameMarkEnd("set");
    }
}

int main(int argc, char **argv)
{
    TracyCSetThreadName("the worker");
    for (int i = 0; argc > 1 && i < 3; i++)
        make_fault(argv[1]);
    puts("done");
    return 0;
}
