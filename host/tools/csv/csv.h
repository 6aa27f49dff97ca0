/* The parts of tendril csvexport. */
#pragma once
#include "host/tools/csv/csv_out.h"
#include "host/trace/trace.h"

#include <stdbool.h>

/* The differences between the tables of Tracy's releases. */
struct csv_style {
    const char *name;
    int plain_deviation; /* the deviation of a single zone is "-nan" or "inf", not 0 */
    int thread, value;   /* rows of zones have these columns */
    int fork;            /* rows of zones have the fork's columns instead */
};

struct csv {
    struct td_trace *trace;
    const struct td_dict *dict;
    const struct csv_style *style;
    bool is_style_asked;  /* not --style auto */
    const char *own_name; /* of the zones of the next rows, in the place of their location's; NULL: none */
    const char *filter, *separator;
    const char *text;                     /* of --text; NULL: all zones */
    const char *special, *special_parent; /* the fork's --special NAMES and --special-parent TEXT */
    int case_sensitive, self, unwrap, messages, plots, gpu, compensate;
    long percentile;       /* of the truncated mean; 0: none */
    unsigned threads;      /* as in --threads; 0: one for each processor */
    uint64_t memory_bytes; /* limit of the trace's memory; 0: none */
    struct csv_out out;
};

/* Locations that pass the filter, in stock csvexport's order. Without `gpu`, only those with zones longer
 * than 0. The caller frees `srclocs`. */
struct csv_locations {
    uint32_t *srclocs;
    size_t count;
};
int csv_find_locations(const struct csv *c, int gpu, struct csv_locations *found, struct td_err *err);

void csv_header(struct csv *c, const char *const *columns);
void csv_location(const struct csv *c, struct csv_out *out, uint32_t srcloc); /* the cells name, file, line */

/* -u and -g: a row for every zone of these locations. */
int csv_zones(struct csv *c, const struct csv_locations *locations, struct td_err *err);
int csv_gpu_zones(struct csv *c, const struct csv_locations *locations, struct td_err *err);
/* The name contains the text of --filter. */
bool csv_is_chosen(const struct csv *c, const char *name);
/* The zone's text contains that of --text. */
bool csv_is_text_chosen(const struct csv *c, const char *text);
/* -p: points of plots and of memory pools, which follow the zones of -u. */
int csv_plots(struct csv *c, struct td_err *err);
/* For --truncated_mean: results[2 * i] is the percentile of location i, results[2 * i + 1] the mean of its
 * zones up to the percentile. */
int csv_truncated_means(struct csv *c, const struct csv_locations *locations, int64_t *results,
                        struct td_err *err);
