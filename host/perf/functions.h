/* Functions by address, from lists that are texts: the kernel's, from /proc/kallsyms, and those of code that a
 * program made at run time, from /tmp/perf-PID.map, which compilers of such code write. The texts are untrusted. A
 * list is filled by one thread, then thread-safe. */
#pragma once
#include "host/perf/perf.h"

enum td_functions_form {
    TD_FUNCTIONS_KERNEL, /* a function ends where the next one begins */
    TD_FUNCTIONS_JIT     /* lines have lengths; of functions at one address the last line counts */
};
struct td_functions;
struct td_function {
    const char *name, *module; /* module: "" for none. Valid until td_functions_destroy() */
    uint64_t address, bytes;
};
/* NULL: no memory. */
struct td_functions *td_functions_create(const struct td_perf_host *host, enum td_functions_form form);
void td_functions_destroy(struct td_functions *functions); /* NULL is allowed */
/* Adds the functions of a piece of the text; pieces end anywhere. False: no memory. */
bool td_functions_add(struct td_functions *functions, const char *text, size_t bytes);
void td_functions_sort(struct td_functions *functions); /* after the last piece */
/* Reads /proc/kallsyms. NULL: it is unreadable, or has no addresses (kptr_restrict), or no memory. */
struct td_functions *td_functions_of_kernel(const struct td_perf_host *host);
/* Reads a list of JIT code that belongs to the user or to root, and has another length than *bytes, which becomes its
 * length. NULL: there is no such file, or it has no functions, or no memory. */
struct td_functions *td_functions_of_jit(const struct td_perf_host *host, const char *path, uint32_t user,
                                         uint64_t *bytes);
size_t td_functions_count(const struct td_functions *functions);
/* The function that contains the address. False: none does. */
bool td_functions_find(const struct td_functions *functions, uint64_t address, struct td_function *function);
