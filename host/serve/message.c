#include "host/serve/message.h"
#include "host/serve/message_order.h"
#include "host/serve/track.h"
#include "host/wire/items.h"

static uint8_t color_byte(uint32_t color, unsigned shift)
{
    return (uint8_t)(color >> shift);
}

struct message {
    int64_t time_ns;
    uint32_t track, text, color, stack;
    uint8_t metadata;
};

static struct message read_message(const struct td_series *rows, uint64_t row)
{
    uint8_t source = (uint8_t)td_series_get(rows, row, TD_MESSAGE_SOURCE);
    uint8_t severity = (uint8_t)td_series_get(rows, row, TD_MESSAGE_SEVERITY);
    return (struct message){.time_ns = td_series_get(rows, row, TD_MESSAGE_TIME),
                            .track = (uint32_t)td_series_get(rows, row, TD_MESSAGE_TRACK),
                            .text = (uint32_t)td_series_get(rows, row, TD_MESSAGE_TEXT),
                            .color = (uint32_t)td_series_get(rows, row, TD_MESSAGE_COLOR),
                            .stack = (uint32_t)td_series_get(rows, row, TD_MESSAGE_STACK),
                            .metadata = TD_WIRE_METADATA(source, severity)};
}

/* A text that the program has not sent yet: the viewer asks for it, and gets it when it is there. Items with
 * a call stack have the fields of those without. */
static uint8_t *put_literal(const struct td_viewer *v, uint8_t *p, const struct message *m, bool with_stack)
{
    uint64_t text = td_key(TD_KEY_STRING, m->text);
    if (m->color) {
        struct td_wire_MessageLiteralColor item = {.time = m->time_ns,
                                                   .b = color_byte(m->color, 0),
                                                   .g = color_byte(m->color, 8),
                                                   .r = color_byte(m->color, 16),
                                                   .text = text,
                                                   .metadata = m->metadata};
        uint8_t *end = td_wire_put_MessageLiteralColor(p, v->release, &item);
        if (with_stack)
            *p = td_wire_id(v->release, TD_ITEM_MessageLiteralColorCallstack);
        return end;
    }
    struct td_wire_MessageLiteral item = {m->time_ns, text, m->metadata};
    uint8_t *end = td_wire_put_MessageLiteral(p, v->release, &item);
    if (with_stack)
        *p = td_wire_id(v->release, TD_ITEM_MessageLiteralCallstack);
    return end;
}

static uint8_t *put_message(const struct td_viewer *v, uint8_t *p, const struct message *m, bool with_stack)
{
    if (!v->final && td_key_is_unknown(v, m->text))
        return put_literal(v, p, m, with_stack);
    p = td_put_text(v, p, m->text);
    if (m->color) {
        struct td_wire_MessageColor item = {.time = m->time_ns,
                                            .b = color_byte(m->color, 0),
                                            .g = color_byte(m->color, 8),
                                            .r = color_byte(m->color, 16),
                                            .metadata = m->metadata};
        uint8_t *end = td_wire_put_MessageColor(p, v->release, &item);
        if (with_stack)
            *p = td_wire_id(v->release, TD_ITEM_MessageColorCallstack);
        return end;
    }
    struct td_wire_Message item = {m->time_ns, m->metadata};
    uint8_t *end = td_wire_put_Message(p, v->release, &item);
    if (with_stack)
        *p = td_wire_id(v->release, TD_ITEM_MessageCallstack);
    return end;
}

static uint64_t next_row(const struct td_series *list, const struct td_place *place)
{
    return (uint64_t)td_series_get(list, place->next, TD_TRACK_MESSAGE_MESSAGE);
}

int64_t td_message_next(struct td_viewer *v, uint32_t track, bool *may_send)
{
    const struct td_series *list = td_message_order_of(v->message_order, track);
    struct td_place *place = &v->tracks.at[track].message;
    uint64_t count = td_series_count(list);
    *may_send = place->next < td_place_end(v, place, count);
    if (place->next >= count)
        return INT64_MAX;
    return td_series_get(td_trace_table(v->trace, TD_TABLE_MESSAGE), next_row(list, place), TD_MESSAGE_TIME);
}

int td_message_send(struct td_viewer *v, uint32_t track)
{
    struct td_place *place = &v->tracks.at[track].message;
    struct message m = read_message(td_trace_table(v->trace, TD_TABLE_MESSAGE),
                                    next_row(td_message_order_of(v->message_order, track), place));
    uint8_t *p = td_put_room(v, TD_TRACK_ROOM + 2 * TD_ITEM_MAX + td_put_text_bytes(v, m.text) +
                                    td_put_stack_room(v, m.stack));
    if (!p)
        return TD_PART_FULL;
    p = td_track_put(v, p, &v->tracks.at[track], track, m.time_ns);
    bool with_stack = m.stack && td_put_stack(v, &p, m.stack, TD_STACK_THREAD);
    td_put_end(v, put_message(v, p, &m, with_stack));
    place->next++;
    return TD_PART_DONE;
}
