/* The parts of the page (html.h). A part writes to a stream, and reports no errors of it. */
#pragma once
#include "host/report/html/html.h"
#include "host/trace/length_histogram.h"

#include <stdbool.h>

#define BINS 240 /* of the overviews over time */

/* page.css and page.js. */
extern const char td_html_css[], td_html_js[];

/* ---- cells and numbers (write_values.c) ---- */

/* "1.24 ms" in at most 32 bytes. */
const char *td_html_time(char *text, double ns);
const char *td_html_percent(char *text, double part);
/* Table cells; tables are sorted by the exact value. */
void td_html_cell_text(FILE *to, const char *text);
void td_html_cell_time(FILE *to, double ns);
void td_html_cell_count(FILE *to, uint64_t count);
void td_html_cell_percent(FILE *to, double part);
/* Headings, for example "Name|Calls#|Total#": # marks columns of numbers. */
void td_html_table_begin(FILE *to, const char *id, const char *caption, const char *headings);
void td_html_table_end(FILE *to);
/* A line about what was left out; nothing if `count` is 0. */
void td_html_left_out(FILE *to, uint64_t count, const char *what);

/* ---- operations ---- */

struct td_html_op_group {
    const char *name;
    uint64_t calls, stragglers;
    double total_ns;         /* when at least one of them ran, first begin to last end of the kernels */
    double sum_ns, max_ns;   /* of their lengths: where two overlap, the time counts twice */
    double gap_ns;           /* before them, when no operation ran on the device */
    double busy_ns, wait_ns; /* over all cores */
    double risc_ns[TD_OP_RISC_COUNT]; /* sums of the spans */
    double core_excess;               /* sum of longest core / mean core - 1 */
    uint32_t cores_min, cores_max;
    struct td_length_histogram lengths;
};
/* A core straggles that takes longer than the mean core of its operation by this factor. */
#define STRAGGLER_FACTOR 1.25

/* A tile, and how it straggled. */
struct td_html_tile {
    uint32_t device;
    uint16_t x, y;
    uint64_t operations, straggles;
    double excess_ns; /* beyond the mean core, where it straggled */
};

void td_html_write_op_times(FILE *to, const struct td_html_ops *ops);
/* 0 or TD_E_NOMEM. */
int td_html_write_op_chart(FILE *to, const struct td_html_ops *ops);
int td_html_write_op_table(FILE *to, const struct td_html_ops *ops);

/* ---- cores ---- */

struct td_html_core {
    uint32_t track, chip;
    uint16_t x, y;
    uint8_t number;
    uint64_t launches;
    int64_t first_ns, last_ns; /* of its outermost zones */
    int64_t busy_ns;           /* in launches, with waits and stalls */
    int64_t wait_ns, stall_ns; /* zones that wait; stalls and gaps of the lane */
    int64_t gap_ns;            /* stalls and gaps outside of launches */
};
struct td_html_chip {
    uint32_t chip;
    size_t first, count;       /* its cores */
    int64_t first_ns, last_ns; /* of all of its cores */
    uint16_t x_min, x_max, y_min, y_max;
    double busy[BINS], wait[BINS]; /* time of all cores in each part of the trace */
};
struct td_html_zone_sum {
    uint64_t count;
    int64_t total_ns, max_ns;
};
struct td_html_cores {         /* all zero: none */
    struct td_html_core *list; /* by chip, y, x, number */
    size_t count, capacity;
    struct td_html_chip *chips;
    size_t chip_count, chip_capacity;
    struct td_html_zone_sum *zones; /* by source location: those that wait, stalls and gaps */
    size_t zone_count;
    int64_t end_ns; /* of the trace */
};
int td_html_cores_read(struct td_html_cores *cores, const struct td_trace *trace, struct td_err *err);
void td_html_cores_free(struct td_html_cores *cores);
void td_html_write_chips(FILE *to, const struct td_html_cores *cores, const struct td_trace *trace);
void td_html_write_waits(FILE *to, const struct td_html_cores *cores, const struct td_html_ops *ops,
                         const struct td_trace *trace);
void td_html_write_losses(FILE *to, const struct td_html_cores *cores, const struct td_trace *trace);

/* ---- the rest ---- */

void td_html_write_facts(FILE *to, const char *title, const struct td_trace *trace,
                         const struct td_html_ops *ops, const struct td_html_cores *cores);
/* 0 or TD_E_NOMEM. */
int td_html_write_flames(FILE *to, const struct td_html_flames *flames);
void td_html_write_clock(FILE *to, const struct td_trace *trace);
int td_html_write_overview(FILE *to, const struct td_html_cores *cores, const struct td_trace *trace,
                           struct td_err *err);
/* Adds the part of start..end that lies in each of the bins of 0..all. */
void td_html_bins_add(double bins[BINS], int64_t start_ns, int64_t end_ns, int64_t all_ns);
