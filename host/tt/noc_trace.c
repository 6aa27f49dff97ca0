#include "host/tt/noc_trace.h"
#include "host/tt/noc_trace_internal.h"
#include "proto/tt/device_log.h"

#include <inttypes.h>
#include <stdio.h>

const struct td_tt_noc_field_form td_tt_noc_fields[TD_TT_NOC_FIELD_COUNT] = {
#define TD_X(name, json, kind, where) {json, TD_TT_NOC_IS_##kind, TD_TT_NOC_IN_##where},
    TD_TT_NOC_FIELDS(TD_X)
#undef TD_X
};

static const struct {
    const char *name;
    uint8_t now, autumn_2025, before;
} types[] = {{"", 0, 0, 0},
#define TD_X(name, now, autumn_2025, before) {#name, now, autumn_2025, before},
             TD_TT_NOC_TYPES(TD_X)
#undef TD_X
};

const char *td_tt_noc_type_name(enum td_tt_noc_type type)
{
    return type < TD_TT_NOC_TYPE_COUNT ? types[type].name : "";
}

enum td_tt_noc_type td_tt_noc_type_read(struct td_tt_text name)
{
    for (unsigned i = 1; i < TD_TT_NOC_TYPE_COUNT; i++)
        if (td_tt_text_is(name, types[i].name))
            return (enum td_tt_noc_type)i;
    return TD_TT_NOC_TYPE_NONE;
}

/* ---- values of device logs */

static uint8_t number_of(enum td_tt_noc_layout layout, enum td_tt_noc_type type)
{
    return layout == TD_TT_NOC_LAYOUT_BEFORE        ? types[type].before
           : layout == TD_TT_NOC_LAYOUT_AUTUMN_2025 ? types[type].autumn_2025
                                                    : types[type].now;
}

static enum td_tt_noc_type type_of(enum td_tt_noc_layout layout, uint8_t number)
{
    unsigned i = TD_TT_NOC_TYPE_COUNT - 1;
    while (i && (!number || number_of(layout, (enum td_tt_noc_type)i) != number))
        i--;
    return (enum td_tt_noc_type)i;
}

static uint8_t byte_of(uint64_t value, unsigned number)
{
    return (uint8_t)(value >> 8 * number);
}

enum td_tt_noc_layout td_tt_noc_layout_look(enum td_tt_noc_layout known, uint64_t value)
{
    if (known != TD_TT_NOC_LAYOUT_UNKNOWN)
        return known;
    const bool may_be_before =
        !byte_of(value, 7) && type_of(TD_TT_NOC_LAYOUT_BEFORE, byte_of(value, 6)) != TD_TT_NOC_TYPE_NONE;
    const bool may_be_now = type_of(TD_TT_NOC_LAYOUT_NOW, byte_of(value, 0)) != TD_TT_NOC_TYPE_NONE;
    return may_be_before == may_be_now ? TD_TT_NOC_LAYOUT_UNKNOWN
           : may_be_now                ? TD_TT_NOC_LAYOUT_NOW
                                       : TD_TT_NOC_LAYOUT_BEFORE;
}

enum td_tt_noc_layout td_tt_noc_layout_of(enum td_tt_noc_layout known, uint32_t columns,
                                          uint32_t max_compute_cores)
{
    if (known == TD_TT_NOC_LAYOUT_UNKNOWN)
        known = columns >> TD_TT_LOG_TRACE_ID & 1 ? TD_TT_NOC_LAYOUT_NOW : TD_TT_NOC_LAYOUT_BEFORE;
    if (known == TD_TT_NOC_LAYOUT_NOW && !max_compute_cores) /* a fact that files have since 2026 */
        known = TD_TT_NOC_LAYOUT_AUTUMN_2025;
    return known;
}

static bool is_multicast(enum td_tt_noc_type type)
{
    return type == TD_TT_NOC_TYPE_WRITE_MULTICAST || type == TD_TT_NOC_TYPE_SEMAPHORE_SET_MULTICAST ||
           type == TD_TT_NOC_TYPE_SEMAPHORE_INC_MULTICAST;
}

