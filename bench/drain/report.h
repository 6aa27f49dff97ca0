/* Lines of a benchmark: what was measured, against what, and the limit it is held to. */
#ifndef TD_BENCH_DRAIN_REPORT_H
#define TD_BENCH_DRAIN_REPORT_H

struct report {
    int json, failed;
};

/* `baseline`, `limit`: NAN for none. A limit is the least (at_least) or the most that `ours` should be. */
void report(struct report *r, const char *name, const char *unit, double ours, double baseline, double limit);
/* A line for people only: what is not measured here and why, how something was made. */
void report_note(const struct report *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Something failed: said on stderr; the program ends with 1. */
void report_failure(struct report *r, const char *what, const char *why);
/* Seconds of real time and of this process's processors. */
double wall_seconds(void);
double cpu_seconds(void);
double thread_cpu_seconds(void);

/* The parts. */
void bench_unpack(struct report *r);
void bench_transports(struct report *r);
void bench_kernels(struct report *r);
void bench_policies(struct report *r);
#endif
