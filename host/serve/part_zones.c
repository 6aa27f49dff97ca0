/* Zones and messages of threads, cores and fibers. Each track is read depth first, which is the order of its
 * begins and ends; messages come between them by time. */
#include "host/base/wrap.h"
#include "host/serve/message.h"
#include "host/serve/message_order.h"
#include "host/serve/part.h"
#include "host/serve/track.h"
#include "host/wire/items.h"

#include <string.h>

/* Properties of a zone that few zones have. */
struct zone_extra {
    uint32_t stack, text, name, color;
};

static struct zone_extra extra_of(const struct td_viewer *v, uint64_t row)
{
    const struct td_series *extras = td_trace_table(v->trace, TD_TABLE_EXTRA);
    struct zone_extra extra = {0};
    if (row && row < td_series_count(extras)) {
        extra.stack = (uint32_t)td_series_get(extras, row, TD_EXTRA_STACK);
        extra.text = (uint32_t)td_series_get(extras, row, TD_EXTRA_TEXT);
        extra.name = (uint32_t)td_series_get(extras, row, TD_EXTRA_NAME);
        extra.color = (uint32_t)td_series_get(extras, row, TD_EXTRA_COLOR);
    }
    return extra;
}

/* A text of several lines may be longer than an item holds: it is cut at line ends, and servers join the parts
 * again. */
static size_t first_part(const char *text, size_t bytes)
{
    if (bytes <= TD_WIRE_TEXT_MAX)
        return bytes;
    const char *newline = memrchr(text, '\n', TD_WIRE_TEXT_MAX + 1);
    return newline ? (size_t)(newline - text) : TD_WIRE_TEXT_MAX;
}

#define ZONE_TEXT_MAX 170000u /* of a zone's text; the frame has room for it, for a name and for items */

static uint8_t *put_zone_text(const struct td_viewer *v, uint8_t *p, uint32_t string)
{
    const char *text = td_dict_text(v->dict, string);
    size_t left = td_dict_text_bytes(v->dict, string);
    if (left > ZONE_TEXT_MAX)
        left = ZONE_TEXT_MAX;
    for (;;) {
        size_t bytes = first_part(text, left);
        p = td_put_bytes(v, p, text, bytes);
        p = td_wire_put_ZoneText(p, v->release, NULL);
        if (bytes == left)
            return p;
        bytes += text[bytes] == '\n';
        text += bytes;
        left -= bytes;
    }
}

static size_t extra_room(const struct td_viewer *v, const struct zone_extra *extra)
{
    size_t bytes = td_dict_text_bytes(v->dict, extra->text);
    return 4 * TD_ITEM_MAX + (bytes < ZONE_TEXT_MAX ? bytes : ZONE_TEXT_MAX) +
           td_put_text_bytes(v, extra->name);
}

/* What `sent`, an earlier state of the same zone, did not have. */
static uint8_t *put_extra(const struct td_viewer *v, uint8_t *p, const struct zone_extra *extra,
                          const struct zone_extra *sent)
{
    if (extra->text && extra->text != sent->text)
        p = put_zone_text(v, p, extra->text);
    if (extra->name && extra->name != sent->name) {
        p = td_put_text(v, p, extra->name);
        p = td_wire_put_ZoneName(p, v->release, NULL);
    }
    if (extra->color && extra->color != sent->color) {
        struct td_wire_ZoneColor color = {.b = (uint8_t)extra->color,
                                          .g = (uint8_t)(extra->color >> 8),
                                          .r = (uint8_t)(extra->color >> 16)};
        p = td_wire_put_ZoneColor(p, v->release, &color);
    }
    return p;
}

static uint8_t *put_begin(struct td_viewer *v, uint8_t *p, int64_t delta, uint32_t srcloc, bool with_stack)
{
    if (td_key_srcloc_is_sent(v, srcloc)) {
        p = td_put_srcloc(v, p, srcloc);
        struct td_wire_ZoneBeginAllocSrcLoc item = {delta};
        uint8_t *end = td_wire_put_ZoneBeginAllocSrcLoc(p, v->release, &item);
        if (with_stack) /* the same fields */
            *p = td_wire_id(v->release, TD_ITEM_ZoneBeginAllocSrcLocCallstack);
        return end;
    }
    uint64_t key = td_key(TD_KEY_SRCLOC, srcloc);
    struct td_wire_ZoneBegin plain = {delta, key};
    struct td_wire_ZoneBeginCallstack stacked = {delta, key};
    return with_stack ? td_wire_put_short_ZoneBeginCallstack(p, v->release, &stacked)
                      : td_wire_put_short_ZoneBegin(p, v->release, &plain);
}