static void set_place(struct td_tt_noc_event *event, uint8_t x, uint8_t y, enum td_tt_noc_field to_x)
{
    if (x == 0xff || y == 0xff)
        return;
    td_tt_noc_set(event, to_x, (int8_t)x);
    td_tt_noc_set(event, to_x + 1, (int8_t)y);
}

static void set_noc(struct td_tt_noc_event *event, unsigned nibble)
{
    if (nibble == 1 || nibble == 2)
        td_tt_noc_set(event, TD_TT_NOC_NOC, nibble - 1);
}

bool td_tt_noc_decode(enum td_tt_noc_layout layout, uint64_t value, struct td_tt_noc_event *event)
{
    const bool before = layout == TD_TT_NOC_LAYOUT_BEFORE;
    const enum td_tt_noc_type type = type_of(layout, byte_of(value, before ? 6 : 0));
    const uint64_t rest = before ? value : value >> 8; /* from the destination on */
    if (type == TD_TT_NOC_TYPE_NONE)
        return false;
    td_tt_noc_set(event, TD_TT_NOC_TYPE, type);
    event->type = td_tt_text_of(types[type].name);
    if (type >= TD_TT_NOC_TYPE_FABRIC_ROUTING_FIELDS_1D)
        return true;
    if (type >= TD_TT_NOC_TYPE_FABRIC_UNICAST_WRITE) {
        set_place(event, byte_of(rest, 0), byte_of(rest, 1), TD_TT_NOC_DX);
        if (!before)
            set_noc(event, byte_of(value, type == TD_TT_NOC_TYPE_FABRIC_UNICAST_SCATTER_WRITE ? 7 : 5) & 15);
        return true;
    }
    if (is_multicast(type)) {
        set_place(event, byte_of(rest, 0), byte_of(rest, 1), TD_TT_NOC_MCAST_START_X);
        set_place(event, byte_of(rest, 2), byte_of(rest, 3), TD_TT_NOC_MCAST_END_X);
    } else {
        set_place(event, byte_of(rest, 0), byte_of(rest, 1), TD_TT_NOC_DX);
    }
    set_noc(event, byte_of(rest, 4) & 15);
    const int vc = byte_of(rest, 4) >> 4;
    td_tt_noc_set(event, TD_TT_NOC_VC, vc < 8 ? vc : vc - 16);
    td_tt_noc_set(event, TD_TT_NOC_NUM_BYTES, (int64_t)byte_of(rest, 5) * TD_TT_NOC_CHUNK_BYTES);
    if (!before)
        td_tt_noc_set(event, TD_TT_NOC_POSTED, byte_of(value, 7) & 1);
    return true;
}

static uint64_t field_or(const struct td_tt_noc_event *event, enum td_tt_noc_field field, int64_t none)
{
    return (uint64_t)(td_tt_noc_has(event, field) ? event->value[field] : none);
}

uint64_t td_tt_noc_encode(enum td_tt_noc_layout layout, const struct td_tt_noc_event *event)
{
    const bool before = layout == TD_TT_NOC_LAYOUT_BEFORE;
    const bool multicast = td_tt_noc_has(event, TD_TT_NOC_MCAST_START_X);
    const uint64_t type = number_of(layout, (enum td_tt_noc_type)field_or(event, TD_TT_NOC_TYPE, 0));
    const uint64_t noc = field_or(event, TD_TT_NOC_NOC, -1) + 1;
    uint64_t chunks =
        (field_or(event, TD_TT_NOC_NUM_BYTES, 0) + TD_TT_NOC_CHUNK_BYTES - 1) / TD_TT_NOC_CHUNK_BYTES;
    chunks = chunks > 255 ? 255 : chunks;
    uint64_t rest = field_or(event, multicast ? TD_TT_NOC_MCAST_START_X : TD_TT_NOC_DX, -1) & 255;
    rest |= (field_or(event, multicast ? TD_TT_NOC_MCAST_START_Y : TD_TT_NOC_DY, -1) & 255) << 8;
    rest |= (field_or(event, TD_TT_NOC_MCAST_END_X, 0) & 255) << 16;
    rest |= (field_or(event, TD_TT_NOC_MCAST_END_Y, 0) & 255) << 24;
    rest |= (noc & 15) << 32 | (field_or(event, TD_TT_NOC_VC, -1) & 15) << 36 | chunks << 40;
    return before ? rest | type << 48 : type | rest << 8 | (field_or(event, TD_TT_NOC_POSTED, 0) & 1) << 56;
}

