/* Draws a flame graph: a box for each node, as wide as its share, below or above the box that it is in. */
#pragma once
#include "host/query/sums/flame.h"
#include "host/viewer/model/panel.h"

#include <stdbool.h>

struct td_view;

#define FLAME_ROW(view) TD_U(view, 18) /* the height of a row */

struct flame_picture { /* all zero: nothing */
    struct td_flame flame;
    double *cursor; /* of each depth: where the next box begins */
    uint32_t depths;
    uint8_t *hits;    /* of each name: it is searched */
    uint64_t hit_sum; /* their totals */
    uint32_t first;   /* the outermost node that is drawn: 0, or the only one below it */
    uint32_t top;     /* has the whole width: `first`, or what the user zoomed to */
    uint32_t chosen;  /* by keys; TD_CALL_NONE: none */
    float scroll;     /* rows */
    bool shows_top;   /* scrolls to the top in the next frame */
};

struct flame_look {
    bool upwards;    /* what a node is in is below it */
    bool swapped;    /* the flame is that of the other trace */
    bool is_samples; /* totals are samples, else ns */
    double sample_ns;
    bool searched;
};

/* Takes the flame. `around`: it is about one name, and its root is not drawn. What the user zoomed to is kept where the
 * new flame has it. */
void flame_picture_take(struct flame_picture *picture, struct td_flame *flame, bool around);
void flame_picture_free(struct flame_picture *picture);
/* What a search finds, for a thread: leaves it in *hits, which flame_picture_take_hits() takes. NULL: nothing, or there is
 * no memory. */
void flame_picture_search(const struct flame_picture *picture, const char *filter, uint8_t **hits,
                          uint64_t *sum);
void flame_picture_take_hits(struct flame_picture *picture, uint8_t **hits, uint64_t sum);
/* Returns the node under the mouse, or TD_CALL_NONE. */
uint32_t flame_picture_draw(struct td_view *view, struct flame_picture *picture,
                            const struct flame_look *look, const struct td_rect *place);
/* Zooms to a node. */
void flame_picture_zoom(struct flame_picture *picture, uint32_t node);
/* Moves the choice: inwards, outwards, or to the next or previous one beside it. */
void flame_picture_step(struct flame_picture *picture, int inwards, int beside);
/* A total as text: a time, or samples. */
const char *flame_total_text(const struct flame_look *look, double total, char *text, size_t bytes);