/* ---- entering and leaving ---- */

static int begin_zone(struct td_viewer *v, struct td_track_place *track, uint32_t number,
                      const struct td_series *row, struct td_row_place *at)
{
    uint64_t index = at->place.next;
    int64_t start_ns = td_series_get(row, index, TD_ZONE_START);
    uint32_t srcloc = (uint32_t)td_series_get(row, index, TD_ZONE_SRCLOC);
    uint64_t extra_row = (uint64_t)td_series_get(row, index, TD_ZONE_EXTRA);
    struct zone_extra extra = {0}, none = {0};
    size_t room = TD_TRACK_ROOM + TD_ITEM_MAX;
    if (extra_row) {
        extra = extra_of(v, extra_row);
        room += td_put_stack_room(v, extra.stack) + extra_room(v, &extra);
    }
    bool sent = td_key_srcloc_is_sent(v, srcloc);
    if (sent)
        room += td_put_srcloc_room(v, srcloc);
    uint8_t *p = td_put_room(v, room);
    if (!p)
        return TD_PART_FULL;
    p = td_track_put(v, p, track, number, start_ns);
    bool with_stack = extra.stack && td_put_stack(v, &p, extra.stack, TD_STACK_THREAD);
    p = put_begin(v, p, td_put_delta(&v->thread_time, start_ns), srcloc, with_stack);
    if (extra_row)
        p = put_extra(v, p, &extra, &none);
    td_put_end(v, p);
    at->extra = extra_row;
    at->place.next++;
    return TD_PART_DONE;
}

static int end_zone(struct td_viewer *v, struct td_track_place *track, uint32_t number, int64_t end_ns,
                    uint64_t extra_row, uint64_t extra_sent)
{
    struct zone_extra extra = {0}, sent = {0};
    size_t room = TD_TRACK_ROOM + TD_ITEM_MAX;
    if (extra_row != extra_sent) {
        extra = extra_of(v, extra_row);
        sent = extra_of(v, extra_sent);
        room += extra_room(v, &extra);
    }
    uint8_t *p = td_put_room(v, room);
    if (!p)
        return TD_PART_FULL;
    p = td_track_put(v, p, track, number, end_ns);
    p = put_extra(v, p, &extra, &sent);
    struct td_wire_ZoneEnd item = {td_put_delta(&v->thread_time, end_ns)};
    p = td_wire_put_short_ZoneEnd(p, v->release, &item);
    td_put_end(v, p);
    return TD_PART_DONE;
}

/* ---- which zone comes next ---- */

/* How far the zone that was entered at a depth is known. */
enum state {
    ZONE_OPEN,     /* it may get more children */
    ZONE_CUT,      /* it has no end, but zones around it do: it is ended with the innermost of them */
    ZONE_FOLLOWED, /* it has no end, but another zone follows it: it is ended when that one starts */
    ZONE_ENDED
};

static enum state zone_state(const struct td_viewer *v, uint32_t number, const struct td_track_place *track,
                             uint32_t depth, int64_t *end_ns)
{
    for (uint32_t d = depth + 1; d-- > 0;) {
        const struct td_series *row = td_trace_row(v->trace, number, d);
        uint64_t index = track->rows.at[d].place.next - 1;
        bool is_followed = index + 1 < td_series_count(row);
        int64_t duration = td_series_get(row, index, TD_ZONE_DURATION);
        if (duration >= 0)
            *end_ns = td_wrap_add(td_series_get(row, index, TD_ZONE_START), duration);
        else if (is_followed)
            *end_ns = td_series_get(row, index + 1, TD_ZONE_START);
        else
            continue;
        if (d < depth)
            return ZONE_CUT;
        return duration >= 0 ? ZONE_ENDED : ZONE_FOLLOWED;
    }
    return ZONE_OPEN;
}

