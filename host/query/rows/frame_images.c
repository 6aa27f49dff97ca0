#include "host/query/rows/frame_images.h"
#include "host/base/sorted.h"

#include <stdlib.h>

static bool add_frame(struct td_frame_images *images, size_t frame)
{
    if (images->count == images->room) {
        const size_t room = images->room ? 2 * images->room : 64;
        size_t *grown = realloc(images->frame, room * sizeof *grown);
        if (!grown)
            return false;
        images->frame = grown;
        images->room = room;
    }
    images->frame[images->count++] = frame;
    return true;
}

bool td_frame_images_update(struct td_frame_images *images, const struct td_trace *trace)
{
    const size_t sets = td_dict_frame_set_count(td_trace_dict(trace));
    const size_t frames = sets ? td_trace_frames(trace, 0) : 0;
    const bool finished = td_trace_is_finished(trace);
    if (finished && images->seen == frames)
        return false;
    const size_t late = finished ? 0 : TD_FRAME_IMAGES_LATE;
    size_t at = images->seen > late ? images->seen - late : 0;
    const size_t end = frames - at > TD_FRAME_IMAGES_STEP ? at + TD_FRAME_IMAGES_STEP : frames;
    while (images->count && images->frame[images->count - 1] >= at)
        images->count--;
    /* Without memory the frames from here on are looked at the next time. */
    bool room = true;
    for (; at < end; at++)
        if (td_trace_frame(trace, 0, at).image >= 0 && !(room = add_frame(images, at)))
            break;
    images->seen = at;
    return room && at < frames;
}

void td_frame_images_free(struct td_frame_images *images)
{
    free(images->frame);
    *images = (struct td_frame_images){0};
}

size_t td_frame_images_at(const struct td_frame_images *images, size_t frame)
{
    size_t low = 0, high = images->count;
    TD_BISECT(low, high, middle, images->frame[middle] <= frame);
    return low ? low - 1 : SIZE_MAX;
}
