#include "host/serve/put.h"
#include "host/wire/items.h"

#include <string.h>

#define FRAMES_MAX  8191u /* of a payload */
#define TEXT_SHARE  1024u /* bytes of each of their texts at most */
#define LINE_BYTES  (4u + 2 * (2 + TEXT_SHARE))
#define SCRIPT_ROOM (TD_WIRE_TEXT_MAX / LINE_BYTES) /* of them in a payload, with the longest texts */

size_t td_put_text_bytes(const struct td_viewer *v, uint32_t string)
{
    size_t bytes = td_dict_text_bytes(v->dict, string);
    return bytes > TD_WIRE_TEXT_MAX ? TD_WIRE_TEXT_MAX : bytes;
}

static uint8_t *put_as(const struct td_viewer *v, uint8_t *p, enum td_item item, const char *text,
                       size_t bytes)
{
    p = td_wire_put_string_head(p, v->release, item, bytes);
    memcpy(p, text, bytes);
    return p + bytes;
}

uint8_t *td_put_text(const struct td_viewer *v, uint8_t *p, uint32_t string)
{
    return put_as(v, p, TD_ITEM_SingleStringData, td_dict_text(v->dict, string),
                  td_put_text_bytes(v, string));
}

uint8_t *td_put_second_text(const struct td_viewer *v, uint8_t *p, uint32_t string)
{
    return put_as(v, p, TD_ITEM_SecondStringData, td_dict_text(v->dict, string),
                  td_put_text_bytes(v, string));
}

uint8_t *td_put_bytes(const struct td_viewer *v, uint8_t *p, const char *text, size_t bytes)
{
    return put_as(v, p, TD_ITEM_SingleStringData, text, bytes);
}

uint8_t *td_put_counted(uint8_t *p, const char *text, size_t bytes)
{
    uint16_t count = (uint16_t)bytes;
    memcpy(p, &count, 2);
    memcpy(p + 2, text, count);
    return p + 2 + count;
}

uint8_t *td_put_thread(struct td_viewer *v, uint8_t *p, uint32_t thread)
{
    if (v->has_thread && v->thread == thread)
        return p;
    v->has_thread = true;
    v->thread = thread;
    v->thread_time = 0;
    return td_wire_put_ThreadContext(p, v->release, &(struct td_wire_ThreadContext){thread});
}

uint64_t td_put_frame_id(uint64_t address)
{
    return address & TD_FRAME_BITS;
}

static bool is_scripted(uint64_t id)
{
    return (id & ~TD_FRAME_BITS) != 0;
}

size_t td_put_stack_room(struct td_viewer *v, uint32_t stack)
{
    uint64_t first, count;
    if (!stack)
        return 0;
    td_trace_stack(v->trace, stack, &first, &count);
    if (count > FRAMES_MAX)
        count = FRAMES_MAX;
    const struct td_series *entries = td_trace_table(v->trace, TD_TABLE_STACK_ENTRY);
    bool scripted = count && is_scripted((uint64_t)td_series_get(entries, first, TD_STACK_ENTRY_FRAME));
    return 3 * TD_ITEM_MAX + count * 8 + (scripted ? TD_WIRE_TEXT_MAX : 0);
}

/* One frame of a scripting language: u32 line, function and file, each with a count of 16 bits. */
static uint8_t *put_script_line(const struct td_viewer *v, uint8_t *p, uint64_t id)
{
    uint32_t number = 0, function = 0, file = 0;
    uint64_t first, end;
    td_trace_frame_lines(v->trace, id, &first, &end);
    if (first < end) {
        const struct td_series *lines = td_trace_table(v->trace, TD_TABLE_STACK_LINE);
        number = (uint32_t)td_series_get(lines, end - 1, TD_STACK_LINE_LINE);
        function = (uint32_t)td_series_get(lines, end - 1, TD_STACK_LINE_FUNCTION);
        file = (uint32_t)td_series_get(lines, end - 1, TD_STACK_LINE_FILE);
    }
    memcpy(p, &number, 4);
    p += 4;
    const uint32_t texts[] = {function, file};
    for (size_t i = 0; i < 2; i++) {
        size_t bytes = td_dict_text_bytes(v->dict, texts[i]);
        p = td_put_counted(p, td_dict_text(v->dict, texts[i]), bytes < TEXT_SHARE ? bytes : TEXT_SHARE);
    }
    return p;
}

