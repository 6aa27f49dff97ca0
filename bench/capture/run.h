/* One capture of a program whose zones wait for it. */
#pragma once

struct plan {
    unsigned long zones;
    unsigned threads, runs;
    const char *shape;
};

/* What a recorder took: processor time of all its threads, most resident memory, from its start to its end. */
struct cost {
    double cpu_seconds, user_seconds, wall_seconds, peak_bytes, file_bytes;
};

/* Runs `marks`, waits until all its zones are in its queues, then runs `capture` (`verb`: NULL, or its first
 * argument) until it has saved `trace`. Returns NULL, or what failed. */
const char *run_capture(const struct plan *plan, const char *marks, const char *capture, const char *verb,
                        const char *trace, struct cost *cost);
