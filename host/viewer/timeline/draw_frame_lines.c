/* Thin lines through the timeline where the frames of the chosen set begin, and going from frame to frame. */
#include "host/query/rows/frame_times.h"
#include "host/query/table/track_name.h"
#include "host/viewer/timeline/draw.h"
#include "host/viewer/timeline/frames.h"
#include "host/viewer/timeline/view.h"

#include <math.h>
#include <stdlib.h>

#define LEAST_PIXELS 14    /* mean distance of the lines; if they are closer, none is drawn */
#define MOST_FRAMES  20000 /* visible ones among which those over the target are marked */
#define EACH_PIXELS  5     /* least distance of two lines; of closer ones, the first is drawn */

bool td_view_has_frames(const struct td_view *view, uint32_t set)
{
    return td_trace_frames(view->model.trace, set) > (set ? 0 : 2);
}

void td_draw_frame_lines(struct td_view *view)
{
    const uint32_t set = view->selection.frame_set;
    const size_t count = td_view_has_frames(view, set) ? td_trace_frames(view->model.trace, set) : 0;
    size_t i = td_frame_at(view->model.trace, set, view->camera.start_ns);
    float last = -INFINITY;
    if (!count)
        return;
    /* The mean distance of the visible lines decides, so that all or none are drawn. */
    size_t end = td_frame_at(view->model.trace, set, view->camera.end_ns);
    if (end == SIZE_MAX)
        return;
    i = i == SIZE_MAX ? 0 : i;
    if ((float)(end - i) * TD_U(view, LEAST_PIXELS) > view->area.right - view->area.left)
        return;
    for (; i <= end && i < count; i++) {
        const struct td_frame f = td_trace_frame(view->model.trace, set, i);
        const float x = floorf(td_view_x(view, (double)f.start_ns));
        if (x < last + TD_U(view, EACH_PIXELS) || x < view->area.left)
            continue;
        td_ui_rect(view->ui, x, view->area.top, x + 1, view->area.bottom, 0x1effffff, 0);
        last = x;
    }
}

void td_draw_frame_targets(struct td_view *view)
{
    const uint32_t set = view->selection.frame_set;
    const size_t count = td_view_has_frames(view, set) ? td_trace_frames(view->model.trace, set) : 0;
    const double target_ns = 1e9 / td_view_target_fps(view);
    size_t i = td_frame_at(view->model.trace, set, view->camera.start_ns),
           end = td_frame_at(view->model.trace, set, view->camera.end_ns);
    if (!count || end == SIZE_MAX || !td_view_choice(view, TD_CHOICE_TARGETS))
        return;
    i = i == SIZE_MAX ? 0 : i;
    if (end - i > MOST_FRAMES)
        return;
    for (; i <= end && i < count; i++) {
        const double start = (double)td_trace_frame(view->model.trace, set, i).start_ns,
                     length = (double)td_frame_length(view->model.trace, set, i, view->model.last_ns);
        if (length > target_ns)
            td_ui_rect(view->ui, floorf(td_view_x(view, start)), view->area.top,
                       ceilf(td_view_x(view, start + length)), view->area.bottom, 0x22e04848, 0);
    }
}

void td_view_show_frame(struct td_view *view, size_t frame, bool fill)
{
    const struct td_frame f = td_trace_frame(view->model.trace, view->selection.frame_set, frame);
    const int64_t end = f.end_ns == TD_OPEN || f.end_ns < f.start_ns ? view->model.last_ns : f.end_ns;
    view->selection.frame = frame + 1;
    td_view_show_spot(
        view, (struct td_spot){true, TD_NO_TRACK, f.start_ns, end > f.start_ns ? end : f.start_ns}, fill);
}

void td_view_next_frame(struct td_view *view, bool forward)
{
    const size_t count = td_trace_frames(view->model.trace, view->selection.frame_set);
    size_t at;
    if (!count)
        return;
    if (view->selection.frame && view->selection.frame <= count) {
        at = view->selection.frame - 1;
        if (forward ? at + 1 == count : at == 0)
            return;
        at = forward ? at + 1 : at - 1;
    } else {
        at = td_frame_at(view->model.trace, view->selection.frame_set,
                         (view->camera.to_start_ns + view->camera.to_end_ns) / 2);
        at = at == SIZE_MAX ? 0 : at;
    }
    td_view_show_frame(view, at, true);
}

bool td_view_show_frame_number(struct td_view *view, const char *text)
{
    const size_t count = td_trace_frames(view->model.trace, view->selection.frame_set);
    char *end;
    text += *text == '#';
    const uint64_t wanted = strtoull(text, &end, 10);
    const uint64_t last =
        count ? td_frame_number(view->model.trace, view->selection.frame_set, count - 1) : SIZE_MAX;
    if (*text < '0' || *text > '9' || *end || last == SIZE_MAX || wanted > last || last - wanted >= count)
        return false;
    const size_t frame = count - 1 - (size_t)(last - wanted);
    if (td_frame_number(view->model.trace, view->selection.frame_set, frame) != wanted)
        return false;
    td_view_show_frame(view, frame, true);
    return true;
}
