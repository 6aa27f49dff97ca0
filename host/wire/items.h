/* Queue items: made from the table of proto/wire/items.h, so that adding an item or a release touches only
 * that table.
 *
 * For every item NAME there are
 *   TD_ITEM_NAME                            its number here, the same for every release
 *   struct td_wire_NAME                     its fields
 *   td_wire_put_NAME(p, release, &fields)   writes id and fields, returns the end; variable bytes are the
 * caller's td_wire_get_NAME(payload)               reads the fields behind the id Nothing here allocates or
 * locks; all of it is thread-safe.
 */
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
typedef float td_wt_f32;
typedef double td_wt_f64;
enum {
    TD_WS_i64 = 8,
    TD_WS_u64 = 8,
    TD_WS_u48 = 6,
    TD_WS_i32 = 4,
    TD_WS_u32 = 4,
    TD_WS_u16 = 2,
    TD_WS_u8 = 1,
    TD_WS_f32 = 4,
    TD_WS_f64 = 8
};

enum td_item {
#define TD_F(type, name)
#define TD_X(name, id69, tail, clock, fields) TD_ITEM_##name,
    TD_WIRE_ITEMS(TD_X, TD_F)
#undef TD_X
#undef TD_F
        TD_ITEM_COUNT
};

enum td_query {
#define TD_X(name, id69) TD_QUERY_##name,
    TD_WIRE_QUERIES(TD_X)
#undef TD_X
        TD_QUERY_COUNT
};

enum td_wire_tail { TD_TAIL_FIXED, TD_TAIL_BYTES16, TD_TAIL_BYTES32, TD_TAIL_NEVER };
enum td_wire_clock {
    TD_CLOCK_NONE,
    TD_CLOCK_ABSOLUTE,
    TD_CLOCK_THREAD,
    TD_CLOCK_SERIAL,
    TD_CLOCK_SWITCH,
    TD_CLOCK_GPU
};

/* What is known of an item apart from its id. */
struct td_wire_item_info {
    const char *name;
    uint8_t fixed_bytes; /* id and fields */
    uint8_t tail;        /* enum td_wire_tail */
    uint8_t clock;       /* enum td_wire_clock */
};
extern const struct td_wire_item_info td_wire_item_infos[TD_ITEM_COUNT];

/* One protocol version. */
struct td_wire_release {
    uint32_t protocol;
    uint32_t welcome_bytes;
    uint8_t id[TD_ITEM_COUNT]; /* of an item, TD_WIRE_NONE: the release lacks it */
    uint8_t query_id[TD_QUERY_COUNT];
    uint8_t item[256]; /* of an id, TD_WIRE_NONE: no such id */
};
extern const struct td_wire_release td_wire_69;
const struct td_wire_release *td_wire_release_for(uint32_t protocol); /* NULL: not spoken here */

#define TD_F(type, name) td_wt_##type name;
#define TD_X(name, id69, tail, clock, fields)                                                                \
    struct td_wire_##name {                                                                                  \
        fields                                                                                               \
    };
TD_WIRE_ITEMS(TD_X, TD_F)
#undef TD_X
#undef TD_F

#define TD_F(type, name)                                                                                     \
    memcpy(p, &v->name, TD_WS_##type);                                                                       \
    p += TD_WS_##type;
#define TD_X(NAME, id69, tail, clock, fields)                                                                \
    static inline uint8_t *td_wire_put_##NAME(uint8_t *p, const struct td_wire_release *release,             \
                                              const struct td_wire_##NAME *v)                                \
    {                                                                                                        \
        (void)v;                                                                                             \
        *p++ = release->id[TD_ITEM_##NAME];                                                                  \
        fields return p;                                                                                     \
    }
TD_WIRE_ITEMS(TD_X, TD_F)
#undef TD_X
#undef TD_F

#define TD_F(type, name)                                                                                     \
    memcpy(&v.name, p, TD_WS_##type);                                                                        \
    p += TD_WS_##type;
#define TD_X(NAME, id69, tail, clock, fields)                                                                \
    static inline struct td_wire_##NAME td_wire_get_##NAME(const uint8_t *p) {                               \
        struct td_wire_##NAME v;                                                                             \
        memset(&v, 0, sizeof v);                                                                             \
        fields(void) p;                                                                                      \
        return v;                                                                                            \
    }
TD_WIRE_ITEMS(TD_X, TD_F)
#undef TD_X
#undef TD_F

/* One item inside a decompressed frame. */
struct td_wire_view {
    uint32_t item;          /* enum td_item */
    uint32_t bytes;         /* of the variable part, 0 without one */
    const uint8_t *payload; /* behind the id, for td_wire_get_NAME() */
    const uint8_t *data;    /* the variable part; not NUL-terminated */
};

/* Reads the item at *at of a frame of `bytes` bytes and moves *at behind it. Returns 1, 0 at the frame's end,
 * or TD_E_FORMAT for an unknown id and for an item that the frame's end cuts. Bytes may be hostile. */
int td_wire_next(const struct td_wire_release *release, const uint8_t *frame, size_t bytes, size_t *at,
                 struct td_wire_view *view, struct td_err *err);
#endif
