/* A drag of the mouse in the timeline. */
#pragma once
#include "host/viewer/timeline/hover.h"

enum td_drag {
    TD_DRAG_NONE,
    TD_DRAG_PAN,
    TD_DRAG_MEASURE,
    TD_DRAG_ZOOM,
    TD_DRAG_OVERVIEW,
    TD_DRAG_SCROLL,
    TD_DRAG_LABEL
};

struct td_drag_state {
    enum td_drag kind;
    int button;                    /* enum td_mouse_button that began it */
    struct td_time_span zoom_span; /* that the drag will zoom to */
    double from_ns;                /* of TD_DRAG_MEASURE: the edge that stays */
    int node, to;         /* of TD_DRAG_LABEL: the node, and the one in whose place it would come; -1: none */
    unsigned arrangement; /* of the rows that have these numbers */
    float x, y;
    bool moved;
    bool clicked; /* the last click was on this zone: */
    struct td_zone_ref click;
};
