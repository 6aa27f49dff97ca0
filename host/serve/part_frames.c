/* Frames and their images. */
#include "host/serve/part.h"
#include "host/wire/items.h"

#include <stdio.h>

#define VSYNC_NAME "vertical sync %u" /* the set of a display's vertical blanks, as in trace files */
#define IMAGE_MAX  (TD_WIRE_FRAME_MAX - 4 * TD_ITEM_MAX)

/* The display of a set of vertical blanks. */
static bool is_vsync(const char *name, unsigned *display)
{
    int end = 0;
    return sscanf(name, VSYNC_NAME "%n", display, &end) == 1 && end && !name[end];
}

int td_part_base_frames(struct td_viewer *v)
{
    int result = TD_PLACES_GROW(&v->sets, td_dict_frame_set_count(v->dict));
    if (result < 0)
        return result;
    struct td_place *place = &v->sets.at[0].place;
    const struct td_series *rows = td_trace_list(v->trace, TD_TABLE_FRAME, 0);
    uint64_t end = td_place_end(v, place, td_series_count(rows));
    for (; place->next < end; place->next++) {
        if (place->next < v->base_frames)
            continue;
        uint8_t *p = td_put_room(v, TD_ITEM_MAX);
        if (!p)
            return TD_PART_FULL;
        struct td_wire_FrameMarkMsg item = {td_part_get(rows, place->next, TD_FRAME_START), 0};
        td_put_end(v, td_wire_put_FrameMarkMsg(p, v->release, &item));
    }
    return TD_PART_DONE;
}

static uint8_t *put_end_mark(const struct td_viewer *v, uint8_t *p, int64_t end_ns, uint64_t key)
{
    return td_wire_put_FrameMarkMsgEnd(p, v->release, &(struct td_wire_FrameMarkMsgEnd){end_ns, key});
}

static uint8_t *put_mark(const struct td_viewer *v, uint8_t *p, struct td_set_place *place, uint32_t set,
                         int64_t start_ns, int64_t end_ns)
{
    int continuous;
    unsigned display;
    uint64_t key = td_key(TD_KEY_FRAME, set);
    uint32_t name = td_dict_get_frame_set(v->dict, set, &continuous);
    if (continuous && is_vsync(td_dict_text(v->dict, name), &display))
        return td_wire_put_FrameVsync(p, v->release, &(struct td_wire_FrameVsync){start_ns, display});
    if (continuous)
        return td_wire_put_FrameMarkMsg(p, v->release, &(struct td_wire_FrameMarkMsg){start_ns, key});
    p = td_wire_put_FrameMarkMsgStart(p, v->release, &(struct td_wire_FrameMarkMsgStart){start_ns, key});
    place->is_open = end_ns < 0;
    return end_ns < 0 ? p : put_end_mark(v, p, end_ns, key);
}

static int send_set(struct td_viewer *v, uint32_t set)
{
    const struct td_series *rows = td_trace_list(v->trace, TD_TABLE_FRAME, set);
    struct td_set_place *place = &v->sets.at[set];
    uint64_t end = td_place_end(v, &place->place, td_series_count(rows));
    for (;;) {
        uint64_t next = place->place.next;
        uint8_t *p = td_put_room(v, 3 * TD_ITEM_MAX);
        if (!p)
            return TD_PART_FULL;
        if (place->is_open) {
            int64_t end_ns = td_part_get(rows, next - 1, TD_FRAME_END);
            if (end_ns < 0 && next >= end)
                return TD_PART_DONE;
            /* A frame that never ended would be taken for one with the next one's end. */
            if (end_ns < 0)
                end_ns = td_part_get(rows, next, TD_FRAME_START);
            p = put_end_mark(v, p, end_ns, td_key(TD_KEY_FRAME, set));
            place->is_open = false;
        }
        if (next < end) {
            p = put_mark(v, p, place, set, td_part_get(rows, next, TD_FRAME_START),
                         td_part_get(rows, next, TD_FRAME_END));
            place->place.next++;
        }
        td_put_end(v, p);
        if (next >= end)
            return TD_PART_DONE;
    }
}

