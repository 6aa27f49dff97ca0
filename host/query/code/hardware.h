/* Samples of the processor's counters: how often an address was met, by kind of counter. */
#pragma once
#include "host/base/json.h"
#include "host/query/code/samples.h"

enum td_hardware_kind { /* in the order of the tables */
                        TD_HARDWARE_CYCLES,
                        TD_HARDWARE_RETIRED,
                        TD_HARDWARE_CACHE_REFERENCES,
                        TD_HARDWARE_CACHE_MISSES,
                        TD_HARDWARE_BRANCHES,
                        TD_HARDWARE_BRANCH_MISSES,
                        TD_HARDWARE_KINDS
};
struct td_hardware {
    uint64_t samples[TD_HARDWARE_KINDS];
};
const char *td_hardware_kind_name(enum td_hardware_kind kind); /* "branch_misses" */
bool td_hardware_is_empty(const struct td_hardware *hardware);
void td_hardware_add(struct td_hardware *to, const struct td_hardware *more);
/* Instructions a cycle, and the parts of cache references and of branches that missed, 0 to 1. False: there are
 * no samples to compute it from. */
bool td_hardware_ipc(const struct td_hardware *hardware, double *ipc);
bool td_hardware_cache_miss_rate(const struct td_hardware *hardware, double *rate);
bool td_hardware_branch_miss_rate(const struct td_hardware *hardware, double *rate);

/* ", 0.50 instructions a cycle, 1.20 % of branches missed", as far as they can be computed; 160 bytes are enough.
 * Returns `text`. */
const char *td_hardware_rates_text(const struct td_hardware *hardware, char *text, size_t room);
/* The object "hardware"; nothing if there are no samples. */
void td_hardware_json(const struct td_hardware *hardware, struct td_json *j);

/* The samples of one row of HW_ADDRESS, within the times of the choice. Hardware samples have no thread: the
 * choice's tracks do not matter. */
void td_hardware_of_row(const struct td_trace *trace, const struct td_samples_choice *choice, uint64_t row,
                        struct td_hardware *found);
