/* The instances of a name (query/sums/instances.h), made in the background for a panel. */
#pragma once
#include "host/query/sums/instances.h"

struct td_view;

struct td_instances_job { /* all zero: none yet */
    struct td_job job;
    struct td_instances_wanted wanted; /* the request; its name belongs to the dictionary */
    struct td_lane_choice lanes;       /* its lanes */
    struct td_instances made, shown;
    struct td_instances_wanted shown_as; /* name NULL: nothing is shown yet */
    uint64_t version;                    /* changes with `shown` */
};

/* Starts to make the instances of that name if they are not there: those in the chosen range (limits.c) and in lanes
 * that pass the filter, or, not `limited`, all of the trace. True: they have just become ready; the caller lets nobody read `shown` and
 * calls td_instances_take(). */
bool td_instances_want(struct td_view *view, struct td_instances_job *job, const char *name,
                       enum td_length length, bool limited);
void td_instances_take(struct td_instances_job *job);
void td_instances_job_free(struct td_instances_job *job);
/* The name by which the instances of a zone are found: that of its location, or, if that has none, its own. It belongs
 * to the dictionary. */
const char *td_instances_name(const struct td_dict *dict, const struct td_zone *zone);
/* What the panel with the instances shows. */
const struct td_instances_job *td_instances_of_panel(struct td_view *view);
