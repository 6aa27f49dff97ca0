/* A program of random markers, and what it knows of them. The process that starts it shares the memory.
 *
 * Threads act one at a time, in one order that the seed gives. So what has to be in the trace is known exactly: each
 * zone's place in its track, its parent, what was added to it, and the ticks between which it began and ended.
 */
#pragma once
#include <stdint.h>

#define RANDOM_ZONES    400
#define RANDOM_TRACKS   64 /* threads, then fibers */
#define RANDOM_FIBERS   4
#define RANDOM_TEXTS    6 /* of a zone */
#define RANDOM_GPU      60
#define RANDOM_CONTEXTS 2

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
    int64_t time[2]; /* of the GPU: begin and end; zones overlap in any way */
    int context, has_time[2];
};
struct random_log {
    double tick_ns;
    int64_t begin_ticks;
    int zones, done, messages, gpu;
    int steps, phase;          /* what a recorder waits for */
    int faults[RANDOM_FAULTS]; /* reported by kind */
    int unmatched;
    struct random_zone zone[RANDOM_ZONES];
    struct random_gpu gpu_zone[RANDOM_GPU];
};

enum random_how {
    RANDOM_SAVED,
    RANDOM_RECORDED,
    RANDOM_LATE,    /* the recorder comes after some steps */
    RANDOM_TWICE,   /* on demand: a second recorder comes in the middle */
    RANDOM_KILLED,  /* the program is */
    RANDOM_TENDRIL, /* by `tendril record -a`, late */
    RANDOM_CRASHED, /* the program and `tendril capture` are killed, and the journal is recovered */
    RANDOM_HOWS
};
/* Phases: 1 the recorder is connected, 2 the program waits in the middle, 3 it continues. */

/* Runs the program in this process, which a test has forked. log[1] becomes what log[0] was in the middle. */
void random_program_run(struct random_log log[2], unsigned seed, enum random_how how);
