#include "host/wire/items.h"

#define TD_X(name, ids, tail, clock, fields) {#name, TD_TAIL_##tail, TD_CLOCK_##clock},
const struct td_wire_item_info td_wire_item_infos[TD_ITEM_COUNT] = {
    TD_WIRE_ITEMS(TD_X, TD_NOTHING, TD_NOTHING, TD_NOTHING, TD_NOTHING, TD_NOTHING)};
#undef TD_X

/* The pieces of release_table.h, which is about the release at position TD_AT of TD_WIRE_RELEASES. */
#define NO                                              TD_WIRE_NONE
#define TD_NTH_0(a, ...)                                a
#define TD_NTH_1(a, ...)                                TD_NTH_0(__VA_ARGS__)
#define TD_NTH_2(a, ...)                                TD_NTH_1(__VA_ARGS__)
#define TD_NTH_3(a, ...)                                TD_NTH_2(__VA_ARGS__)
#define TD_NTH_4(a, ...)                                TD_NTH_3(__VA_ARGS__)
#define TD_NTH_5(a, ...)                                TD_NTH_4(__VA_ARGS__)
#define TD_NTH_6(a, ...)                                TD_NTH_5(__VA_ARGS__)
#define TD_NTH_7(a, ...)                                TD_NTH_6(__VA_ARGS__)
#define TD_NTH_8(a, ...)                                TD_NTH_7(__VA_ARGS__)
#define TD_NTH_9(a, ...)                                TD_NTH_8(__VA_ARGS__)
#define TD_NTH_10(a, ...)                               TD_NTH_9(__VA_ARGS__)
#define TD_NTH_11(a, ...)                               TD_NTH_10(__VA_ARGS__)
#define TD_NTH_(n, ...)                                 TD_NTH_##n(__VA_ARGS__, )
#define TD_NTH(n, ...)                                  TD_NTH_(n, __VA_ARGS__)
#define TD_LIST(...)                                    __VA_ARGS__
#define TD_TUPLE(...)                                   , (__VA_ARGS__)
#define TD_COUNTED(...)                                 +1
#define TD_THIS                                         TD_NTH(TD_AT, TD_OTHERS(TD_WIRE_RELEASES(TD_TUPLE)))
#define TD_OTHERS(...)                                  TD_OTHERS_(__VA_ARGS__)
#define TD_OTHERS_(nothing, ...)                        __VA_ARGS__
#define TD_FACT(fact)                                   TD_FACT_(fact, TD_THIS)
#define TD_FACT_(fact, tuple)                           fact tuple
#define TD_NAME(name, p, c, g, w, t)                    TD_JOIN(td_wire_, name)
#define TD_PROTOCOL_(n, protocol, c, g, w, t)           protocol
#define TD_COLUMN_(n, p, column, g, w, t)               column
#define TD_CONTEXT_(n, p, c, context_bytes, w, t)       context_bytes
#define TD_WELCOME_(n, p, c, g, welcome_bytes, t)       welcome_bytes
#define TD_TRACY_(n, p, c, g, w, tracy)                 tracy
#define TD_PROTOCOL                                     TD_FACT(TD_PROTOCOL_)
#define TD_COLUMN                                       TD_FACT(TD_COLUMN_)
#define TD_CONTEXT_BYTES                                TD_FACT(TD_CONTEXT_)
#define TD_JOIN(a, b)                                   TD_JOIN_(a, b)
#define TD_JOIN_(a, b)                                  a##b
#define TD_PICK(ids)                                    TD_NTH(TD_COLUMN, TD_LIST ids)
#define TD_WF_i64                                       8
#define TD_WF_u64                                       8
#define TD_WF_u48                                       6
#define TD_WF_i32                                       4
#define TD_WF_u32                                       4
#define TD_WF_u16                                       2
#define TD_WF_u8                                        1
#define TD_WF_i8                                        1
#define TD_WF_f32                                       4
#define TD_WF_f64                                       8
#define TD_WF_ctx                                       TD_CONTEXT_BYTES
#define TD_SIZE(type, name)                             +TD_WF_##type
#define TD_SIZE_SINCE(type, name, since)                +(TD_PROTOCOL >= (since) ? TD_WF_##type : 0)
#define TD_SIZE_UNTIL(type, name, until)                +(TD_PROTOCOL <= (until) ? TD_WF_##type : 0)
#define TD_SIZE_TAGGED(text, metadata)                  +8
#define TD_SIZE_OF_ITEM(name, ids, tail, clock, fields) [TD_ITEM_##name] = 1 fields,
#define TD_ID_OF_ITEM(name, ids, tail, clock, fields)   [TD_ITEM_##name] = TD_PICK(ids),
#define TD_ITEM_OF_ID(name, ids, tail, clock, fields)   [TD_PICK(ids)] = TD_ITEM_##name,
#define TD_ID_OF_QUERY(name, id63, id66)                [TD_QUERY_##name] = TD_PROTOCOL < 66 ? (id63) : (id66),

/* The table of ids starts as "none" everywhere and is then filled: what the second initialiser means to do.
 */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init"
#if defined(__clang__)
#pragma GCC diagnostic ignored "-Winitializer-overrides"
#endif
#define TD_AT 0
#include "host/wire/release_table.h"
#define TD_AT 1
#include "host/wire/release_table.h"
#define TD_AT 2
#include "host/wire/release_table.h"
#define TD_AT 3
#include "host/wire/release_table.h"
#define TD_AT 4
#include "host/wire/release_table.h"
#define TD_AT 5
#include "host/wire/release_table.h"
#define TD_AT 6
#include "host/wire/release_table.h"
#define TD_AT 7
#include "host/wire/release_table.h"
#define TD_AT 8
#include "host/wire/release_table.h"
#define TD_AT 9
#include "host/wire/release_table.h"
#define TD_AT 10
#include "host/wire/release_table.h"
#define TD_AT 11
#include "host/wire/release_table.h"
_Static_assert((0 TD_WIRE_RELEASES(TD_COUNTED)) <= 12, "more releases than positions above");
#pragma GCC diagnostic pop