enum step_kind { STEP_NONE, STEP_BEGIN, STEP_END };

/* What comes next in a track. */
struct step {
    enum step_kind kind;
    bool may_send; /* it is old enough */
    int64_t ns;
    uint64_t extra; /* END: the zone's row of EXTRA */
};

/* Of all rows that are visible now, also those that are held back: messages must not overtake them. */
static struct step next_step(struct td_viewer *v, const struct td_track_place *track, uint32_t number)
{
    uint32_t depth = track->depth;
    const struct td_series *row = td_trace_row(v->trace, number, depth);
    struct td_place *place = &track->rows.at[depth].place;
    struct step begin = {.kind = STEP_NONE}, end = {.kind = STEP_END, .may_send = true};
    uint64_t count = row ? td_series_count(row) : 0, limit = td_place_end(v, place, count);
    if (place->next < count) {
        begin.kind = STEP_BEGIN;
        begin.may_send = place->next < limit;
        begin.ns = td_series_get(row, place->next, TD_ZONE_START);
    }
    if (!depth)
        return begin;
    /* The child was visible before the parent is read: if the parent is open, the child is its own. */
    const struct td_series *outer = td_trace_row(v->trace, number, depth - 1);
    uint64_t parent = track->rows.at[depth - 1].place.next - 1;
    enum state state = zone_state(v, number, track, depth - 1, &end.ns);
    if (state == ZONE_OPEN)
        return begin;
    /* The number of children of a zone without an end is not written: it has the rest of the next row, if it is the
     * last one of its own. */
    bool has_rest = state == ZONE_CUT && parent + 1 >= td_series_count(outer);
    if (begin.kind == STEP_BEGIN &&
        (has_rest || place->next < (uint64_t)td_series_get(outer, parent, TD_ZONE_CHILD_END)))
        return begin;
    end.extra = (uint64_t)td_series_get(outer, parent, TD_ZONE_EXTRA);
    return end;
}

static int send_step(struct td_viewer *v, struct td_track_place *track, uint32_t number,
                     const struct step *step)
{
    struct td_row_place *at = &track->rows.at[track->depth];
    int result;
    if (step->kind == STEP_BEGIN) {
        result = begin_zone(v, track, number, td_trace_row(v->trace, number, track->depth), at);
        track->depth += result == TD_PART_DONE;
    } else {
        result = end_zone(v, track, number, step->ns, step->extra, at[-1].extra);
        track->depth -= result == TD_PART_DONE;
    }
    return result;
}

static int send_track(struct td_viewer *v, uint32_t number)
{
    const struct td_track *known = td_dict_get_track(v->dict, number);
    struct td_track_place *track = &v->tracks.at[number];
    if (known->kind == TD_TRACK_GPU || known->line)
        return TD_PART_DONE;
    bool may_send;
    /* A message that may be sent was there before this moment, and so were the zones before it. */
    int64_t message_ns = td_message_next(v, number, &may_send);
    for (;;) {
        int result = TD_PLACES_GROW(&track->rows, (size_t)track->depth + 1);
        if (result < 0)
            return result;
        struct step step = next_step(v, track, number);
        if (message_ns != INT64_MAX && (step.kind == STEP_NONE || message_ns < step.ns)) {
            if (!may_send)
                break;
            result = td_message_send(v, number);
            if (result == TD_PART_DONE)
                message_ns = td_message_next(v, number, &may_send);
        } else if (step.kind != STEP_NONE && step.may_send) {
            result = send_step(v, track, number, &step);
        } else {
            break;
        }
        if (result)
            return result;
    }
    v->has_open_zones |= track->depth > 0;
    return TD_PART_DONE;
}

int td_part_zones(struct td_viewer *v)
{
    uint32_t count = td_dict_track_count(v->dict);
    int result = TD_PLACES_GROW(&v->tracks, count);
    if (!result && !v->part_item) {
        v->has_open_zones = false;
        result = td_message_order_extend(v->message_order);
    }
    TD_PART_EACH(v, count, result, send_track(v, i));
    return result;
}
