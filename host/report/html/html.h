/* A report about a trace as one HTML page: operations, cores, waits, losses, clocks, host against device. The page
 * refers to nothing outside of itself, and reads without JavaScript; with it, tables can be sorted and filtered.
 *
 * The page's size and the memory that it takes are bounded by the limits below: what has more is cut, and a line
 * of the page says what was left out. */
#pragma once
#include "host/base/err.h"
#include "host/event/map.h"
#include "host/event/name_table.h"
#include "host/report/ops/op_busy.h"
#include "host/trace/trace.h"

#include <stdbool.h>
#include <stdio.h>

#define TD_HTML_OP_NAMES    20000 /* that are counted; further ones are one name */
#define TD_HTML_TABLE_ROWS  500   /* of a table */
#define TD_HTML_CHART_ROWS  20
#define TD_HTML_CORES       4000 /* that are drawn */
#define TD_HTML_THREADS     12   /* in the overview */
#define TD_HTML_CHIPS       16
#define TD_HTML_LINES       100  /* of a list */
#define TD_HTML_DOUBTS      20   /* operations in doubt that are listed */
#define TD_HTML_FLAME_BOXES 2500 /* of a flame graph */
#define TD_HTML_FLAME_ROWS  120

/* A flame graph: boxes depth first, of each the widest in it first; the first one is all. Totals of zones are ns. */
struct td_html_box {
    const char *name;
    uint64_t total, self, zones;
    uint32_t depth;
};
struct td_html_flame { /* all zero: none */
    const struct td_html_box *boxes;
    size_t count;
    bool is_samples;
};
struct td_html_flames {
    struct td_html_flame zones, samples;
};

/* Sums of operations by name; all zero: none. */
struct td_html_op_group;
struct td_html_tile;
struct td_html_ops {
    struct td_html_op_group *groups;
    size_t count, capacity;
    struct td_name_table names; /* the numbers of the groups */
    uint64_t left_out;          /* operations with names beyond TD_HTML_OP_NAMES; they are in the group "" */
    uint64_t open;              /* operations that have not ended; they are in no group */
    uint64_t doubted;           /* whose times cannot be right; they are in no group either */
    struct td_html_doubt {
        char name[80];
        uint32_t device, run_id;
        enum td_op_doubt doubt;
    } doubts[TD_HTML_DOUBTS]; /* the first ones of them */
    uint64_t overlaps;        /* operations that ran while one before them on their device ran */
    double busy_ns, gap_ns;   /* of all devices: operations ran; between operations none ran */
    struct td_map busy_numbers;
    struct td_busy_span *busy; /* of a name on a device */
    size_t busy_count, busy_capacity;
    struct td_html_tile *tiles;
    size_t tile_count, tile_capacity;
    struct td_map tile_numbers;
};
/* Adds an operation, which has its label as its name, to a struct td_html_ops. 0 or TD_E_NOMEM. */
int td_html_ops_add(void *ops, const struct td_op_sum *op, struct td_err *err);
void td_html_ops_free(struct td_html_ops *ops);

/* Writes the page. `title` is usually the trace's path. `trace` NULL: a page about the operations alone; then `flames`
 * is NULL, too. The trace must be finished. Does not flush the stream. 0, TD_E_IO or TD_E_NOMEM. */
int td_html_write(FILE *to, const char *title, const struct td_trace *trace,
                  const struct td_html_flames *flames, const struct td_html_ops *ops, struct td_err *err);
/* The same with the operations of the trace, named as its host program named them. `ops`: all zero; afterwards
 * what the page has, which the caller frees. */
int td_html_write_trace(FILE *to, const char *title, const struct td_trace *trace,
                        const struct td_html_flames *flames, struct td_html_ops *ops, struct td_err *err);
