/* Queue items, made from the tables of proto/wire/items.h.
 *
 * For every item NAME there are
 *   struct td_wire_NAME                           its fields, those of all releases
 *   td_wire_put_NAME(p, release, &fields)         writes id and fields and returns their end; the caller
 *                                                 writes the variable bytes
 *   td_wire_get_NAME(payload, release)            reads the fields after the id; a field that the release
 *                                                 lacks is 0
 * Nothing here allocates or locks; all of it is thread-safe. */
#pragma once
#include "host/wire/releases.h"

#include <string.h>

#define TD_F(type, name)        td_wt_##type name;
#define TD_S(type, name, since) td_wt_##type name;
#define TD_T(text, metadata)                                                                                 \
    uint64_t text;                                                                                           \
    uint8_t metadata;
#define TD_X(name, ids, tail, clock, fields)                                                                 \
    struct td_wire_##name {                                                                                  \
        fields                                                                                               \
    };
TD_WIRE_ITEMS(TD_X, TD_F, TD_S, TD_S, TD_NOTHING, TD_T)
#undef TD_X
#undef TD_F
#undef TD_S
#undef TD_T

#define TD_F(type, name)                                                                                     \
    memcpy(p, &v->name, TD_WS_##type);                                                                       \
    p += TD_WS_##type;
#define TD_S(type, name, since)                                                                              \
    if (release->protocol >= since) {                                                                        \
        TD_F(type, name)                                                                                     \
    }
#define TD_U(type, name, until)                                                                              \
    if (release->protocol <= until) {                                                                        \
        TD_F(type, name)                                                                                     \
    }
#define TD_T(text, metadata)                                                                                 \
    {                                                                                                        \
        uint64_t tagged = release->tagged_messages ? v->text << 8 | v->metadata : v->text;                   \
        memcpy(p, &tagged, sizeof tagged);                                                                   \
        p += sizeof tagged;                                                                                  \
    }
#define TD_X(NAME, ids, tail, clock, fields)                                                                 \
    static inline uint8_t *td_wire_put_##NAME(uint8_t *p, const struct td_wire_release *release,             \
                                              const struct td_wire_##NAME *v)                                \
    {                                                                                                        \
        (void)v;                                                                                             \
        *p++ = td_wire_id(release, TD_ITEM_##NAME);                                                          \
        fields return p;                                                                                     \
    }
TD_WIRE_ITEMS(TD_X, TD_F, TD_S, TD_U, TD_S, TD_T)
#undef TD_X
#undef TD_F
#undef TD_T

#define TD_F(type, name)                                                                                     \
    memcpy(&v.name, p, TD_WS_##type);                                                                        \
    p += TD_WS_##type;
#define TD_T(text, metadata)                                                                                 \
    memcpy(&v.text, p, sizeof v.text);                                                                       \
    p += sizeof v.text;                                                                                      \
    if (release->tagged_messages) {                                                                          \
        v.metadata = (uint8_t)v.text;                                                                        \
        v.text >>= 8;                                                                                        \
    }
#define TD_X(NAME, ids, tail, clock, fields)                                                                 \
    static inline struct td_wire_##NAME td_wire_get_##NAME(const uint8_t *p,                                 \
                                                           const struct td_wire_release *release) {          \
        struct td_wire_##NAME v;                                                                             \
        memset(&v, 0, sizeof v);                                                                             \
        fields(void) p;                                                                                      \
        (void)release;                                                                                       \
        return v;                                                                                            \
    }
TD_WIRE_ITEMS(TD_X, TD_F, TD_S, TD_U, TD_S, TD_T)
#undef TD_X
#undef TD_F
#undef TD_S
#undef TD_U
#undef TD_T

/* X(item, its other fields), for the items whose time has shorter forms; `time` in the fields is the plain
 * difference. */
#define TD_WIRE_SHORT_TIMES(X)                                                                               \
    X(ZoneBegin, .srcloc = v.srcloc)                                                                         \
    X(ZoneBeginCallstack, .srcloc = v.srcloc)                                                                \
    X(ZoneEnd, .time = 0)                                                                                    \
    X(CallstackSample, .thread = v.thread)                                                                   \
    X(CallstackSampleContextSwitch, .thread = v.thread)
#define TD_WIRE_TIME16_END INT64_C(0x10000)     /* the first difference that needs 32 bits */
#define TD_WIRE_TIME32_END INT64_C(0x100010000) /* the first one that needs 64 */

/* Writes a text's header in the form that its length and the release ask for (`item`:
 * TD_ITEM_SingleStringData or TD_ITEM_SecondStringData; bytes <= TD_WIRE_TEXT_MAX) and returns its end, where
 * the caller puts the text. */
uint8_t *td_wire_put_string_head(uint8_t *p, const struct td_wire_release *release, enum td_item item,
                                 size_t bytes);

/* td_wire_put_short_NAME() writes an item of TD_WIRE_SHORT_TIMES in its shortest form. */
#define TD_X(NAME, ...)                                                                                      \
    static inline uint8_t *td_wire_put_short_##NAME(uint8_t *p, const struct td_wire_release *release,       \
                                                    const struct td_wire_##NAME *fields)                     \
    {                                                                                                        \
        if (!release->short_forms)                                                                           \
            return td_wire_put_##NAME(p, release, fields);                                                   \
        struct td_wire_##NAME v = *fields;                                                                   \
        if (v.time >= 0 && v.time < TD_WIRE_TIME16_END) {                                                    \
            struct td_wire_##NAME##16 narrow = {__VA_ARGS__};                                                \
            narrow.time = (uint16_t)v.time;                                                                  \
            return td_wire_put_##NAME##16(p, release, &narrow);                                              \
        }                                                                                                    \
        if (v.time >= 0 && v.time < TD_WIRE_TIME32_END) {                                                    \
            struct td_wire_##NAME##32 narrow = {__VA_ARGS__};                                                \
            narrow.time = (uint32_t)(v.time - TD_WIRE_TIME16_END);                                           \
            return td_wire_put_##NAME##32(p, release, &narrow);                                              \
        }                                                                                                    \
        if (v.time >= 0)                                                                                     \
            v.time -= TD_WIRE_TIME32_END;                                                                    \
        return td_wire_put_##NAME(p, release, &v);                                                           \
    }
TD_WIRE_SHORT_TIMES(TD_X)
#undef TD_X
