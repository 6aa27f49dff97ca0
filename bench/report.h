/* Lines of a benchmark: what was measured, against what, and the limit it is held to. */
#pragma once
#include <stdint.h>

struct report {
    const char *program; /* for messages */
    int json, failed;
    int lenient; /* 1: what is over its limit is said, and no failure */
};

/* `baseline`, `limit`: NAN for none. A limit is the least (at_least) or the most that `ours` should be. */
void report(struct report *r, const char *name, const char *unit, double ours, double baseline, double limit);
/* The same for a limit that is the most: what is over it is marked, and a failure. */
void report_most(struct report *r, const char *name, const char *unit, double ours, double baseline,
                 double limit);
/* The same for a limit that is the least: what is below it is a failure. */
void report_least(struct report *r, const char *name, const char *unit, double ours, double baseline,
                  double limit);
/* The line above the others; none for machines. */
void report_head(const struct report *r);
/* A line for people only: what is not measured here and why, how something was made. */
void report_note(const struct report *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Something failed: said on stderr; the program ends with 1. Returns -1. */
int report_failure(struct report *r, const char *what, const char *why);
/* For those that convert a trace of zones: reads --json, --no-limits, --quick (so many zones), --zones N and --folder DIR.
 * `zones` and `folder` have the defaults. 0, or -1 after a failure that was said. */
int report_zones_options(struct report *r, int argc, char **argv, uint64_t quick_zones, uint64_t *zones,
                         const char **folder);
/* A line of /proc/self/status in MB: "VmRSS" is the memory of this process, "VmHWM" its peak. */
double memory_mb(const char *field);
/* From now on, the peak is that of what follows. */
void forget_memory_peak(void);
/* Seconds of real time and of this process's processors. */
double wall_seconds(void);
double cpu_seconds(void);
double thread_cpu_seconds(void);

struct program_cost {
    double wall_seconds, cpu_seconds; /* cpu: with all processes that it has waited for */
    double peak_bytes;
};
/* Runs a program, by its path, in the folder, or with NULL in the present one. `quiet`: without its output. 0, or -1: it
 * failed. */
int program_cost(const char *const arguments[], const char *folder, int quiet, struct program_cost *cost);