static uint8_t *put_script(const struct td_viewer *v, uint8_t *p, const uint64_t *ids, size_t count)
{
    uint8_t *payload =
        td_wire_put_CallstackAllocPayload(p, v->release, &(struct td_wire_CallstackAllocPayload){1});
    p = payload + 2;
    *p++ = (uint8_t)count;
    for (size_t i = 0; i < count; i++)
        p = put_script_line(v, p, ids[i]);
    uint16_t bytes = (uint16_t)(p - payload - 2);
    memcpy(payload, &bytes, 2);
    return p;
}

bool td_put_stack(struct td_viewer *v, uint8_t **at, uint32_t stack, enum td_stack_use use)
{
    uint64_t first, count, scripts[SCRIPT_ROOM];
    size_t script_count = 0;
    td_trace_stack(v->trace, stack, &first, &count);
    if (!count)
        return false;
    const struct td_series *entries = td_trace_table(v->trace, TD_TABLE_STACK_ENTRY);
    uint8_t *p = *at;
    uint8_t *payload =
        td_wire_put_CallstackPayload(p, v->release, &(struct td_wire_CallstackPayload){1 /* not used */});
    p = payload + 2;
    for (uint64_t i = 0; i < count && i < FRAMES_MAX; i++) {
        uint64_t id = (uint64_t)td_series_get(entries, first + i, TD_STACK_ENTRY_FRAME);
        if (is_scripted(id)) {
            if (i == script_count && script_count < SCRIPT_ROOM && use == TD_STACK_THREAD)
                scripts[script_count++] = id;
            else
                td_viewer_leave_out(v, TD_LEFT_OUT_STACKS);
            continue;
        }
        uint64_t address = td_frame_address(id);
        memcpy(p, &address, 8);
        p += 8;
    }
    uint16_t bytes = (uint16_t)(p - payload - 2);
    memcpy(payload, &bytes, 2);
    if (!bytes)
        p = *at;
    if (script_count)
        p = put_script(v, p, scripts, script_count);
    if (p == *at)
        return false;
    if (use == TD_STACK_SERIAL)
        p = td_wire_put_CallstackSerial(p, v->release, NULL);
    else if (use == TD_STACK_THREAD)
        p = script_count ? td_wire_put_CallstackAlloc(p, v->release, NULL)
                         : td_wire_put_Callstack(p, v->release, NULL);
    *at = p;
    return true;
}

static size_t short_text(const struct td_viewer *v, uint32_t string)
{
    size_t bytes = td_dict_text_bytes(v->dict, string);
    return bytes < 20000 ? bytes : 20000;
}

size_t td_put_srcloc_room(const struct td_viewer *v, uint32_t srcloc)
{
    const struct td_srcloc *s = td_dict_get_srcloc(v->dict, srcloc);
    return TD_ITEM_MAX + short_text(v, s->name) + short_text(v, s->function) + short_text(v, s->file);
}

uint8_t *td_put_srcloc(const struct td_viewer *v, uint8_t *p, uint32_t srcloc)
{
    const struct td_srcloc *s = td_dict_get_srcloc(v->dict, srcloc);
    uint8_t *payload =
        td_wire_put_SourceLocationPayload(p, v->release, &(struct td_wire_SourceLocationPayload){1});
    p = payload + 2;
    memcpy(p, &s->color, 4);
    memcpy(p + 4, &s->line, 4);
    p += 8;
    const uint32_t texts[] = {s->function, s->file, s->name};
    for (size_t i = 0; i < 3; i++) {
        size_t bytes = short_text(v, texts[i]);
        memcpy(p, td_dict_text(v->dict, texts[i]), bytes);
        p += bytes;
        if (i < 2)
            *p++ = 0;
    }
    uint16_t bytes = (uint16_t)(p - payload - 2);
    memcpy(payload, &bytes, 2);
    return p;
}
