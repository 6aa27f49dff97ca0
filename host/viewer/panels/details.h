/* The panel with the details of the selected zone: how its sections are drawn, one below the other. The same calls
 * write them as text for the clipboard. */
#pragma once
#include "host/query/sums/relatives.h"
#include "host/query/rows/zone_events.h"
#include "host/viewer/panels/instances_job.h"
#include "host/viewer/timeline/view.h"

#include <stdio.h>

struct details_events {
    struct td_job job;
    const struct td_trace *trace;   /* the request of the job */
    struct td_zone_ref request, of; /* of it, of `shown` */
    int64_t from_ns, to_ns;
    struct td_zone_events made, shown;
};

#define TD_DETAILS_ROWS 200 /* of a list */

/* The messages of the zone that are in none of its children, looked for a part a frame. */
struct details_own_messages {
    struct td_zone_ref of;
    size_t at;  /* looked at until here */
    bool looks; /* in this frame it was not the end */
    size_t found;
    size_t message[TD_DETAILS_ROWS]; /* numbers of the first ones in the track */
};

struct details {
    bool started;
    struct details_events events;
    struct td_instances_job set; /* the zones of the same name */
    struct td_job child_job;
    struct td_children children_made, children;
    struct td_zone_ref child_request, children_of; /* of the job, of `children` */
    bool request_deep, deep;                       /* all descendants instead of the children */
    bool single;                                   /* the children are not grouped; not with `deep` */
    bool excludes_children;                        /* from the messages */
    struct details_own_messages own;
    const struct td_trace *trace;
    int64_t now_ns;
    float height; /* of all sections */
};

struct details_drawing {
    struct td_view *view;
    struct details *state;
    struct td_zone zone;
    FILE *copy; /* NULL: draws */
    float left, right, y;
    float top, bottom; /* what is visible */
    int links;         /* so far in this frame: their ids */
    bool hovered;      /* the last line that can be clicked is under the mouse */
    struct td_zone_ref chosen;
    double centre_ns; /* NAN: no time was chosen */
};

void td_details_heading(struct details_drawing *d, const char *text);
/* In the heading: words to click, lit while `on`. *right is their right edge, at first d->right, and moves left. */
bool td_details_switch(struct details_drawing *d, float *right, const char *text, bool on);
void td_details_pair(struct details_drawing *d, const char *label, const char *value);
void td_details_time(struct details_drawing *d, const char *label, double ns);
void td_details_path(struct details_drawing *d, const char *label, const char *path);
/* All lines of a text, wrapped. */
void td_details_text(struct details_drawing *d, const char *label, const char *text);
void td_details_note(struct details_drawing *d, const char *text);
void td_details_more(struct details_drawing *d, uint64_t count); /* "and 12 more" */
/* A line with a name and values at the right: value, and in front of it `more` (may be ""). `part`: the length of the
 * bar under them, 0 to 1. True: it is `active`, and was clicked. */
bool td_details_row(struct details_drawing *d, td_rgba box, const char *name, const char *more,
                    const char *value, double part, bool active);
/* The same for a zone: a click selects it (TD_NO_ZONE: nothing to select). */
void td_details_link(struct details_drawing *d, td_rgba box, const char *name, const char *more,
                     const char *value, double part, struct td_zone_ref zone);
/* The same for a time: a click centres it. */
void td_details_moment(struct details_drawing *d, double time_ns, const char *name, const char *value);

/* details_events.c */
void td_details_want_events(struct td_view *view, struct details_events *s, const struct td_zone *zone);
void td_details_draw_events(struct details_drawing *d);
/* details_sections.c: draws all of them, from d->y on. */
void td_details_sections(struct details_drawing *d);
