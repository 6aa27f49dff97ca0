/* A marked program (marks.c) that runs next to the bench, and its recorder. */
#pragma once
#include <stdio.h>
#include <sys/types.h>

struct side {
    pid_t marks, capture; /* 0: does not run */
    FILE *to, *from;      /* the program's input and output */
    int port;
};

/* Starts the program with "NAME=VALUE"s (NULL ends; the port and quiet defaults are added). 0, or -1. */
int side_start(struct side *side, const char *program, const char *const *environment);
/* Starts a recorder, as `capture ... -a 127.0.0.1 -p PORT -f -o TRACE`, `verb` before all that if it is not
 * NULL, and waits until the program is connected. 0, or -1. */
int side_record(struct side *side, const char *capture, const char *verb, const char *trace);
/* Nanoseconds that a marker of the kind took (of "wait": returns when connected), < 0: the program failed. */
double side_mark(struct side *side, const char *kind, unsigned count, unsigned threads);
double side_resident_bytes(const struct side *side);
double side_cpu_ns(const struct side *side); /* of the program, so far */
/* Ends both at once; nothing is saved. */
void side_end(struct side *side);
