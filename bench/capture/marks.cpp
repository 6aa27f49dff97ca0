// A program whose zones wait for a recorder: built against our headers and against stock's.
//
//   marks ZONES THREADS [SHAPE]   marks ZONES zones in THREADS threads, writes "ready" and ends when a recorder
//                                 has them (TRACY_NO_EXIT=1). SHAPE: nested (default) or flat.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tracy/Tracy.hpp>

static unsigned long zones_of_thread;
static bool is_flat;

static void work(unsigned rounds)
{
    for (unsigned i = 0; i < rounds; i++)
        __asm__ volatile("" : : "r"(i));
}

static void leaf(unsigned rounds)
{
    ZoneScopedN("leaf");
    work(rounds);
}

static void other_leaf(unsigned rounds)
{
    ZoneScopedN("other leaf");
    work(rounds);
}

// Eight zones: one with three children, which have four.
static void step(unsigned long i)
{
    ZoneScopedN("step");
    {
        ZoneScopedN("load");
        leaf(i & 15);
        leaf(i & 7);
    }
    {
        ZoneScopedN("compute");
        other_leaf(40 + (i & 31));
        leaf(5);
    }
    {
        ZoneScopedN("store");
        work(20);
    }
}

static void *run_thread(void *)
{
    if (is_flat) {
        for (unsigned long i = 0; i < zones_of_thread; i++)
            leaf(i & 15);
    } else {
        for (unsigned long i = 0; i < zones_of_thread / 8; i++)
            step(i);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    enum { MOST = 64 };
    pthread_t threads[MOST];
    unsigned count = argc > 2 ? (unsigned)atoi(argv[2]) : 0;
    if (argc < 3 || !count || count > MOST) {
        fprintf(stderr, "usage: marks ZONES THREADS [nested|flat]\n");
        return 2;
    }
    zones_of_thread = strtoul(argv[1], NULL, 10) / count;
    is_flat = argc > 3 && !strcmp(argv[3], "flat");
    for (unsigned i = 0; i < count; i++)
        if (pthread_create(&threads[i], NULL, run_thread, NULL))
            return 1;
    for (unsigned i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    printf("ready\n");
    fflush(stdout);
    return 0;
}
