/* Plots, frames, frame images. */
#include "host/agent/client/client_internal.h"
#include "host/base/grow.h"

#include <stdio.h>

#define PLOT_FORMAT_LAST 3 /* watt */
/* Name of the frame set of a display's vertical blanks, as in trace files (host/file/format.h). */
#define VSYNC_NAME "vertical sync %u"

static int add_point(struct td_client_stream *stream, uint64_t key, int64_t delta, double value)
{
    int64_t ticks = td_stream_advance(&stream->thread_time, delta);
    uint32_t index = td_names_see(&stream->names, TD_NAME_PLOT, key);
    if (index == TD_NO_NUMBER)
        return TD_E_NOMEM;
    if (value - value != 0) { /* not finite: no recorder keeps it */
        const uint64_t thread = stream->context;
        td_stream_fault(stream, TD_CLIENT_FAULT_PLOT_VALUE, td_stream_ns(stream, ticks),
                        stream->have_context ? &thread : NULL);
        return 0;
    }
    struct td_event *event = td_pending_add(stream, TD_EVENT_PLOT, TD_REF_PLOT);
    if (!event)
        return TD_E_NOMEM;
    event->time_ns = td_stream_event_ns(stream, ticks);
    event->subject = index;
    event->value.f64 = value;
    stream->counts.plot_points++;
    return 0;
}

int td_take_plot(struct td_client_stream *stream, const struct td_wire_view *view)
{
    switch (view->item) {
    case TD_ITEM_PlotDataInt: {
        struct td_wire_PlotDataInt item = TD_GET(PlotDataInt);
        return add_point(stream, item.name, item.time, (double)item.val);
    }
    case TD_ITEM_PlotDataFloat: {
        struct td_wire_PlotDataFloat item = TD_GET(PlotDataFloat);
        return add_point(stream, item.name, item.time, item.val);
    }
    default: {
        struct td_wire_PlotDataDouble item = TD_GET(PlotDataDouble);
        return add_point(stream, item.name, item.time, item.val);
    }
    }
}

int td_take_plot_config(struct td_client_stream *stream, const struct td_wire_view *view)
{
    struct td_wire_PlotConfig item = TD_GET(PlotConfig);
    uint32_t index = td_names_see(&stream->names, TD_NAME_PLOT, item.name);
    if (index == TD_NO_NUMBER)
        return TD_E_NOMEM;
    struct td_name *name = td_names_at(&stream->names, TD_NAME_PLOT, index);
    struct td_plot *known = &name->u.plot;
    known->format = item.type > PLOT_FORMAT_LAST ? 0 : item.type;
    known->step = item.step != 0;
    known->fill = item.fill != 0;
    /* The only colour whose bytes come in reverse order. */
    known->color =
        td_stream_rgb((uint8_t)item.color, (uint8_t)(item.color >> 8), (uint8_t)(item.color >> 16));
    if (name->number != TD_NO_NUMBER)
        td_dict_plot(stream->dict, known);
    return 0;
}

/* ---- frames ---- */

static int add_base_frame(struct td_client_stream *stream, int64_t ticks)
{
    const uint32_t set = td_client_space_base_set(stream->config.space, stream->dict);
    struct td_event *event = set == UINT32_MAX ? NULL : td_pending_add(stream, TD_EVENT_FRAME, TD_REF_NONE);
    if (!event)
        return TD_E_NOMEM;
    event->subject = set;
    event->time_ns = td_stream_forward(stream, td_stream_ns(stream, ticks), &stream->base_frame_ns);
    uint64_t frame = stream->base_frames++;
    uint32_t image = td_map_get(&stream->early_images, frame, TD_NO_NUMBER);
    if (image == TD_NO_NUMBER)
        return 0;
    return td_pending_set(stream, TD_TABLE_FRAME, set, frame, TD_FRAME_IMAGE, TD_REF_NONE, image);
}

/* Adds a mark of the program. */
static int mark_base_frame(struct td_client_stream *stream, int64_t ticks)
{
    int bad = 0;
    for (unsigned i = 0; !bad && i < stream->early_frame_count; i++)
        bad = add_base_frame(stream, stream->early_frames[i]);
    stream->early_frame_count = 0;
    return bad ? bad : add_base_frame(stream, ticks);
}

/* If the set is the process's own, it is made only when the program marks a frame. */
int td_stream_base_frame(struct td_client_stream *stream, int64_t ticks)
{
    const unsigned most = sizeof stream->early_frames / sizeof *stream->early_frames;
    if (!td_client_space_has_own_frames(stream->config.space) || stream->base_frames ||
        stream->early_frame_count == most)
        return mark_base_frame(stream, ticks);
    stream->early_frames[stream->early_frame_count++] = ticks;
    return 0;
}

