/* What the user has chosen in a trace. */
#pragma once
#include "host/query/flows/chain.h"
#include "host/query/flows/critical.h"
#include "host/viewer/timeline/spot.h"

/* The part of the trace that tables and histograms count: all of it, or the zones that lie within the visible
 * range or the one that the user has marked. */
enum td_limit { TD_LIMIT_NONE, TD_LIMIT_VISIBLE, TD_LIMIT_MARKED };

struct td_followed { /* whose runs on the processors are shown; all zero: of none */
    uint64_t thread, process;
};

struct td_waited { /* a time of a track's thread, such as one in which it did not run */
    bool used;
    uint32_t track;
    int64_t from_ns, to_ns;
};

struct td_selection {
    struct td_zone_ref zone;
    struct td_waited wait;       /* that was chosen after the zone */
    struct td_critical critical; /* of the wait, or of the zone */
    struct td_spot spot;
    struct td_spot pointed;          /* what the line under the mouse in a list is about; of one frame */
    uint32_t frame_set;              /* the chosen one */
    uint32_t second_set;             /* that the strip of frames shows, too, counted from 1; 0: none */
    size_t frame;                    /* the selected frame of it, counted from 1; 0: none */
    struct td_chain chain;           /* of the selected zone */
    struct td_chain operation_chain; /* of the chosen operation, while its panel is open */
    size_t message;                  /* number of the selected message, counted from 1; 0: none */
    uint32_t pool;                   /* of memory, and the chosen row of MEMORY, counted from 1; 0: none */
    uint64_t allocation;
    struct td_followed followed;
    int note;            /* the chosen note, counted from 1; 0: none */
    bool details_opened; /* by the selection: they close with it */
    bool newest_frames;  /* the range that follows is that of the newest three frames */
    enum td_limit limit;
    bool measured; /* a range is marked */
    double measure_from_ns, measure_to_ns;
};
