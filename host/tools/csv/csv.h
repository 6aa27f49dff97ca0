/* What the parts of tendril csvexport share. */
#ifndef TD_HOST_TOOLS_CSV_CSV_H
#define TD_HOST_TOOLS_CSV_CSV_H
#include "host/tools/csv/csv_out.h"
#include "host/trace/trace.h"

/* What the tables of releases differ in. */
struct csv_style {
    const char *name;
    int plain_deviation; /* no deviation is 0: single zones have "-nan" (or "inf") */
    int thread, value;   /* columns of every zone */
    int fork;            /* the fork's columns in place of these */
};

struct csv {
    struct td_trace *trace;
    const struct td_dict *dict;
    const struct csv_style *style;
    const char *filter, *separator;
    const char *special, *special_parent; /* of the fork: names, separated by commas; part of a name */
    int case_sensitive, self, unwrap, messages, plots, gpu;
    long percentile; /* of the truncated mean, 0: none */
    unsigned threads;
    uint64_t memory_bytes; /* what the trace may take, 0: no limit */
    struct csv_out out;
};

/* Locations that have zones (longer than 0) of threads or GPU contexts and pass the filter, in stock's order.
 */
struct csv_locations {
    uint32_t *srclocs;
    size_t count;
};
int csv_find_locations(const struct csv *c, int gpu, struct csv_locations *found, struct td_err *err);

void csv_header(struct csv *c, const char *const *columns);
void csv_location(const struct csv *c, struct csv_out *out, uint32_t srcloc); /* name, file, line */

/* -u and -g: every zone of these locations. */
int csv_zones(struct csv *c, const struct csv_locations *locations, struct td_err *err);
int csv_gpu_zones(struct csv *c, const struct csv_locations *locations, struct td_err *err);
/* -p: points of plots, and of memory pools, as they stand behind -u's zones. */
int csv_plots(struct csv *c, struct td_err *err);
/* For --truncated_mean: the percentile and the mean up to it of each location, two a location. */
int csv_truncated_means(struct csv *c, const struct csv_locations *locations, int64_t *results,
                        struct td_err *err);
#endif
