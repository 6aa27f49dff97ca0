/* The panel Symbols: the zones whose samples it counts. */
#pragma once
#include "host/base/err.h"

struct td_view;

/* Opens the panel with the samples that were taken in zones of that name; NULL: with all samples. 0 or TD_E_NOTFOUND. */
int td_symbols_of_zones(struct td_view *view, const char *name, struct td_err *err);
