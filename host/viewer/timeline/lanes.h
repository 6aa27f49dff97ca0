/* What the user wants of the lanes (tracks), for the timeline and all panels: which pass the filter, which
 * rows are hidden or pinned, and how they are grouped and ordered. */
#pragma once
#include "host/query/task/lane_choice.h"
#include "host/query/sums/lane_table.h"
#include "host/viewer/timeline/layout.h"

#define TD_NO_LANE UINT32_MAX

struct td_view;

struct td_lanes {               /* all zero but the two tracks: every lane, by place */
    struct td_lane_table table; /* for the chosen range */
    uint64_t table_key;
    uint64_t version;                 /* changes with the table and with `passes` */
    char text[TD_LANE_FILTER_BYTES];  /* the filter as it is typed */
    char taken[TD_LANE_FILTER_BYTES]; /* the text when it was last read */
    struct td_lane_filter filter;     /* the last one without a mistake */
    struct td_lane_mistake mistake;   /* of the text; "": none */
    uint8_t *passes;                  /* of each track that the table had when it was filtered */
    uint32_t passes_count;            /* of them */
    uint32_t lanes, passing;          /* those that have zones */
    uint64_t passes_hash;             /* 0: there is no filter */
    uint32_t hidden_rows;             /* by the user */
    uint64_t rows_hash;               /* of which rows are visible */
    uint32_t selected, lit;           /* tracks or TD_NO_LANE; lit: the mouse is over it in a panel */
    enum td_grouping grouping;
    const char **group; /* of each track */
    uint32_t *rank;     /* of each track; NULL: no order was applied */
    uint32_t ranked;    /* length of both */
};

/* Brings everything up to date; to be called once a frame. */
void td_lanes_update(struct td_view *view);
void td_lanes_free(struct td_lanes *lanes);
bool td_lanes_passes(const struct td_view *view, uint32_t track);
/* A number that changes with which lanes pass; 0: there is no filter. */
uint64_t td_lanes_key(const struct td_view *view);
/* Copies which lanes pass, for a job; false: no memory. */
bool td_lanes_copy(const struct td_view *view, struct td_lane_choice *to);
/* ", 12 of 650 lanes" while there is a filter, else "": for what a table says of itself. */
const char *td_lanes_note(const struct td_view *view, char *text, size_t bytes);
/* The lane's numbers; NULL: there is no such lane, or it has no zones. */
const struct td_lane *td_lanes_get(const struct td_view *view, uint32_t track);

/* The lane's name, or its number in `text`. */
#define TD_LANE_NAME_BYTES 120
const char *td_lanes_name(const struct td_view *view, uint32_t track, char text[TD_LANE_NAME_BYTES]);

void td_lanes_set_filter(struct td_view *view, const char *text);
/* Pins or unpins the node's row; -1: unpins all. */
void td_lanes_pin(struct td_view *view, int node);
/* Hides the node's row and those in it; -1: shows all again. */
void td_lanes_hide(struct td_view *view, int node);
/* Shows the rows of the node again. */
void td_lanes_show(struct td_view *view, int node);
/* Without filter, and with all rows. */
void td_lanes_show_all(struct td_view *view);
void td_lanes_group(struct td_view *view, enum td_grouping grouping);
/* Puts these tracks in that order; 0 tracks: the order of the grid. */
void td_lanes_order(struct td_view *view, const uint32_t *tracks, size_t count);
/* Moves a node to the place of one of the same group: before it, or, if that comes later, after it. 0 or TD_E_NOMEM. */
int td_lanes_move(struct td_view *view, int node, int to);
/* Selects the lane, expands and scrolls to its row. */
void td_lanes_go(struct td_view *view, uint32_t track);

/* For the timeline: what the rows are built by, the filter applied to them, and where the pinned ones end. */
struct td_arrangement td_lanes_arrangement(struct td_view *view);
void td_lanes_apply(struct td_view *view);
float td_lanes_pins_bottom(const struct td_view *view);

/* Draws the field of the filter and its mistake; returns the right edge. `focus` gives it the keyboard. */
float td_draw_lane_filter(struct td_view *view, const char *id, float x, float y, float width, float height,
                          bool focus);
