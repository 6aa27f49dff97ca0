/* Where the user has been: selections and visible ranges, to go back and forward. */
#pragma once
#include "host/query/sums/marks.h"

struct td_view;

#define TD_HISTORY_PLACES 128 /* older ones are forgotten */

struct td_history_place {
    struct td_zone_ref selected;
    double start_ns, end_ns;
};

struct td_history { /* all zero: empty */
    struct td_history_place place[TD_HISTORY_PLACES];
    int count, at; /* `at`: the present place */
    bool moves;    /* the range has not come to rest since the present place was made */
};

/* Takes note of a new selection or range; to be called once a frame. What changes while the view moves is one place. */
void td_history_note(struct td_view *view);
/* Goes to the place before the present one, or to the one after it. False: there is none. */
bool td_history_go(struct td_view *view, bool forward);
