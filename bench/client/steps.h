/* Counting instructions without counters of the processor: step by step. */
#pragma once

struct steps {
    double instructions, branches; /* a marker; branches: conditional ones */
};
/* Runs `program` ("marks step KIND") with `environment` ("NAME=VALUE", NULL ends). 0, or -1: it cannot be
 * traced here, or failed. */
int steps_count(const char *program, const char *kind, const char *const *environment, struct steps *steps);
