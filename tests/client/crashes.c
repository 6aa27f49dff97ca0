/* A program that crashes. Usage: client_crashes HOW. A comment "@name" marks a line that tests ask for.
 */
#include "tracy/TracyC.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static void nap_ms(long ms)
{
    struct timespec t = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&t, NULL);
}

static int *volatile nowhere;
static void (*volatile no_function)(void);
static volatile int zero;
static volatile int crashing;

__attribute__((noinline)) void reads_nothing(void)
{
    crashing = 1;
    __asm__ volatile("" : : "r"(*nowhere) : "memory"); /* @null */
}

__attribute__((noinline)) void calls_nothing(void)
{
    no_function(); /* @call */
    zero = 0;
}

__attribute__((noinline)) void divides(void)
{
    zero = 100 / zero; /* @divide */
}

__attribute__((noinline)) void goes_wrong(void)
{
    __builtin_trap(); /* @trap */
}

__attribute__((noinline)) void gives_up(void)
{
    abort(); /* @abort */
}

__attribute__((noinline)) void reads_behind_the_end(void)
{
    FILE *empty = tmpfile();
    int *behind = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fileno(empty), 0);
    __asm__ volatile("" : : "r"(*(volatile int *)behind) : "memory"); /* @bus */
}

__attribute__((noinline)) void writes_to_nobody(void)
{
    int ends[2];
    if (pipe(ends) != 0)
        return;
    close(ends[0]);
    ssize_t n = write(ends[1], "x", 1); /* @pipe */
    zero = (int)n;
}

/* In the middle of writing an event. */
__attribute__((noinline)) void marks_what_is_not_there(void)
{
    TracyCMessage((const char *)16, 100); /* @marker */
    zero = 0;
}

__attribute__((noinline)) int recurses(int depth)
{
    volatile char room[1000];
    room[0] = (char)depth;
    return depth < 0 ? 0 : recurses(depth + 1) + room[0]; /* @overflow */
}

static void *in_thread(void *how)
{
    TracyCZoneN(zone, "in thread", 1);
    ((void (*)(void))how)();
    TracyCZoneEnd(zone);
    return NULL;
}

static void overflows(void)
{
    recurses(0);
}

static void start(void (*how)(void))
{
    pthread_t thread;
    pthread_create(&thread, NULL, in_thread, (void *)how);
}

static void ends_the_program(void)
{
    while (!crashing)
        nap_ms(1);
    for (int i = 0; i < 30; i++)
        nap_ms(1);
    exit(0);
}

/* Many threads crash, others end the program, some hold what the client might want. */
static void all_at_once(void)
{
    for (int i = 0; i < 6; i++)
        start(reads_nothing);
    start(ends_the_program);
    reads_nothing();
}

/* A heap that is broken: found inside malloc(). */
static void breaks_the_heap(void)
{
    volatile char *volatile piece = malloc(50000);
    for (int i = 0; i < 64; i++)
        piece[50000 + i] = -1;
    for (int i = 0; i < 100; i++)
        zero += malloc(100000) != NULL; /* @heap */
}

/* The loader's lock is held. */
static void loads(const char *path)
{
    if (!dlopen(path, RTLD_NOW))
        fprintf(stderr, "%s\n", dlerror());
}

static void on_earlier(int number)
{
    static const char text[] = "the earlier handler ran\n";
    ssize_t n = write(1, text, sizeof text - 1);
    _exit(number == SIGSEGV && n > 0 ? 42 : 43);
}

/* Before the client, which starts before main. */
static void install_earlier(int argc, char **argv)
{
    struct sigaction action = {.sa_handler = on_earlier};
    if (argc > 2 && !strcmp(argv[2], "earlier"))
        sigaction(SIGSEGV, &action, NULL);
}
__attribute__((section(".preinit_array"), used)) static void (*first)(int, char **) = install_earlier;

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } ways[] = {{"null", reads_nothing},    {"call", calls_nothing},
                {"divide", divides},        {"trap", goes_wrong},
                {"abort", gives_up},        {"bus", reads_behind_the_end},
                {"pipe", writes_to_nobody}, {"marker", marks_what_is_not_there},
                {"overflow", overflows},    {"many", all_at_once},
                {"heap", breaks_the_heap}};
    if (argc < 2)
        return 2;
    TracyCZoneN(outer, "unfinished", 1);
    for (int i = 0; i < 10; i++) {
        TracyCZoneN(zone, "done", 1);
        TracyCZoneEnd(zone);
    }
    if (!strcmp(argv[1], "load") && argc > 2)
        loads(argv[2]);
    if (!strcmp(argv[1], "thread"))
        start(overflows);
    if (!strcmp(argv[1], "sent"))
        raise(SIGSEGV);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (!strcmp(argv[1], ways[i].name))
            ways[i].run();
    nap_ms(20000);
    TracyCZoneEnd(outer);
    return 3;
}
