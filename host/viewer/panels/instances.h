/* The panel with the instances of a name: its state and its histogram. */
#pragma once
#include "host/query/sums/bins.h"
#include "host/query/sums/instance_tables.h"
#include "host/viewer/panels/instances_job.h"
#include "host/viewer/panels/table_panel.h"

struct instances_plot {
    bool linear_time, linear_counts; /* the scales; logarithmic at first */
    bool times;                      /* bars show the time in a bin instead of the count */
    bool no_line;                    /* without the cumulative line */
    int least; /* as many zones the outermost bins have at least: 10 to the power of it */
    bool dragging;
    int64_t drag_from_ns;
    /* What the bins are of. */
    struct td_bins bins;
    uint64_t *group_counts; /* of the chosen group, by bin; TD_BINS_MOST */
    uint64_t version, list_version;
    int width, made_least;
    bool log;
};
#define TD_PLOT_LEASTS 4

struct instances {
    struct td_instances_job set;
    const char *name; /* NULL: none chosen */
    enum td_length length;
    char field[128], made_of[128]; /* the text field, and what the name was last chosen by */
    /* The names last seen in the view, to notice a choice. */
    struct td_zone_ref selected;
    char search[128];
    const char *search_only;

    bool ranged; /* only lengths from_ns .. to_ns are listed */
    int64_t from_ns, to_ns;

    enum td_instance_by grouping;
    struct td_job group_job, list_job;
    struct td_instance_groups groups_made, groups;
    uint64_t groups_version; /* changes with `groups` */
    size_t group;            /* the chosen one; SIZE_MAX: none */
    struct td_table_list group_list;

    struct td_instance_list list_made, list;
    uint64_t list_version;
    size_t request_group, request_low, request_high; /* of the jobs that run */
    enum td_instance_sort request_sort;
    const struct td_trace *trace;
    struct td_instance_zones_wanted zones;
    struct td_table_list zone_list;
    bool zones_first; /* where one of the two lists fits: the zones */
    bool started;
    struct instances_plot plot;
};

/* instances_jobs.c */
/* Takes the name that the user chose last: by typing, by a search or by selecting a zone. */
void td_instances_choose_name(struct td_view *view, struct instances *s);
/* Starts the jobs that are needed, and takes what they have made. */
void td_instances_run_jobs(struct td_view *view, struct instances *s);
void td_instances_stop_jobs(struct instances *s);
bool td_instances_busy(const struct td_view *view);
bool td_instances_shown(const struct instances *s); /* there are zones to show */
/* The ranks of the lengths that are listed: low .. high - 1. */
void td_instances_ranks(const struct instances *s, size_t *low, size_t *high);
/* Selects the row of the selected zone. */
void td_instances_follow_selection(struct td_view *view, struct instances *s);

/* instances_plot.c */
/* Draws the histogram and takes its mouse. True: the range of lengths was changed. */
bool td_instances_draw_plot(struct td_view *view, struct instances *s, const struct td_rect *place);
/* The zones that the outermost bins have at least. */
uint64_t td_instances_least(const struct instances_plot *plot);
/* The middle of the fullest bin; negative: there are no bins of these zones. */
double td_instances_mode(const struct instances *s);
void td_instances_free_plot(struct instances *s);
