#include "host/wire/items.h"

#define TD_X(name, a, b, c, d, e, f, g, tail, clock, fields) {#name, TD_TAIL_##tail, TD_CLOCK_##clock},
const struct td_wire_item_info td_wire_item_infos[TD_ITEM_COUNT] = {
    TD_WIRE_ITEMS(TD_X, TD_NOTHING, TD_NOTHING, TD_NOTHING, TD_NOTHING, TD_NOTHING)};
#undef TD_X

/* The pieces of release_table.h. */
#define NO                                                              TD_WIRE_NONE
#define TD_PICK_0(a, b, c, d, e, f, g)                                  a
#define TD_PICK_1(a, b, c, d, e, f, g)                                  b
#define TD_PICK_2(a, b, c, d, e, f, g)                                  c
#define TD_PICK_3(a, b, c, d, e, f, g)                                  d
#define TD_PICK_4(a, b, c, d, e, f, g)                                  e
#define TD_PICK_5(a, b, c, d, e, f, g)                                  f
#define TD_PICK_6(a, b, c, d, e, f, g)                                  g
#define TD_PICK__(column, ...)                                          TD_PICK_##column(__VA_ARGS__)
#define TD_PICK(column, ...)                                            TD_PICK__(column, __VA_ARGS__)
#define TD_WF_i64                                                       8
#define TD_WF_u64                                                       8
#define TD_WF_u48                                                       6
#define TD_WF_i32                                                       4
#define TD_WF_u32                                                       4
#define TD_WF_u16                                                       2
#define TD_WF_u8                                                        1
#define TD_WF_i8                                                        1
#define TD_WF_f32                                                       4
#define TD_WF_f64                                                       8
#define TD_WF_ctx                                                       TD_CONTEXT_BYTES
#define TD_SIZE(type, name)                                             +TD_WF_##type
#define TD_SIZE_SINCE(type, name, since)                                +(TD_PROTOCOL >= (since) ? TD_WF_##type : 0)
#define TD_SIZE_UNTIL(type, name, until)                                +(TD_PROTOCOL <= (until) ? TD_WF_##type : 0)
#define TD_SIZE_TAGGED(text, metadata)                                  +8
#define TD_SIZE_OF_ITEM(name, a, b, c, d, e, f, g, tail, clock, fields) [TD_ITEM_##name] = 1 fields,
#define TD_ID_OF_ITEM(name, a, b, c, d, e, f, g, tail, clock, fields)                                        \
    [TD_ITEM_##name] = TD_PICK(TD_COLUMN, a, b, c, d, e, f, g),
#define TD_ITEM_OF_ID(name, a, b, c, d, e, f, g, tail, clock, fields)                                        \
    [TD_PICK(TD_COLUMN, a, b, c, d, e, f, g)] = TD_ITEM_##name,
#define TD_ID_OF_QUERY(name, id63, id66) [TD_QUERY_##name] = TD_PROTOCOL < 66 ? (id63) : (id66),

/* The table of ids starts as "none" everywhere and is then filled: what the second initialiser means to do.
 */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init"
#if defined(__clang__)
#pragma GCC diagnostic ignored "-Winitializer-overrides"
#endif
#define TD_RELEASE       td_wire_63
#define TD_COLUMN        0
#define TD_PROTOCOL      63
#define TD_CONTEXT_BYTES 1
#define TD_WELCOME_BYTES 1178
#define TD_TRACY         "0.9.1"
#include "host/wire/release_table.h"
#define TD_RELEASE       td_wire_64
#define TD_COLUMN        1
#define TD_PROTOCOL      64
#define TD_CONTEXT_BYTES 1
#define TD_WELCOME_BYTES 1178
#define TD_TRACY         "0.10"
#include "host/wire/release_table.h"
#define TD_RELEASE       td_wire_66
#define TD_COLUMN        2
#define TD_PROTOCOL      66
#define TD_CONTEXT_BYTES 1
#define TD_WELCOME_BYTES 1178
#define TD_TRACY         "0.11.0"
#include "host/wire/release_table.h"
#define TD_RELEASE       td_wire_66tt
#define TD_COLUMN        2
#define TD_PROTOCOL      66
#define TD_CONTEXT_BYTES 2
#define TD_WELCOME_BYTES 1178
#define TD_TRACY         "Tenstorrent's fork"
#include "host/wire/release_table.h"
#define TD_RELEASE       td_wire_69
#define TD_COLUMN        3
#define TD_PROTOCOL      69
#define TD_CONTEXT_BYTES 1
#define TD_WELCOME_BYTES 1178
#define TD_TRACY         "0.11.1"
#include "host/wire/release_table.h"
#define TD_RELEASE       td_wire_74
#define TD_COLUMN        4
#define TD_PROTOCOL      74
#define TD_CONTEXT_BYTES 1
#define TD_WELCOME_BYTES 1178
#define TD_TRACY         "0.12.2"
#include "host/wire/release_table.h"
#define TD_RELEASE       td_wire_76
#define TD_COLUMN        5
#define TD_PROTOCOL      76
#define TD_CONTEXT_BYTES 1
#define TD_WELCOME_BYTES 1170
#define TD_TRACY         "0.13.1"
#include "host/wire/release_table.h"
#define TD_RELEASE       td_wire_82
#define TD_COLUMN        6
#define TD_PROTOCOL      82
#define TD_CONTEXT_BYTES 1
#define TD_WELCOME_BYTES 1170
#define TD_TRACY         "0.14.0"
#include "host/wire/release_table.h"
#pragma GCC diagnostic pop

const struct td_wire_release *td_wire_release_at(size_t index)
{
    static const struct td_wire_release *const all[] = {
#define TD_X(name, protocol, context_bytes, welcome_bytes, tracy) &td_wire_##name,
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
