/* The frames of the base set that have an image. */
#pragma once
#include "host/trace/trace.h"

struct td_frame_images { /* all zero: nothing was looked at yet */
    size_t *frame;       /* ascending */
    size_t count, room;
    size_t seen; /* frames that were looked at */
};

/* Looks at frames that are new, at most TD_FRAME_IMAGES_STEP of them. True: there are more to look at. An
 * image may come later than its frame while a trace grows: so the last TD_FRAME_IMAGES_LATE frames are looked
 * at again. */
#define TD_FRAME_IMAGES_STEP 65536
#define TD_FRAME_IMAGES_LATE 300
bool td_frame_images_update(struct td_frame_images *images, const struct td_trace *trace);
void td_frame_images_free(struct td_frame_images *images);
/* The last image of a frame not after this one, as an index of `frame`; SIZE_MAX: there is none. */
size_t td_frame_images_at(const struct td_frame_images *images, size_t frame);
