/* The panel Chips. */
#ifndef TD_HOST_VIEWER_PANELS_CHIP_H
#define TD_HOST_VIEWER_PANELS_CHIP_H
#include "host/base/err.h"

struct td_view;

/* Opens the panel and begins a sweep (sweep.h). `steps`: a number, NULL: TD_SWEEP_STEPS; "stop" ends it. 0 or
 * TD_E_USAGE. */
int td_chip_sweep(struct td_view *view, const char *steps, struct td_err *err);
#endif