int td_part_named_frames(struct td_viewer *v)
{
    uint32_t count = td_dict_frame_set_count(v->dict);
    int result = TD_PLACES_GROW(&v->sets, count);
    if (!v->part_item)
        v->part_item = 1;
    TD_PART_EACH(v, count, result, send_set(v, i));
    return result;
}

/* ---- images ---- */

/* The base frame with this image; false: it is not known yet. Images come in the order of their frames. */
static bool find_frame(struct td_viewer *v, int64_t image)
{
    const struct td_series *rows = td_trace_list(v->trace, TD_TABLE_FRAME, 0);
    for (uint64_t count = td_series_count(rows), at = v->image_frame; at < count; at++)
        if (td_part_get(rows, at, TD_FRAME_IMAGE) == image) {
            v->image_frame = at;
            return true;
        }
    return false;
}

/* Blocks of eight bytes: two colours, then sixteen numbers of two bits that choose between them. DXT1 numbers
 * the steps from the first colour to the second 0, 2, 3, 1, the protocol 3, 2, 1, 0. */
static void put_blocks(uint8_t *to, const uint8_t *dxt1, size_t bytes)
{
    memcpy(to, dxt1, bytes);
    for (size_t at = 0; at + 8 <= bytes; at += 8) {
        uint32_t steps;
        memcpy(&steps, to + at + 4, 4);
        uint32_t high = ~steps & 0x55555555u, low = (steps >> 1 ^ ~steps) & 0x55555555u;
        steps = high << 1 | low;
        memcpy(to + at + 4, &steps, 4);
    }
}

static int send_image(struct td_viewer *v, const struct td_series *rows, uint64_t row)
{
    uint32_t bytes = (uint32_t)td_part_get(rows, row, TD_IMAGE_BYTES);
    const uint8_t *data = td_trace_blob(td_part_get(rows, row, TD_IMAGE_DATA));
    if (!data || td_part_get(rows, row, TD_IMAGE_BYTES) > IMAGE_MAX || v->image_frame == 0) {
        td_viewer_leave_out(v, TD_LEFT_OUT_IMAGES);
        return TD_PART_DONE;
    }
    uint8_t *p = td_put_room(v, 3 * TD_ITEM_MAX + bytes);
    if (!p)
        return TD_PART_FULL;
    p = td_wire_put_FrameImageData(p, v->release, &(struct td_wire_FrameImageData){1 /* not used */});
    memcpy(p, &bytes, 4);
    put_blocks(p + 4, data, bytes);
    p += 4 + bytes;
    struct td_wire_FrameImage item = {.frame = (uint32_t)(v->image_frame - 1 + v->frame_offset),
                                      .w = (uint16_t)td_part_get(rows, row, TD_IMAGE_WIDTH),
                                      .h = (uint16_t)td_part_get(rows, row, TD_IMAGE_HEIGHT),
                                      .flip = (uint8_t)td_part_get(rows, row, TD_IMAGE_FLIP)};
    td_put_end(v, td_wire_put_FrameImage(p, v->release, &item));
    return TD_PART_DONE;
}

int td_part_images(struct td_viewer *v)
{
    const struct td_series *rows = td_trace_table(v->trace, TD_TABLE_IMAGE);
    uint64_t end = td_place_end(v, &v->images, td_series_count(rows));
    for (; v->images.next < end; v->images.next++) {
        if (!find_frame(v, (int64_t)v->images.next)) {
            if (!v->final)
                return TD_PART_DONE;
            td_viewer_leave_out(v, TD_LEFT_OUT_IMAGES);
            continue;
        }
        int result = send_image(v, rows, v->images.next);
        if (result)
            return result;
    }
    return TD_PART_DONE;
}
