/* The sums of zones, or with work->samples of samples, by call stack below each track: those of the viewer's flame graph. */
#pragma once
#include "host/query/sums/flame.h"
#include "host/tools/export/export.h"

/* td_flame_free() frees the flame also after a failure. */
int export_flame_make(const struct export_work *work, struct td_flame *flame, struct td_err *err);
