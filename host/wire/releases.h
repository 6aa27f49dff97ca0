/* What tells the releases of Tracy apart: kinds of queue items and queries, their ids and facts, made from the
 * tables of proto/wire/items.h.
 *
 * For every item NAME there is TD_ITEM_NAME, its number here, the same for every release. Fields are in
 * host/wire/items.h, which is included only where they are read or written. Nothing here allocates or locks; all of
 * it is thread-safe. */
#pragma once
#include "host/base/err.h"
#include "proto/wire/items.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "host/wire copies fields as they are in memory: little-endian machines only"
#endif

#define TD_NOTHING(...)

/* X(type, its C type, its bytes on the wire) */
#define TD_WIRE_TYPES(X)                                                                                     \
    X(i64, int64_t, 8)                                                                                       \
    X(u64, uint64_t, 8)                                                                                      \
    X(u48, uint64_t, 6)                                                                                      \
    X(i32, int32_t, 4)                                                                                       \
    X(u32, uint32_t, 4)                                                                                      \
    X(u16, uint16_t, 2)                                                                                      \
    X(u8, uint8_t, 1)                                                                                        \
    X(i8, int8_t, 1)                                                                                         \
    X(f32, float, 4)                                                                                         \
    X(f64, double, 8)

#define TD_X(type, c_type, bytes)                                                                            \
    typedef c_type td_wt_##type;                                                                             \
    enum { TD_WS_##type = bytes };
TD_WIRE_TYPES(TD_X)
#undef TD_X
typedef uint16_t td_wt_ctx;
#define TD_WS_ctx release->context_bytes

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

/* Properties that an item has in every release. */
struct td_wire_item_info {
    const char *name;
    uint8_t tail;  /* enum td_wire_tail */
    uint8_t clock; /* enum td_wire_clock */
};
extern const struct td_wire_item_info td_wire_item_infos[TD_ITEM_COUNT];

enum {
#define TD_X(name, ...) TD_WIRE_POSITION_##name,
    TD_WIRE_RELEASES(TD_X)
#undef TD_X
        TD_WIRE_RELEASE_COUNT
};

/* One protocol version. */
struct td_wire_release {
    const char *tracy; /* "0.11.1" */
    uint32_t protocol;
    uint32_t welcome_bytes;
    uint8_t position;      /* in TD_WIRE_RELEASES */
    uint8_t id_column;     /* of td_wire_ids */
    uint8_t context_bytes; /* of a GPU context's number: 2 in Tenstorrent's fork, else 1 */
    uint8_t last_gpu_type; /* the highest type of a GPU context */
#define TD_X(fact, holds) bool fact;
    TD_WIRE_FACTS(TD_X, 0)
#undef TD_X
};
#define TD_X(name, ...) extern const struct td_wire_release td_wire_##name;
TD_WIRE_RELEASES(TD_X)
#undef TD_X

/* The columns of ids: one more than the newest release's, which is the last. */
enum {
#define TD_X(name, protocol, column, ...) TD_WIRE_COLUMN_##name = column,
    TD_WIRE_RELEASES(TD_X)
#undef TD_X
        TD_WIRE_COLUMNS
};
extern const uint8_t td_wire_ids[TD_ITEM_COUNT][TD_WIRE_COLUMNS];

/* The release of a protocol number; NULL: unknown. 66 is Tracy's; the fork's is td_wire_66tt. */
const struct td_wire_release *td_wire_release_for(uint32_t protocol);
/* All of them, oldest first; NULL after the last. */
const struct td_wire_release *td_wire_release_at(size_t index);

static inline bool td_wire_is_fork(const struct td_wire_release *release)
{
    return release->context_bytes == 2;
}

/* The id of an item; TD_WIRE_NONE: the release lacks it. */
static inline uint8_t td_wire_id(const struct td_wire_release *release, enum td_item item)
{
    return td_wire_ids[item][release->id_column];
}

static inline bool td_wire_has(const struct td_wire_release *release, enum td_item item)
{
    return td_wire_id(release, item) != TD_WIRE_NONE;
}

/* The item of an id; TD_WIRE_NONE: no such id in the release. */
uint8_t td_wire_item_of(const struct td_wire_release *release, uint8_t id);
/* Bytes of an item's id and fields. */
size_t td_wire_fixed_bytes(const struct td_wire_release *release, enum td_item item);
/* The id of a query. */
uint8_t td_wire_query_id(const struct td_wire_release *release, enum td_query query);

/* One item inside a decompressed frame. Short forms are undone: an item with a short time comes as NAME with
 * its plain difference, a short text as SingleStringData or SecondStringData. */
struct td_wire_view {
    uint32_t item;          /* enum td_item */
    uint32_t bytes;         /* of the variable part, 0 without one */
    const uint8_t *payload; /* the fields, for td_wire_get_NAME() */
    const uint8_t *data;    /* the variable part; not NUL-terminated */
    uint8_t undone[24];     /* id and payload of an item that came in a short form */
};

/* Reads the item at *at of a frame of `bytes` bytes and moves *at to its end. Returns 1, 0 at the frame's
 * end, or TD_E_FORMAT for an unknown id and for an item that does not end inside the frame. Bytes may be
 * hostile. */
int td_wire_next(const struct td_wire_release *release, const uint8_t *frame, size_t bytes, size_t *at,
                 struct td_wire_view *view, struct td_err *err);
