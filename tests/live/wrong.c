/* Wrong markers: one kind of fault, three times. Usage: live_wrong KIND */
#include "tracy/TracyC.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *mark_zone(void *context)
{
    TracyCZoneN(zone, "zone of a thread", 1);
    TracyCZoneEnd(zone);
    *(TracyCZoneCtx *)context = zone;
    return NULL;
}

/* A zone of a thread that has ended, when a later thread has marked zones. */
static TracyCZoneCtx zone_of_ended_thread(void)
{
    TracyCZoneCtx ended, other;
    pthread_t thread;
    pthread_create(&thread, NULL, mark_zone, &ended);
    pthread_join(thread, NULL);
    pthread_create(&thread, NULL, mark_zone, &other);
    pthread_join(thread, NULL);
    return ended;
}

static void make_fault(const char *kind)
{
    if (!strcmp(kind, "ended-thread")) {
        TracyCZoneCtx ended = zone_of_ended_thread();
        TracyCZoneValue(ended, 7);
        return;
    }
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
    for (int i = 0; i < 10000 && getenv("TRACY_ON_DEMAND") && !TracyCIsConnected; i++)
        usleep(1000);
    for (int i = 0; argc > 1 && i < 3; i++)
        make_fault(argv[1]);
    puts("done");
    return 0;
}
