/* Regions: the left, right and bottom edges of the window. Each shows one of its panels at a time, under a
 * row of tabs; a splitter changes its size. In a window narrower than 900 pixels (at 96 dpi), the regions at
 * the sides cover the timeline instead of narrowing it. */
#pragma once
#include "host/viewer/model/panel.h"

/* X(ID, word, dock, key, size): `key` shows and hides the region; `size` is its first one, at 96 dpi. */
/* clang-format off */
#define TD_REGIONS(X)                                \
    X(LEFT,   left,   TD_DOCK_LEFT,   TD_KEY_F9,  330) \
    X(BOTTOM, bottom, TD_DOCK_BOTTOM, TD_KEY_F10, 290) \
    X(RIGHT,  right,  TD_DOCK_RIGHT,  TD_KEY_F11, 340)
/* clang-format on */
#define TD_NARROW_WIDTH 900 /* in narrower windows the regions at the left and right cover the timeline */

enum td_region_id {
#define TD_X(id, word, dock, key, size) TD_REGION_##id,
    TD_REGIONS(TD_X)
#undef TD_X
        TD_REGION_COUNT
};

struct td_region {
    bool open, dragged, covers; /* covers: drawn over the timeline */
    int current;                /* the panel that is shown; -1: there is none for this region */
    int last[TD_GROUP_COUNT];   /* the panel of each group that was shown last; -1: none */
    float size;                 /* at 96 dpi */
    struct td_rect place;       /* of the last td_regions_place(); empty: closed */
};
