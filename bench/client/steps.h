/* Counting instructions without counters of the processor: step by step. */
#ifndef TD_BENCH_CLIENT_STEPS_H
#define TD_BENCH_CLIENT_STEPS_H

struct steps {
    double instructions, branches; /* a marker; branches: conditional ones */
};
/* Runs `program` ("marks step KIND") with `environment` ("NAME=VALUE", NULL ends). 0, or -1: it cannot be
 * traced here, or failed. */
int steps_count(const char *program, const char *kind, const char *const *environment, struct steps *steps);
#endif
