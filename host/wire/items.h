/* Queue items: made from the table of proto/wire/items.h, so that adding an item or a release touches only
 * that table.
 *
 * For every item NAME there are
 *   TD_ITEM_NAME                                  its number here, the same for every release
 *   struct td_wire_NAME                           its fields, those of all releases
 *   td_wire_put_NAME(p, release, &fields)         writes id and fields and returns their end; the caller writes
 *                                                 the variable bytes
 *   td_wire_get_NAME(payload, release)            reads the fields after the id; a field that the release lacks
 *                                                 is 0
 * Nothing here allocates or locks; all of it is thread-safe. */
#ifndef TD_HOST_WIRE_ITEMS_H
#define TD_HOST_WIRE_ITEMS_H
#include "host/base/err.h"
#include "proto/wire/items.h"
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "host/wire copies fields as they stand in memory: little-endian machines only"
#endif

/* C types, sizes on the wire, load and store of the table's types. */
typedef int64_t td_wt_i64;
typedef uint64_t td_wt_u64;
typedef uint64_t td_wt_u48;
typedef int32_t td_wt_i32;
typedef uint32_t td_wt_u32;
typedef uint16_t td_wt_u16;
typedef uint8_t td_wt_u8;
typedef int8_t td_wt_i8;
typedef float td_wt_f32;
typedef double td_wt_f64;
typedef uint16_t td_wt_ctx;
enum {
    TD_WS_i64 = 8,
    TD_WS_u64 = 8,
    TD_WS_u48 = 6,
    TD_WS_i32 = 4,
    TD_WS_u32 = 4,
    TD_WS_u16 = 2,
    TD_WS_u8 = 1,
    TD_WS_i8 = 1,
    TD_WS_f32 = 4,
    TD_WS_f64 = 8
};

#define TD_NOTHING(...)

enum td_item {
#define TD_X(name, ids, tail, clock, fields) TD_ITEM_##name,
    TD_WIRE_ITEMS(TD_X, TD_NOTHING, TD_NOTHING, TD_NOTHING, TD_NOTHING, TD_NOTHING)
#undef TD_X
        TD_ITEM_COUNT
};

enum td_query {
#define TD_X(name, id63, id66) TD_QUERY_##name,
    TD_WIRE_QUERIES(TD_X)
#undef TD_X
        TD_QUERY_COUNT
};

enum td_wire_tail {
    TD_TAIL_FIXED,
    TD_TAIL_BYTES8,
    TD_TAIL_BYTES16,
    TD_TAIL_BYTES32,
    TD_TAIL_STRING16,
    TD_TAIL_NEVER
};
enum td_wire_clock {
    TD_CLOCK_NONE,
    TD_CLOCK_ABSOLUTE,
    TD_CLOCK_THREAD,
    TD_CLOCK_SERIAL,
    TD_CLOCK_SWITCH,
    TD_CLOCK_GPU
};

/* What is known of an item in every release. */
struct td_wire_item_info {
    const char *name;
    uint8_t tail;  /* enum td_wire_tail */
    uint8_t clock; /* enum td_wire_clock */
};
extern const struct td_wire_item_info td_wire_item_infos[TD_ITEM_COUNT];

/* One protocol version. */
struct td_wire_release {
    const char *tracy; /* "0.11.1" */
    uint32_t protocol;
    uint32_t welcome_bytes;
    uint8_t context_bytes;              /* of a GPU context's number: 2 in Tenstorrent's fork, else 1 */
    uint8_t fixed_bytes[TD_ITEM_COUNT]; /* id and fields */
    uint8_t id[TD_ITEM_COUNT];          /* of an item, TD_WIRE_NONE: the release lacks it */
    uint8_t query_id[TD_QUERY_COUNT];
    uint8_t item[256]; /* of an id, TD_WIRE_NONE: no such id */
};
#define TD_X(name, ...) extern const struct td_wire_release td_wire_##name;
TD_WIRE_RELEASES(TD_X)
#undef TD_X
/* NULL: not spoken here. 66 is upstream's; the fork's is td_wire_66tt. */
const struct td_wire_release *td_wire_release_for(uint32_t protocol);
/* All of them, oldest first; NULL behind the last. */
const struct td_wire_release *td_wire_release_at(size_t index);

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

#define TD_BYTES_OF_(type) (TD_WB_##type)
#define TD_WB_i64          8u
#define TD_WB_u64          8u
#define TD_WB_u48          6u
#define TD_WB_i32          4u
#define TD_WB_u32          4u
#define TD_WB_u16          2u
#define TD_WB_u8           1u
#define TD_WB_i8           1u
#define TD_WB_f32          4u
#define TD_WB_f64          8u
#define TD_WB_ctx          release->context_bytes

#define TD_F(type, name)                                                                                     \
    memcpy(p, &v->name, TD_BYTES_OF_(type));                                                                 \
    p += TD_BYTES_OF_(type);
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
        uint64_t tagged = release->protocol >= 82 ? v->text << 8 | v->metadata : v->text;                    \
        memcpy(p, &tagged, sizeof tagged);                                                                   \
        p += sizeof tagged;                                                                                  \
    }
