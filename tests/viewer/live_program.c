/* A program with markers for the test of live sessions. Usage: viewer_live_program THREADS. Each byte that it
 * reads from standard input starts one round, in which every thread marks ROUND zones in a zone around them,
 * and a message; then it marks a frame with an image and plots its parameter "speed", and writes the byte to
 * standard output. It ends at the end of its input. */
#include "tendril/client.h"
#include "tracy/TracyC.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define ROUND 1000
#define MOST  64
#define SPEED 7 /* index of the parameter */
#define SIDE  64

static pthread_barrier_t begin, end;
static int over;
static int speed = 1; /* atomic */

static void set_parameter(void *self, uint32_t index, int32_t value)
{
    if (index == SPEED)
        __atomic_store_n(&speed, value, __ATOMIC_RELAXED);
}

/* A frame whose image is red at first and becomes greener. */
static void mark_frame(int round)
{
    static uint8_t image[SIDE * SIDE * 4];
    for (int i = 0; i < SIDE * SIDE; i++) {
        image[i * 4] = 200;
        image[i * 4 + 1] = (uint8_t)(round * 60);
        image[i * 4 + 3] = 255;
    }
    TracyCFrameImage(image, SIDE, SIDE, 0, 0);
    TracyCFrameMark;
    TracyCPlot("speed", (double)__atomic_load_n(&speed, __ATOMIC_RELAXED));
}

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
    int rounds = 0;
    if (count < 1 || count > MOST)
        return 2;
    pthread_barrier_init(&begin, NULL, (unsigned)count + 1);
    pthread_barrier_init(&end, NULL, (unsigned)count + 1);
    for (intptr_t i = 0; i < count; i++)
        pthread_create(&threads[i], NULL, mark, (void *)i);
    td_client_parameter_register(set_parameter, NULL);
    td_client_parameter_setup(SPEED, "speed", 0, 1);
    TracyCZoneN(still, "still open", 1);
    while (read(0, &byte, 1) == 1) {
        pthread_barrier_wait(&begin);
        pthread_barrier_wait(&end);
        mark_frame(rounds++);
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
