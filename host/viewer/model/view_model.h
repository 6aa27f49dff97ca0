/* What a view knows of its trace: where it came from, whether it still grows, and facts that are read once or brought
 * up to date while it grows (timeline/facts.c). */
#pragma once
#include "host/query/facts/losses.h"
#include "host/query/flows/flow.h"
#include "host/query/flows/scan.h"
#include "host/query/rows/fiber_runs.h"
#include "host/query/rows/gpu_clock.h"
#include "host/query/rows/locks.h"
#include "host/query/rows/messages.h"
#include "host/query/rows/sections.h"
#include "host/query/rows/switches.h"
#include "host/viewer/model/live.h"
#include "host/viewer/model/source_paths.h"

struct td_load_options;

/* Least and greatest finite value of the first `points` points of a plot. */
struct td_plot_range {
    double low, high;
    size_t points;
};

/* How exact times are, in ns; 0: not known. */
struct td_time_errors {
    double cost_ns;       /* of recording the start or the end of a zone */
    double resolution_ns; /* of the clock of the program */
    double device_ns;     /* bound on the error of a device's times, in both directions */
};

struct td_gpu_clocks {         /* all zero: all as recorded */
    struct td_gpu_clock *list; /* of the first contexts */
    uint32_t count;
};

#define TD_DESCRIPTION_BYTES 400

struct td_view_model {
    struct td_trace *trace;
    const struct td_dict *dict;
    const char *path;
    uint64_t file_sum;                  /* td_trace_file_sum(): of a trace that has no time of capture */
    uint32_t file_version;              /* of the trace's file; 0: none, or not read yet */
    const struct td_load_options *load; /* how other traces are read; NULL: the defaults */
    struct td_source_paths source_paths;
    char description[TD_DESCRIPTION_BYTES]; /* of the trace, by the user */

    /* A session whose trace still grows; NULL: a trace from a file. */
    struct td_live *live;
    bool loading; /* the file of the trace is still being read, or its zones are being counted */
    int64_t
        rests_ms; /* since when a thread finishes the model, which must not be read or drawn; 0: none does */
    enum td_live_state live_state; /* at the last refresh */
    char live_end[200];            /* why the session ended early; "": it did not */
    unsigned refreshes;
    /* When panels began to count a trace that grows for the last time. */
    uint64_t counted, counted_zones; /* counted: rises each time */
    int64_t counted_ms;

    /* Facts about the trace. */
    int64_t first_ns, last_ns;
    uint64_t zones;
    uint32_t cores;
    bool has_waits, has_losses;
    double settled_ns;    /* zones before that change no more; INFINITY: none does */
    struct td_marks lost; /* zones that mark lost data and stalls */
    struct td_loss_counts losses;
    struct td_flows flows;
    struct td_time_errors errors;
    struct td_locks locks;
    struct td_sections sections;
    struct td_fiber_runs fibers;
    struct td_switches switches;
    bool lacks_switches;              /* more of them are to be read */
    uint64_t stack_count, stack_next; /* of a growing trace, their functions are counted in turns */
    uint16_t *stack_depths;           /* of each row of STACK; NULL: there are no samples */
    struct td_gpu_clocks gpu;
    struct td_plot_range *plots;
    size_t plot_capacity;
    uint32_t plot_count;
    struct td_messages messages; /* of each track, in a live session */
    struct td_scan scan;
};
