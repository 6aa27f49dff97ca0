/* Samples and hardware samples by function. */
#pragma once
#include "host/query/code/hardware.h"
#include "host/query/code/samples.h"

struct td_symbol_sum {
    uint64_t address;     /* of the function; 0: not known */
    uint64_t bytes;       /* of its code; 0: not known */
    uint32_t name, file;  /* strings; name 0: functions of which nothing is known */
    uint32_t line, image; /* where it begins; string */
    bool is_inlined, is_kernel;
    uint64_t self;  /* samples in the function itself */
    uint64_t total; /* samples in it and in what it calls; a sample counts once, also in recursion */
    struct td_hardware hardware;
};
struct td_symbol_sums { /* by self, then total, descending; then by name */
    struct td_symbol_sum *at;
    size_t count;
    uint64_t samples; /* that were counted */
};

/* `inlines`: inlined functions have sums of their own. Else their samples are those of the function that they
 * are inlined into. `choice` is the one of the counts; hardware samples are chosen by its times. 0, TD_E_STOPPED
 * or TD_E_NOMEM. */
int td_symbol_sums_make(const struct td_trace *trace, const struct td_samples_choice *choice,
                        const struct td_stack_counts *counts, bool inlines,
                        const struct td_progress *progress, struct td_symbol_sums *sums, struct td_err *err);
void td_symbol_sums_free(struct td_symbol_sums *sums);
/* The name, never NULL: "[unknown]" for name 0. */
const char *td_symbol_sum_name(const struct td_trace *trace, const struct td_symbol_sum *sum);
/* "ns::f" is a name of "ns::f(int)" and of "ns::f". */
bool td_is_function_name(const char *whole, const char *name);
/* Finds a function by its name as in the sums, by the name without parameters, or by its address ("0x...").
 * NULL: there is none. If several have the name, the one with most samples is found; *others, if not NULL, is the
 * number of further ones. */
const struct td_symbol_sum *td_symbol_sums_find(const struct td_symbol_sums *sums,
                                                const struct td_trace *trace, const char *name,
                                                size_t *others);