/* ---- texts of messages */

struct printer {
    char *text;
    size_t room, at;
};

static void print_text(struct printer *p, const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes && p->at + 1 < p->room; i++)
        p->text[p->at++] = text[i];
}

static void print_string(struct printer *p, const char *text)
{
    print_text(p, text, strlen(text));
}

static bool is_printed(unsigned field)
{
    return td_tt_noc_fields[field].where >= TD_TT_NOC_IN_EVENT &&
           td_tt_noc_fields[field].kind != TD_TT_NOC_IS_TYPE;
}

static const char *prefix_of(unsigned field)
{
    return td_tt_noc_fields[field].where == TD_TT_NOC_IN_MUX ? TD_TT_NOC_MUX "." : "";
}

size_t td_tt_noc_text(const struct td_tt_noc_event *event, char *text, size_t room)
{
    struct printer p = {text, room, 0};
    char number[32];
    print_string(&p, TD_TT_NOC_TEXT_PREFIX);
    print_text(&p, event->type.at, event->type.bytes);
    for (unsigned i = 0; i < TD_TT_NOC_FIELD_COUNT; i++) {
        if (!is_printed(i) || !td_tt_noc_has(event, (enum td_tt_noc_field)i))
            continue;
        print_string(&p, " ");
        print_string(&p, prefix_of(i));
        print_string(&p, td_tt_noc_fields[i].name);
        snprintf(number, sizeof number,
                 td_tt_noc_fields[i].kind == TD_TT_NOC_IS_NOC ? "=NOC_%" PRId64 : "=%" PRId64,
                 event->value[i]);
        print_string(&p, number);
    }
    if (room)
        text[p.at] = 0;
    return p.at;
}

/* The next word; false: there is none. */
static bool take_word(struct td_tt_text *text, struct td_tt_text *word)
{
    const char *end = memchr(text->at, ' ', text->bytes);
    *word = (struct td_tt_text){text->at, end ? (size_t)(end - text->at) : text->bytes};
    const size_t taken = word->bytes + (end != NULL);
    *text = (struct td_tt_text){text->at + taken, text->bytes - taken};
    return word->bytes;
}

static bool read_field(struct td_tt_text word, struct td_tt_noc_event *event)
{
    const char *equals = memchr(word.at, '=', word.bytes);
    if (!equals)
        return false;
    const struct td_tt_text key = {word.at, (size_t)(equals - word.at)};
    struct td_tt_text value = {equals + 1, word.bytes - key.bytes - 1};
    for (unsigned i = 0; i < TD_TT_NOC_FIELD_COUNT; i++) {
        const size_t prefix = strlen(prefix_of(i));
        int64_t number;
        if (!is_printed(i) || !td_tt_text_begins(key, prefix_of(i)) ||
            !td_tt_text_is((struct td_tt_text){key.at + prefix, key.bytes - prefix},
                           td_tt_noc_fields[i].name))
            continue;
        if (td_tt_noc_fields[i].kind == TD_TT_NOC_IS_NOC && td_tt_text_begins(value, "NOC_"))
            value = (struct td_tt_text){value.at + 4, value.bytes - 4};
        if (!td_tt_text_i64(value, &number))
            return false;
        td_tt_noc_set(event, (enum td_tt_noc_field)i, number);
        return true;
    }
    return false;
}

bool td_tt_noc_text_read(struct td_tt_text text, struct td_tt_noc_event *event)
{
    const size_t prefix = strlen(TD_TT_NOC_TEXT_PREFIX);
    struct td_tt_noc_event read = *event;
    struct td_tt_text word;
    if (!td_tt_text_begins(text, TD_TT_NOC_TEXT_PREFIX))
        return false;
    text = (struct td_tt_text){text.at + prefix, text.bytes - prefix};
    if (!take_word(&text, &word))
        return false;
    read.type = word;
    td_tt_noc_set(&read, TD_TT_NOC_TYPE, td_tt_noc_type_read(word));
    while (take_word(&text, &word))
        if (!read_field(word, &read))
            return false;
    if (text.bytes)
        return false;
    *event = read;
    return true;
}
