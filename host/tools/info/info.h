/* The parts of tendril info. */
#ifndef TD_HOST_TOOLS_INFO_INFO_H
#define TD_HOST_TOOLS_INFO_INFO_H
#include "host/base/err.h"
#include "host/tools/shared/json.h"
#include "host/trace/trace.h"

/* Counts and times of one track. */
struct info_track {
    uint64_t zones, open;
    int64_t first_ns, last_ns; /* first start and last end of its zones; first > last: no zones */
    int64_t busy_ns;           /* total time of the finished outermost zones */
};
struct info_track info_track(const struct td_trace *trace, uint32_t track);
/* The track's name, which may be in `room`; "???": it has none. */
#define INFO_TRACK_BYTES 300
const char *info_track_name(const struct td_trace *trace, uint32_t track, char room[INFO_TRACK_BYTES]);

/* Zones of one location in one track. */
struct info_count {
    uint64_t finished, open;
    int64_t total_ns;
};
/* Counts the track's zones by location. `counts` has an element for each location, all zero. */
void info_count_names(const struct td_trace *trace, uint32_t track, struct info_count *counts);

struct info_totals {
    uint64_t threads, cores, gpu_rows;
    uint64_t zones, open, gpu_zones, gpu_open;
};
struct info_totals info_totals(const struct td_trace *trace);

/* Formats a TD_FILE_VERSION: "0.11.1"; 0: "". Returns `to`. */
const char *info_version(char *to, size_t bytes, uint32_t version);
const char *info_gpu_type(int64_t type);

/* A pool of memory: allocations, and those that were never released. */
struct info_pool {
    uint64_t events, active, active_bytes, peak_bytes;
};
int info_pool(const struct td_trace *trace, uint64_t pool, struct info_pool *found);

/* The lines "samples", "waits" and "switches" of the text; nothing where there are none. 0 or TD_E_NOMEM. */
int info_print_samples(const struct td_trace *trace, struct td_err *err);
/* The parts "samples", "wait_stacks" and "context_switches" of the JSON. 0 or TD_E_NOMEM. */
int info_json_samples(struct td_json *j, const struct td_trace *trace, struct td_err *err);

/* "1.50 us", in `to`. */
/* Prints the first line of a text, shortened or padded to `width`; that there are more rows than are printed. */
void info_print_cell(const char *text, int width);
void info_print_more(size_t hidden);

/* Prints what markers cost the cores, at most `limit` of them; nothing where the trace does not say it.
 * The part "bill" of the JSON. 0 or TD_E_NOMEM. */
int info_print_bill(const struct td_trace *trace, size_t limit, struct td_err *err);
int info_json_bill(struct td_json *j, const struct td_trace *trace, struct td_err *err);

/* Prints who waited for whom, and the launches of an operation with their waits. */
struct info_waits_request {
    bool waits;            /* in all of the trace */
    long op;               /* in the launches of this operation; negative: of none */
    size_t limit;          /* of rows */
    const char *json_path; /* the trace's name: prints JSON; NULL: text */
};
int info_print_waits(const struct td_trace *trace, const struct info_waits_request *request,
                     struct td_err *err);

/* Prints the JSON that docs/info-json.md describes, to standard output. compensated: the trace is a
 * compensated copy. 0 or TD_E_NOMEM. */
int info_json(const struct td_trace *trace, const char *path, uint32_t version, bool compensated,
              struct td_err *err);
/* The part of info_json() that is made from tables: GPU contexts, locks, memory ... */
int info_json_tables(struct td_json *j, const struct td_trace *trace, struct td_err *err);
#endif
