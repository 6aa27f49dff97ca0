/* What bench/client measures: every part takes ours and, where there is one, stock's in turn. */
#pragma once
#include "bench/report.h"
#include <limits.h>

struct plan {
    unsigned rounds, count; /* of every marker: measurements, and markers in one */
    unsigned waiting;       /* zones that wait to be sent */
    unsigned flood;         /* zones at full speed, a thread */
    unsigned tries;         /* of what is measured in processes of its own */
    unsigned idle_ms;
};
enum { OURS, STOCK, SIDES };
struct program {
    char marks[PATH_MAX], marks_off[PATH_MAX]; /* the second: on demand */
    char capture[PATH_MAX];
    const char *verb; /* of capture, or NULL */
};
struct bench {
    struct report report;
    struct plan plan;
    int sides; /* 1: no stock */
    struct program program[SIDES];
    char folder[PATH_MAX / 2]; /* for what is made here */
};

/* All of them report; 0, or -1: that it failed has been said. */
int measure_connected(struct bench *b); /* markers with a recorder, then nothing, then too many */
int measure_waiting(struct bench *b);   /* zones that wait for a connection, and sending them */
int measure_off(struct bench *b);       /* on demand, without a connection */
int measure_steps(struct bench *b);     /* instructions and branches */
/* The processor time of sampling; on its own (`client sampling`), because it needs another build of stock's client. */
int measure_sampling(struct report *r, int rounds, int seconds);
