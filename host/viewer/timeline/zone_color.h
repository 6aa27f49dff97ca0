/* The colours of zones on the timeline, in the ways that the user can choose. Thread-safe. */
#pragma once
#include "host/trace/trace.h"
#include "host/viewer/ui/color.h"

/* What gives a zone its colour if the program gave it none. */
enum td_zone_color_by {
    TD_ZONE_COLOR_NAME,
    TD_ZONE_COLOR_STATIC,  /* one colour for all */
    TD_ZONE_COLOR_TRACK,   /* its track and its depth */
    TD_ZONE_COLOR_LOCATION /* its function, file and line, and its depth */
};

struct td_zone_coloring { /* all zero: by name, with the program's colours */
    uint8_t by;           /* enum td_zone_color_by */
    bool ignore_own;      /* the program's colours are not used */
    bool inherit;         /* zones have the program's colour of the nearest zone around them that has one */
};

#define TD_STATIC_ZONE 0xff5c86c4u

static inline bool td_zone_coloring_equal(struct td_zone_coloring a, struct td_zone_coloring b)
{
    return a.by == b.by && a.ignore_own == b.ignore_own && a.inherit == b.inherit;
}

/* The colour of zones of the track at that depth; with TD_ZONE_COLOR_TRACK. */
td_rgba td_color_of_row(const struct td_track *track, uint32_t row);
/* The colour of zones of the location. `fixed`: neither track nor depth nor zones around them change it. */
td_rgba td_color_of_srcloc(const struct td_dict *dict, struct td_zone_coloring as, uint32_t srcloc,
                           bool *fixed);
/* A colour of a zone at depth 0 becomes that of a zone at depth `row`. */
td_rgba td_color_at_depth(td_rgba color, uint32_t row);

/* The colour that the zone inherits, as td_zone_color_inherit() has found it. */
struct td_inherited {   /* all zero: nothing is known */
    int64_t start, end; /* of the zone around, whose zones all inherit `color` */
    td_rgba color;      /* 0: none */
};
/* Finds the colour that a zone inherits which starts at start_ns, at depth `row` of the track; 0: none.
 * `last` has the result of the call for a zone before. */
td_rgba td_zone_color_inherit(const struct td_trace *trace, uint32_t track, uint32_t row, int64_t start_ns,
                              struct td_inherited *last);

/* The colour of the zone, opaque. */
td_rgba td_zone_color(const struct td_trace *trace, struct td_zone_coloring as, uint32_t track, uint32_t row,
                      const struct td_zone *zone);
