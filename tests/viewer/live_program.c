/* A program with markers for the test of live sessions. Usage: viewer_live_program THREADS. Each byte that it
 * reads from standard input starts one round, in which every thread marks ROUND zones in a zone around them,
 * and a message; then it writes the byte to standard output. It ends at the end of its input. */
#include "tracy/TracyC.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define ROUND 1000
#define MOST  64

static pthread_barrier_t begin, end;
static int over;

static void *mark(void *number)
{
    char name[32];
    snprintf(name, sizeof name, "worker %d", (int)(intptr_t)number);
    TracyCSetThreadName(name);
    for (;;) {
        pthread_barrier_wait(&begin);
        if (over)
            return NULL;
        TracyCZoneN(round, "round", 1);
        for (int i = 0; i < ROUND; i++) {
            TracyCZoneN(step, "step", 1);
            TracyCZoneEnd(step);
        }
        TracyCMessageL("half");
        TracyCPlot("rounds", (double)(intptr_t)number);
        TracyCZoneEnd(round);
        pthread_barrier_wait(&end);
    }
}

int main(int argc, char **argv)
{
    pthread_t threads[MOST];
    const int count = argc > 1 ? atoi(argv[1]) : 2;
    char byte;
    if (count < 1 || count > MOST)
        return 2;
    pthread_barrier_init(&begin, NULL, (unsigned)count + 1);
    pthread_barrier_init(&end, NULL, (unsigned)count + 1);
    for (intptr_t i = 0; i < count; i++)
        pthread_create(&threads[i], NULL, mark, (void *)i);
    TracyCZoneN(still, "still open", 1);
    while (read(0, &byte, 1) == 1) {
        pthread_barrier_wait(&begin);
        pthread_barrier_wait(&end);
        if (write(1, &byte, 1) != 1)
            return 1;
    }
    TracyCZoneEnd(still);
    over = 1;
    pthread_barrier_wait(&begin);
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