const struct td_wire_release *td_wire_release_at(size_t index)
{
    static const struct td_wire_release *const all[] = {
#define TD_X(name, ...) &td_wire_##name,
        TD_WIRE_RELEASES(TD_X)
#undef TD_X
    };
    return index < sizeof all / sizeof *all ? all[index] : NULL;
}

const struct td_wire_release *td_wire_release_for(uint32_t protocol)
{
    const struct td_wire_release *release;
    for (size_t i = 0; (release = td_wire_release_at(i)); i++) {
        if (release->protocol == protocol)
            return release;
    }
    return NULL;
}

uint8_t *td_wire_put_string_head(uint8_t *p, const struct td_wire_release *release, enum td_item item,
                                 size_t bytes)
{
    uint16_t count = (uint16_t)bytes;
    if (release->protocol >= 82) {
        if (bytes < 256) {
            *p++ = release->id[item == TD_ITEM_SingleStringData ? TD_ITEM_SingleStringData8
                                                                : TD_ITEM_SecondStringData8];
            *p++ = (uint8_t)bytes;
            return p;
        }
        count = (uint16_t)(bytes - 256);
    }
    *p++ = release->id[item];
    memcpy(p, &count, sizeof count);
    return p + sizeof count;
}

static int cut(struct td_err *err, const char *name, size_t at, size_t bytes)
{
    return td_fail(err, TD_E_FORMAT,
                   "network stream: item %s at byte %zu is cut by its frame's end (%zu bytes)", name, at,
                   bytes);
}

/* The item as it would be without forms that save bytes. */
static void undo_narrow(const struct td_wire_release *release, struct td_wire_view *view)
{
    const uint8_t *p = view->payload;
    switch (view->item) {
#define TD_X(NAME)                                                                                           \
    case TD_ITEM_##NAME: {                                                                                   \
        struct td_wire_##NAME v = td_wire_get_##NAME(p, release);                                            \
        if (v.time < 0)                                                                                      \
            return;                                                                                          \
        v.time = (int64_t)((uint64_t)v.time + (uint64_t)TD_WIRE_NARROW_BIAS);                                \
        td_wire_put_##NAME(view->wide, release, &v);                                                         \
        break;                                                                                               \
    }                                                                                                        \
    case TD_ITEM_##NAME##32: {                                                                               \
        struct td_wire_##NAME##32 v = td_wire_get_##NAME##32(p, release);                                    \
        struct td_wire_##NAME wide = TD_NARROW_##NAME(v);                                                    \
        wide.time = (int64_t)v.time + 65536;                                                                 \
        td_wire_put_##NAME(view->wide, release, &wide);                                                      \
        view->item = TD_ITEM_##NAME;                                                                         \
        break;                                                                                               \
    }                                                                                                        \
    case TD_ITEM_##NAME##16: {                                                                               \
        struct td_wire_##NAME##16 v = td_wire_get_##NAME##16(p, release);                                    \
        struct td_wire_##NAME wide = TD_NARROW_##NAME(v);                                                    \
        wide.time = v.time;                                                                                  \
        td_wire_put_##NAME(view->wide, release, &wide);                                                      \
        view->item = TD_ITEM_##NAME;                                                                         \
        break;                                                                                               \
    }
        TD_WIRE_NARROW(TD_X)
#undef TD_X
    case TD_ITEM_SingleStringData8:
        view->item = TD_ITEM_SingleStringData;
        return;
    case TD_ITEM_SecondStringData8:
        view->item = TD_ITEM_SecondStringData;
        return;
    default:
        return;
    }
    view->payload = view->wide + 1;
}

int td_wire_next(const struct td_wire_release *release, const uint8_t *frame, size_t bytes, size_t *at,
                 struct td_wire_view *view, struct td_err *err)
{
    static const uint8_t count_sizes[] = {[TD_TAIL_BYTES8] = 1,
                                          [TD_TAIL_BYTES16] = 2,
                                          [TD_TAIL_BYTES32] = 4,
                                          [TD_TAIL_STRING16] = 2,
                                          [TD_TAIL_NEVER] = 0};
    size_t left = bytes - *at;
    if (!left)
        return 0;
    const uint8_t *p = frame + *at;
    uint8_t item = release->item[p[0]];
    if (item == TD_WIRE_NONE || td_wire_item_infos[item].tail == TD_TAIL_NEVER)
        return td_fail(err, TD_E_FORMAT,
                       "network stream: unknown item %u at byte %zu of a frame of %zu bytes", p[0], *at,
                       bytes);
    const struct td_wire_item_info *info = &td_wire_item_infos[item];
    size_t fixed = release->fixed_bytes[item], head = fixed + count_sizes[info->tail];
    if (left < head)
        return cut(err, info->name, *at, bytes);
    uint32_t count = 0;
    memcpy(&count, p + fixed, head - fixed);
    if (info->tail == TD_TAIL_STRING16 && release->protocol >= 82)
        count = (count + 256) & 0xffff;
    if (left - head < count)
        return cut(err, info->name, *at, bytes);
    view->item = item;
    view->bytes = count;
    view->payload = p + 1;
    view->data = p + head;
    *at += head + count;
    if (release->protocol >= 82)
        undo_narrow(release, view);
    return 1;
}
