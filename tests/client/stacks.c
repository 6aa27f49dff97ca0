/* A program whose call stacks are known to the line. Usage: client_stacks MODE. Tests read the numbers of
 * marked lines from this file: a comment "@name" marks the line of a call. */
#include "tracy/TracyC.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEPTH 20

/* Called in the middle, so that what follows a call is no excuse for a wrong line. */
__attribute__((noinline)) static void used(int value)
{
    __asm__ volatile("" : : "r"(value) : "memory");
}

__attribute__((noinline)) void leaf(int kind)
{
    used(1);
    if (kind == 0) {
        TracyCZoneNS(zone, "stack of zone", DEPTH, 1); /* @zone */
        used(2);
        TracyCZoneEnd(zone);
    } else if (kind == 1) {
        TracyCMessageS("stack of message", 16, DEPTH); /* @message */
    } else if (kind == 2) {
        TracyCMessageLS("stack of literal", DEPTH); /* @literal */
    } else if (kind == 3) {
        TracyCAllocNS((void *)0x1000, 16, DEPTH, "stacks"); /* @alloc */
        TracyCFreeNS((void *)0x1000, DEPTH, "stacks");      /* @free */
    } else {
        uint64_t made = ___tracy_alloc_srcloc_name(1, "made.c", 6, "made", 4, "stack of made", 13, 0);
        TracyCZoneCtx zone = ___tracy_emit_zone_begin_alloc_callstack(made, DEPTH, 1); /* @made */
        TracyCZoneEnd(zone);
    }
    used(3);
}

static inline __attribute__((always_inline)) void inner(int kind)
{
    used(4);
    leaf(kind); /* @inner */
    used(5);
}

static inline __attribute__((always_inline)) void outer(int kind)
{
    used(6);
    inner(kind); /* @outer */
    used(7);
}

__attribute__((noinline)) void root(int kind)
{
    used(8);
    outer(kind); /* @root */
    used(9);
}

/* Calls a function that never returns: its return address is after the caller's end. */
__attribute__((noinline, noreturn)) static void leaves(void)
{
    TracyCMessageLS("stack of the last", DEPTH); /* @last */
    exit(0);
}

__attribute__((noinline)) void ends(void)
{
    used(10);
    leaves(); /* @ends */
}

/* plugin PATH: a library that is unloaded before its names are asked for. */
static int with_plugin(const char *path)
{
    void *plugin = dlopen(path, RTLD_NOW);
    if (!plugin) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    void (*call)(void (*)(int)) = (void (*)(void (*)(int)))dlsym(plugin, "plugin_call");
    call(leaf);
    if (getenv("PLUGIN_WAITS"))
        td_client_wait_connected(10000);
    dlclose(plugin);
    return 0;
}

/* stay: all, then the thread gets its name, and the program stays until it is killed. */
static void *stays(void *nothing)
{
    for (int kind = 0; kind < 5; kind++)
        root(kind);
    usleep(300000); /* the thread was seen under another name */
    TracyCSetThreadName("named late");
    for (;;)
        pause();
    return nothing;
}

static int stay(void)
{
    pthread_t thread;
    return pthread_create(&thread, NULL, stays, NULL) || pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "all";
    if (!strcmp(mode, "all"))
        for (int kind = 0; kind < 5; kind++)
            root(kind);
    else if (!strcmp(mode, "stay"))
        return stay();
    else if (!strcmp(mode, "last"))
        ends();
    else if (!strcmp(mode, "plugin") && argc > 2)
        return with_plugin(argv[2]);
    else
        return 2;
    return 0;
}
