/* A program of random markers, and what it knows of them. The process that starts it shares the memory.
 *
 * Threads act one at a time, in one order that the seed gives. So what has to be in the trace is known exactly: each
 * zone's place in its track, its parent, what was added to it, and the ticks between which it began and ended.
 */
#ifndef TD_TESTS_STRESS_RANDOM_PROGRAM_H
#define TD_TESTS_STRESS_RANDOM_PROGRAM_H
#include <stdint.h>

#define RANDOM_ZONES  400
#define RANDOM_TRACKS 64 /* threads, then fibers */
#define RANDOM_FIBERS 4
#define RANDOM_TEXTS  6 /* of a zone */
#define RANDOM_GPU    60

enum random_fault { RANDOM_END, RANDOM_TEXT, RANDOM_NAME, RANDOM_COLOR, RANDOM_VALUE, RANDOM_FAULTS };

struct random_zone {
    int64_t begin[2], end[2]; /* ticks before and after the marker */
    int parent;               /* the innermost open zone of its track then; -1: none */
    int track, has_ended;
    int checked;                         /* of the C interface */
    int texts[RANDOM_TEXTS], text_count; /* in their order; values are negative */
    int name, color;                     /* the last ones; 0: none */
};
struct random_gpu {
    int64_t time[2];
    int has_ended;
};
struct random_log {
    double tick_ns;
    int64_t begin_ticks;
    int zones, steps, done, messages, gpu, phase; /* phase: what a recorder waits for */
    int faults[RANDOM_FAULTS];                    /* reported by kind */
    int unmatched;
    struct random_zone zone[RANDOM_ZONES];
    struct random_gpu gpu_zone[RANDOM_GPU];
};

enum random_how { RANDOM_SAVED, RANDOM_RECORDED, RANDOM_LATE, RANDOM_TWICE, RANDOM_KILLED, RANDOM_HOWS };

/* Runs the program in this process, which a test has forked. */
void random_program_run(struct random_log *log, unsigned seed, enum random_how how);
#endif