/* Adds a mark to a set with a name. */
static int add_named_frame(struct td_client_stream *stream, uint32_t kind, int64_t ticks, uint64_t key)
{
    int continuous = kind == TD_EVENT_FRAME;
    uint32_t index = td_names_see(&stream->names, TD_NAME_FRAME, key);
    if (index == TD_NO_NUMBER)
        return TD_E_NOMEM;
    struct td_name *set = td_names_at(&stream->names, TD_NAME_FRAME, index);
    if (!set->u.frame.is_marked) /* its name may have come before */
        set->u.frame.continuous = (uint8_t)continuous;
    set->u.frame.is_marked = 1;
    bool is_expected = set->u.frame.continuous == continuous &&
                       (continuous || set->u.frame.open == (kind == TD_EVENT_FRAME_END));
    if (!is_expected) {
        stream->counts.ignored++;
        return 0;
    }
    struct td_event *event = td_pending_add(stream, kind, TD_REF_FRAME);
    if (!event)
        return TD_E_NOMEM;
    event->time_ns = td_stream_event_forward(stream, ticks, &set->u.frame.last_ns);
    event->subject = index;
    set->u.frame.open = kind == TD_EVENT_FRAME_START;
    stream->counts.frames += kind != TD_EVENT_FRAME_END;
    return 0;
}

int td_take_frame(struct td_client_stream *stream, const struct td_wire_view *view)
{
    struct td_wire_FrameMarkMsg item = TD_GET(FrameMarkMsg); /* the three items have the same layout */
    uint32_t kind = view->item == TD_ITEM_FrameMarkMsg        ? TD_EVENT_FRAME
                    : view->item == TD_ITEM_FrameMarkMsgStart ? TD_EVENT_FRAME_START
                                                              : TD_EVENT_FRAME_END;
    if (item.name || kind != TD_EVENT_FRAME)
        return add_named_frame(stream, kind, item.time, item.name);
    stream->counts.frames++;
    return mark_base_frame(stream, item.time);
}

int td_take_vsync(struct td_client_stream *stream, const struct td_wire_view *view)
{
    struct td_wire_FrameVsync item = TD_GET(FrameVsync);
    char text[40];
    int n = snprintf(text, sizeof text, VSYNC_NAME, (unsigned)item.id);
    uint32_t name = td_client_space_name(stream->config.space, stream->dict, text, (size_t)n);
    uint32_t set = name == UINT32_MAX ? UINT32_MAX : td_dict_frame_set(stream->dict, name, 1);
    struct td_event *event = set == UINT32_MAX ? NULL : td_pending_add(stream, TD_EVENT_FRAME, TD_REF_NONE);
    if (!event)
        return TD_E_NOMEM;
    event->time_ns = td_stream_event_ns(stream, item.time);
    event->subject = set;
    stream->counts.frames++;
    return 0;
}

/* ---- images ---- */

int td_take_image_data(struct td_client_stream *stream, const struct td_wire_view *view)
{
    if (td_grow(&stream->image.data, &stream->image.capacity, view->bytes, 1) < 0)
        return TD_E_NOMEM;
    if (view->bytes)
        memcpy(stream->image.data, view->data, view->bytes);
    stream->image.bytes = view->bytes;
    return 0;
}

/* Converts blocks of eight bytes: two colours, then sixteen numbers of two bits that choose between them.
 * They arrive as a ramp from the second colour (0) to the first (3); DXT1 numbers the same steps 1, 3, 2, 0.
 * For a ramp's bits (h, l), DXT1's are (h ^ l, !h). */
static void to_dxt1(uint8_t *data, size_t bytes)
{
    for (size_t at = 0; at + 8 <= bytes; at += 8) {
        uint32_t ramp;
        memcpy(&ramp, data + at + 4, 4);
        uint32_t high = ramp >> 1 & 0x55555555u, low = ramp & 0x55555555u;
        ramp = (high ^ low) << 1 | (~high & 0x55555555u);
        memcpy(data + at + 4, &ramp, 4);
    }
}

int td_take_image(struct td_client_stream *stream, const struct td_wire_view *view)
{
    struct td_wire_FrameImage item = TD_GET(FrameImage);
    size_t bytes = stream->image.bytes;
    stream->image.bytes = 0;
    /* Base frame 0 is the time before the program was ready. */
    int64_t frame = (int64_t)item.frame - (int64_t)stream->config.frame_offset + 1;
    if (frame <= 0 || !bytes || item.w % 4 || item.h % 4 || bytes != (size_t)item.w * item.h / 2 ||
        td_map_get(&stream->early_images, (uint64_t)frame, TD_NO_NUMBER) != TD_NO_NUMBER) {
        stream->counts.ignored++;
        return 0;
    }
    to_dxt1(stream->image.data, bytes);
    const int64_t row[TD_IMAGE_COLUMN_COUNT] = {[TD_IMAGE_WIDTH] = item.w,
                                                [TD_IMAGE_HEIGHT] = item.h,
                                                [TD_IMAGE_FLIP] = item.flip != 0,
                                                [TD_IMAGE_DATA] = (int64_t)(uintptr_t)stream->image.data,
                                                [TD_IMAGE_BYTES] = (int64_t)bytes};
    int64_t image = td_stream_row(stream, TD_TABLE_IMAGE, 0, row);
    if (image < 0)
        return (int)image;
    if (td_map_add(&stream->early_images, (uint64_t)frame, (uint32_t)image) < 0)
        return TD_E_NOMEM;
    stream->counts.images++;
    if ((uint64_t)frame >= stream->base_frames)
        return 0; /* its mark is still to come */
    return td_pending_set(stream, TD_TABLE_FRAME,
                          td_client_space_base_set(stream->config.space, stream->dict), (uint64_t)frame,
                          TD_FRAME_IMAGE, TD_REF_NONE, (uint32_t)image);
}