#define TD_X(NAME, ids, tail, clock, fields)                                                                 \
    static inline uint8_t *td_wire_put_##NAME(uint8_t *p, const struct td_wire_release *release,             \
                                              const struct td_wire_##NAME *v)                                \
    {                                                                                                        \
        (void)v;                                                                                             \
        *p++ = release->id[TD_ITEM_##NAME];                                                                  \
        fields return p;                                                                                     \
    }
TD_WIRE_ITEMS(TD_X, TD_F, TD_S, TD_U, TD_S, TD_T)
#undef TD_X
#undef TD_F
#undef TD_T

#define TD_F(type, name)                                                                                     \
    memcpy(&v.name, p, TD_BYTES_OF_(type));                                                                  \
    p += TD_BYTES_OF_(type);
#define TD_T(text, metadata)                                                                                 \
    memcpy(&v.text, p, sizeof v.text);                                                                       \
    p += sizeof v.text;                                                                                      \
    if (release->protocol >= 82) {                                                                           \
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

/* Items whose time has narrow forms from 82 on; `time` in the fields is the plain difference. */
#define TD_WIRE_NARROW(X)                                                                                    \
    X(ZoneBegin) X(ZoneBeginCallstack) X(ZoneEnd) X(CallstackSample) X(CallstackSampleContextSwitch)
#define TD_WIRE_NARROW_BIAS INT64_C(0x100010000) /* what does not fit 32 bits behind 16 */

/* Writes a text's header in the form that its length and the release ask for (`item`:
 * TD_ITEM_SingleStringData or TD_ITEM_SecondStringData; bytes <= TD_WIRE_TEXT_MAX); the caller puts the text
 * behind it. */
uint8_t *td_wire_put_string_head(uint8_t *p, const struct td_wire_release *release, enum td_item item,
                                 size_t bytes);

/* Writes one of the five in its shortest form. */
#define TD_X(NAME)                                                                                           \
    static inline uint8_t *td_wire_put_short_##NAME(uint8_t *p, const struct td_wire_release *release,       \
                                                    const struct td_wire_##NAME *fields)                     \
    {                                                                                                        \
        if (release->protocol < 82)                                                                          \
            return td_wire_put_##NAME(p, release, fields);                                                   \
        struct td_wire_##NAME v = *fields;                                                                   \
        uint64_t time = (uint64_t)v.time;                                                                    \
        if (time < 65536) {                                                                                  \
            struct td_wire_##NAME##16 narrow = TD_NARROW_##NAME(v);                                          \
            narrow.time = (uint16_t)time;                                                                    \
            return td_wire_put_##NAME##16(p, release, &narrow);                                              \
        }                                                                                                    \
        if (time < (uint64_t)TD_WIRE_NARROW_BIAS) {                                                          \
            struct td_wire_##NAME##32 narrow = TD_NARROW_##NAME(v);                                          \
            narrow.time = (uint32_t)(time - 65536);                                                          \
            return td_wire_put_##NAME##32(p, release, &narrow);                                              \
        }                                                                                                    \
        if (v.time >= 0)                                                                                     \
            v.time -= TD_WIRE_NARROW_BIAS;                                                                   \
        return td_wire_put_##NAME(p, release, &v);                                                           \
    }
#define TD_NARROW_ZoneBegin(v)                                                                               \
    {                                                                                                        \
        .srcloc = v.srcloc                                                                                   \
    }
#define TD_NARROW_ZoneBeginCallstack(v)                                                                      \
    {                                                                                                        \
        .srcloc = v.srcloc                                                                                   \
    }
#define TD_NARROW_ZoneEnd(v)                                                                                 \
    {                                                                                                        \
        0                                                                                                    \
    }
#define TD_NARROW_CallstackSample(v)                                                                         \
    {                                                                                                        \
        .thread = v.thread                                                                                   \
    }
#define TD_NARROW_CallstackSampleContextSwitch(v)                                                            \
    {                                                                                                        \
        .thread = v.thread                                                                                   \
    }
TD_WIRE_NARROW(TD_X)
#undef TD_X

/* One item inside a decompressed frame. Forms that only save bytes are undone: an item with a narrow time
 * comes as NAME with its plain difference, a short text as SingleStringData or SecondStringData. */
struct td_wire_view {
    uint32_t item;          /* enum td_item */
    uint32_t bytes;         /* of the variable part, 0 without one */
    const uint8_t *payload; /* behind the id, for td_wire_get_NAME() */
    const uint8_t *data;    /* the variable part; not NUL-terminated */
    uint8_t wide[24];       /* payload of an item whose form was undone */
};

/* Reads the item at *at of a frame of `bytes` bytes and moves *at behind it. Returns 1, 0 at the frame's end,
 * or TD_E_FORMAT for an unknown id and for an item that the frame's end cuts. Bytes may be hostile. */
int td_wire_next(const struct td_wire_release *release, const uint8_t *frame, size_t bytes, size_t *at,
                 struct td_wire_view *view, struct td_err *err);
#endif
