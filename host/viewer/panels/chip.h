/* The panel Chips. */
#pragma once
#include "host/base/err.h"

#include <stddef.h>

struct td_view;

/* Opens the panel with a measure, by its name in lower case. 0, or TD_E_USAGE: *err lists what there is. */
int td_chip_show_measure(struct td_view *view, const char *name, struct td_err *err);
const char *td_chip_measure_word(size_t index); /* NULL: there are no more */

/* Opens the panel and begins a sweep (sweep.h). `steps`: a number, NULL: TD_SWEEP_STEPS; "stop" ends it. 0 or
 * TD_E_USAGE. */
int td_chip_sweep(struct td_view *view, const char *steps, struct td_err *err);
