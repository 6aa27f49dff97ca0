/* For programs that tests start: if a condition does not hold, print it and exit with 1. */
#pragma once
#include <stdio.h>
#include <stdlib.h>

#define EXPECT(what) expect(what, #what)

static inline void expect(int what, const char *said)
{
    if (what)
        return;
    fprintf(stderr, "not so: %s\n", said);
    exit(1);
}
