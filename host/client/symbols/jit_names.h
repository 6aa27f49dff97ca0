/* Names of code that programs make at run time: compilers of such code write /tmp/perf-PID.map for profilers. The
 * files grow while the program runs, so they are read again for addresses that they lacked. A set belongs to one
 * thread. */
#pragma once
#include "host/perf/functions.h"

#define TD_JIT_PROCESSES 8 /* whose names are kept at a time */
/* All zero at first. */
struct td_jit_names {
    struct td_jit_process {
        uint32_t process; /* 0: none */
        uint64_t bytes;   /* of the file, when it was read */
        int64_t looked_ns;
        struct td_functions *functions; /* NULL: none */
    } at[TD_JIT_PROCESSES];
    unsigned next; /* the place that is given to another process next */
};
void td_jit_names_free(struct td_jit_names *names);
/* The function of a process at an address of that process. False: none is known. */
bool td_jit_names_find(struct td_jit_names *names, uint32_t process, uint64_t address,
                       struct td_function *function);
