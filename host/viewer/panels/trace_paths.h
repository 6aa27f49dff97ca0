/* A part of the panel Trace: where the trace's source files are on this machine. */
#pragma once
#include "host/viewer/timeline/view.h"

struct td_trace_paths { /* all zero: nothing was typed */
    char text[300];     /* of the field: a rule */
    char result[700];   /* what becomes of the path below, or what is wrong with the rule */
    bool is_wrong;
    uint64_t made_of; /* key of `result` */
};

/* Draws the field, the rules, and what they make of a path of the trace: of the selected zone, else the first one.
 * Returns the height of it. */
float td_trace_draw_paths(struct td_view *view, struct td_trace_paths *paths, const struct td_rect *place);
