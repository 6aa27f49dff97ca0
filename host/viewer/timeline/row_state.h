/* How the rows of a view are arranged, and what was found of each. */
#pragma once
#include "host/viewer/timeline/layout.h"
#include "host/viewer/timeline/row_map.h"

struct td_row_state {
    uint64_t key;                 /* of the trace, as the rows are arranged now */
    unsigned choices;             /* the settings, likewise */
    enum td_grouping grouped;     /* likewise */
    unsigned arrangement;         /* counts how often the rows were arranged */
    bool arranged;                /* rows were collapsed or expanded */
    bool hides_empty;             /* tracks that are empty in the visible range are hidden */
    uint64_t empty_key;           /* what they were found by */
    struct td_track_list **lists; /* of each node, then of the whole trace; NULL: not made yet */
    struct td_row_map map;
    struct td_row_choices own;
};
