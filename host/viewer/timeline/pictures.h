/* The images of frames as pictures to draw. A thread decodes an image; the pictures that were used last are
 * kept. */
#pragma once
#include "host/query/task/job.h"
#include "host/viewer/ui/imgui_shim.h"

struct td_view;
struct td_trace;

#define TD_PICTURES 12 /* more than are drawn in a frame */

struct td_frame_picture {
    int64_t image;         /* row of the table IMAGE, counted from 1; 0: none */
    td_ui_picture picture; /* 0: none yet */
    bool broken;           /* the image cannot be decoded */
    int width, height;
    bool flip;
    unsigned used; /* when it was used last */
};

struct td_pictures { /* all zero: none */
    struct td_job job;
    const struct td_trace *trace; /* the request of the job */
    int64_t image;
    uint8_t *pixels; /* its result; NULL: the image cannot be decoded */
    struct td_frame_picture kept[TD_PICTURES];
    unsigned clock;
};

/* The picture of a row of the table IMAGE, for this frame; NULL: it is being made, or there is no such image.
 * To be asked again in each frame. */
const struct td_frame_picture *td_pictures_get(struct td_view *view, int64_t image);
/* An image is being decoded; takes one that was. */
bool td_pictures_pending(struct td_view *view);
/* The image's size; false: there is no such image. */
bool td_pictures_size(const struct td_view *view, int64_t image, float *width, float *height);
/* Draws it as large as it fits into the room, at the middle of its width; an image that is broken says so. */
void td_pictures_draw(struct td_view *view, int64_t image, float x, float y, float width, float height);
void td_pictures_free(struct td_view *view);
