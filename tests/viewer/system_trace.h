/* A trace with what a system records: context switches, what processors ran, call stacks that were sampled, symbols,
 * machine code and a source file. For the viewer's tests and its benchmark. */
#pragma once
#include "host/trace/trace.h"
#include "host/query/rows/busy.h"

struct system_options {
    uint32_t threads; /* of the program, with tracks; those of odd numbers have no zones */
    uint32_t others;  /* threads of other programs */
    uint32_t cpus;
    uint64_t switches; /* runs of threads on all processors */
    int64_t mean_ns;   /* length of a run */
};
#define SYSTEM_SMALL                                                                                         \
    ((struct system_options){.threads = 6, .others = 3, .cpus = 4, .switches = 2000, .mean_ns = 400000})

#define SYSTEM_PERIOD_NS 100000
#define SYSTEM_PID       1000 /* thread n of the program is SYSTEM_PID + n, those of others are 5000 + n */
/* The functions: main() calls work(), in which hot_loop() is inlined, and which calls memcpy() of a library and
 * a function of the kernel. */
#define SYSTEM_WORK_ADDRESS 0x401000
#define SYSTEM_WORK_BYTES   16
#define SYSTEM_MAIN_ADDRESS 0x402000

/* NULL: no memory. The same at every call. */
struct td_trace *system_trace(const struct system_options *options);
/* The time of the rows until `at`, row by row. */
struct td_busy_times system_time_until(const struct td_busy *b, int64_t at);
