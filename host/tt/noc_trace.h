/* One object of a NoC trace: a zone's begin or end, or an event. Also the value of such an event in a
 * device log, and its text on the track of a core. */
#pragma once
#include "host/tt/tt_text.h"
#include "proto/tt/noc_trace.h"

/* Kinds TEXT are in `text`, all others in `value`. Texts are valid as long as what they were read from. */
struct td_tt_noc_event {
    uint32_t present; /* bit 1 << enum td_tt_noc_field: the field is there */
    int64_t value[TD_TT_NOC_FIELD_COUNT];
    struct td_tt_text proc, zone, op_name;
    struct td_tt_text
        type; /* its name, also of a type that is not known: then value is TD_TT_NOC_TYPE_NONE */
};

static inline bool td_tt_noc_has(const struct td_tt_noc_event *event, enum td_tt_noc_field field)
{
    return event->present >> field & 1;
}
static inline void td_tt_noc_set(struct td_tt_noc_event *event, enum td_tt_noc_field field, int64_t value)
{
    event->present |= 1u << field;
    event->value[field] = value;
}

const char *td_tt_noc_type_name(enum td_tt_noc_type type); /* "" for TD_TT_NOC_TYPE_NONE */
enum td_tt_noc_type td_tt_noc_type_read(struct td_tt_text name);

/* How the values of a device log are made. The layout of a file can be found by looking at its values. */
enum td_tt_noc_layout {
    TD_TT_NOC_LAYOUT_UNKNOWN, /* the values so far fit both */
    TD_TT_NOC_LAYOUT_BEFORE,
    TD_TT_NOC_LAYOUT_AUTUMN_2025, /* today's layout, with types numbered as then */
    TD_TT_NOC_LAYOUT_NOW
};
/* What is known after one more value: UNKNOWN, BEFORE or NOW. Once it is known it does not change. */
enum td_tt_noc_layout td_tt_noc_layout_look(enum td_tt_noc_layout known, uint64_t value);
/* The layout of a file, from what its values show and from its first two lines (td_tt_log_head): in values
 * that fit both layouts, and for the numbers of types, the era decides. */
enum td_tt_noc_layout td_tt_noc_layout_of(enum td_tt_noc_layout known, uint32_t columns,
                                          uint32_t max_compute_cores);

/* Sets type, noc, vc, num_bytes, dx and dy (or mcast_* of a multicast) and posted. Without a destination,
 * dx and dy are not there. Of events of the fabric, type, dx, dy and noc are set. False: no such type;
 * nothing is set. */
bool td_tt_noc_decode(enum td_tt_noc_layout layout, uint64_t value, struct td_tt_noc_event *event);
/* The value of an event that is not of the fabric. Fields that are missing count as none. */
uint64_t td_tt_noc_encode(enum td_tt_noc_layout layout, const struct td_tt_noc_event *event);

/* The message of an event on its core's track: "NoC READ noc=NOC_0 vc=-1 num_bytes=4096 dx=1 dy=2": all
 * fields of the kinds EVENT, SEND and MUX that are there. */
#define TD_TT_NOC_TEXT_PREFIX "NoC "
#define TD_TT_NOC_TEXT_BYTES  512
/* Returns the length; the text is cut to `room` - 1 bytes. */
size_t td_tt_noc_text(const struct td_tt_noc_event *event, char *text, size_t room);
/* False: it is no such text. Other fields of the event stay as they are; `type` points into the text. */
bool td_tt_noc_text_read(struct td_tt_text text, struct td_tt_noc_event *event);
