/* The writers of `tendril export`: each is a file of this room and a line of EXPORT_FORMATS. They read the trace from
 * beginning to end and keep no rows. */
#pragma once
#include "host/base/err.h"
#include "host/base/options.h"
#include "host/base/progress.h"
#include "host/trace/trace.h"

/* X(name) */
#define EXPORT_FORMATS(X) X(csv) X(sqlite) X(parquet) X(folded) X(speedscope) X(chrome) X(perfetto) X(pprof)

struct export_work {
    const struct td_trace *trace;
    const char *path;                   /* of the file or folder */
    struct td_words tables;             /* csv, sqlite, parquet: only these; none: all */
    bool samples;                       /* folded: samples instead of zones */
    const struct td_progress *progress; /* in rows or zones */
};

/* 0 or a negative enum td_e; then nothing is left at the path but what was there. */
#define TD_X(name) int export_##name(const struct export_work *work, struct td_err *err);
EXPORT_FORMATS(TD_X)
#undef TD_X
