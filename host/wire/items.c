#include "host/wire/items.h"

#define TD_X(name, ids, tail, clock, fields) {#name, TD_TAIL_##tail, TD_CLOCK_##clock},
const struct td_wire_item_info td_wire_item_infos[TD_ITEM_COUNT] = {
    TD_WIRE_ITEMS(TD_X, TD_NOTHING, TD_NOTHING, TD_NOTHING, TD_NOTHING, TD_NOTHING)};
#undef TD_X

#define NO             TD_WIRE_NONE
#define TD_UNWRAP(...) __VA_ARGS__

const uint8_t td_wire_ids[TD_ITEM_COUNT][TD_WIRE_COLUMNS] = {
#define TD_X(name, ids, tail, clock, fields) {TD_UNWRAP ids},
    TD_WIRE_ITEMS(TD_X, TD_NOTHING, TD_NOTHING, TD_NOTHING, TD_NOTHING, TD_NOTHING)
#undef TD_X
};

/* A row with an id too few would end in id 0. */
#define TD_X(name, ids, tail, clock, fields)                                                                 \
    _Static_assert(sizeof((uint8_t[]){TD_UNWRAP ids}) == TD_WIRE_COLUMNS, #name ": one id a column");
TD_WIRE_ITEMS(TD_X, TD_NOTHING, TD_NOTHING, TD_NOTHING, TD_NOTHING, TD_NOTHING)
#undef TD_X

/* The item of each id, td_wire_ids in reverse. The index of an initialiser is a constant, so each column has
 * its own parameter; columns to come are NO. Entries begin as "none", and NO is set back to it at the end. */
#define TD_COLUMNS_MAX 12
_Static_assert(TD_WIRE_COLUMNS <= TD_COLUMNS_MAX && TD_ITEM_COUNT < NO, "items_by_id has room for all");
#define TD_AT_IDS(item, ids) TD_AT_COLUMNS(item, ids, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO)
#define TD_AT_COLUMNS(...)   TD_AT_COLUMNS_(__VA_ARGS__)
#define TD_AT_COLUMNS_(item, a, b, c, d, e, f, g, h, i, j, k, l, ...)                                        \
    [0][a] = item, [1][b] = item, [2][c] = item, [3][d] = item, [4][e] = item, [5][f] = item, [6][g] = item, \
    [7][h] = item, [8][i] = item, [9][j] = item, [10][k] = item, [11][l] = item
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init"
#if defined(__clang__)
#pragma GCC diagnostic ignored "-Winitializer-overrides"
#endif
static const uint8_t items_by_id[TD_COLUMNS_MAX][256] = {
    [0 ... TD_COLUMNS_MAX - 1] = {[0 ... 255] = TD_WIRE_NONE},
#define TD_X(name, ids, tail, clock, fields) TD_AT_IDS(TD_ITEM_##name, TD_UNWRAP ids),
    TD_WIRE_ITEMS(TD_X, TD_NOTHING, TD_NOTHING, TD_NOTHING, TD_NOTHING, TD_NOTHING)
#undef TD_X
        TD_AT_IDS(TD_WIRE_NONE, NO)};
#pragma GCC diagnostic pop

uint8_t td_wire_item_of(const struct td_wire_release *release, uint8_t id)
{
    return items_by_id[release->id_column][id];
}

/* A table for every release; the enum gives its numbers to the field macros as constants. */
size_t td_wire_fixed_bytes(const struct td_wire_release *release, enum td_item item)
{
#undef TD_WS_ctx
#define TD_WS_ctx                                      context_bytes
#define TD_F(type, name)                               +TD_WS_##type
#define TD_S(type, name, since)                        +(protocol >= since ? TD_WS_##type : 0)
#define TD_U(type, name, until)                        +(protocol <= until ? TD_WS_##type : 0)
#define TD_T(text, metadata)                           +TD_WS_u64
#define TD_FIXED_BYTES(name, ids, tail, clock, fields) 1 fields,
    switch (release->position) {
#define TD_X(name, number, column, context, ...)                                                             \
    case TD_WIRE_POSITION_##name: {                                                                          \
        enum { protocol = number, context_bytes = context };                                                 \
        static const uint8_t bytes[TD_ITEM_COUNT] = {                                                        \
            TD_WIRE_ITEMS(TD_FIXED_BYTES, TD_F, TD_S, TD_U, TD_S, TD_T)};                                    \
        return bytes[item];                                                                                  \
    }
        TD_WIRE_RELEASES(TD_X)
#undef TD_X
    }
    return 0;
}

uint8_t td_wire_query_id(const struct td_wire_release *release, enum td_query query)
{
    static const uint8_t ids[TD_QUERY_COUNT][2] = {
#define TD_X(name, id63, id66) {id63, id66},
        TD_WIRE_QUERIES(TD_X)
#undef TD_X
    };
    return ids[query][release->moved_queries];
}

#define TD_FACT(name, holds) .name = (holds),
#define TD_X(name, number, column, context, welcome, gpu_type, came_with)                                    \
    const struct td_wire_release td_wire_##name = {.tracy = came_with,                                       \
                                                   .protocol = number,                                       \
                                                   .position = TD_WIRE_POSITION_##name,                      \
                                                   .welcome_bytes = welcome,                                 \
                                                   .id_column = column,                                      \
                                                   .context_bytes = context,                                 \
                                                   .last_gpu_type = gpu_type,                                \
                                                   TD_WIRE_FACTS(TD_FACT, number)};
TD_WIRE_RELEASES(TD_X)
#undef TD_X

const struct td_wire_release *td_wire_release_at(size_t index)
{
    static const struct td_wire_release *const all[TD_WIRE_RELEASE_COUNT] = {
#define TD_X(name, ...) &td_wire_##name,
        TD_WIRE_RELEASES(TD_X)
#undef TD_X
    };
    return index < TD_WIRE_RELEASE_COUNT ? all[index] : NULL;
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
    if (release->short_forms) {
        if (bytes < 256) {
            *p++ = td_wire_id(release, item == TD_ITEM_SingleStringData ? TD_ITEM_SingleStringData8
                                                                        : TD_ITEM_SecondStringData8);
            *p++ = (uint8_t)bytes;
            return p;
        }
        count = (uint16_t)(bytes - 256);
    }
    *p++ = td_wire_id(release, item);
    memcpy(p, &count, sizeof count);
    return p + sizeof count;
}

static int fail_cut_item(struct td_err *err, const char *name, size_t at, size_t bytes)
{
    return td_fail(err, TD_E_FORMAT,
                   "network stream: item %s at byte %zu is cut by its frame's end (%zu bytes)", name, at,
                   bytes);
}

static void undo_short_form(const struct td_wire_release *release, struct td_wire_view *view)
{
    const uint8_t *p = view->payload;
    switch (view->item) {
#define TD_X(NAME, ...)                                                                                      \
    case TD_ITEM_##NAME: {                                                                                   \
        struct td_wire_##NAME v = td_wire_get_##NAME(p, release);                                            \
        if (v.time < 0)                                                                                      \
            return;                                                                                          \
        v.time = (int64_t)((uint64_t)v.time + (uint64_t)TD_WIRE_TIME32_END);                                 \
        td_wire_put_##NAME(view->undone, release, &v);                                                       \
        break;                                                                                               \
    }                                                                                                        \
    case TD_ITEM_##NAME##32: {                                                                               \
        struct td_wire_##NAME##32 v = td_wire_get_##NAME##32(p, release);                                    \
        struct td_wire_##NAME wide = {__VA_ARGS__};                                                          \
        wide.time = (int64_t)v.time + TD_WIRE_TIME16_END;                                                    \
        td_wire_put_##NAME(view->undone, release, &wide);                                                    \
        view->item = TD_ITEM_##NAME;                                                                         \
        break;                                                                                               \
    }                                                                                                        \
    case TD_ITEM_##NAME##16: {                                                                               \
        struct td_wire_##NAME##16 v = td_wire_get_##NAME##16(p, release);                                    \
        struct td_wire_##NAME wide = {__VA_ARGS__};                                                          \
        wide.time = v.time;                                                                                  \
        td_wire_put_##NAME(view->undone, release, &wide);                                                    \
        view->item = TD_ITEM_##NAME;                                                                         \
        break;                                                                                               \
    }
        TD_WIRE_SHORT_TIMES(TD_X)
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
    view->payload = view->undone + 1;
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
    uint8_t item = td_wire_item_of(release, p[0]);
    if (item == TD_WIRE_NONE || td_wire_item_infos[item].tail == TD_TAIL_NEVER)
        return td_fail(err, TD_E_FORMAT,
                       "network stream: unknown item %u at byte %zu of a frame of %zu bytes", p[0], *at,
                       bytes);
    const struct td_wire_item_info *info = &td_wire_item_infos[item];
    size_t fixed = td_wire_fixed_bytes(release, item), head = fixed + count_sizes[info->tail];
    if (left < head)
        return fail_cut_item(err, info->name, *at, bytes);
    uint32_t count = 0;
    memcpy(&count, p + fixed, head - fixed);
    if (info->tail == TD_TAIL_STRING16 && release->short_forms)
        count = (count + 256) & 0xffff;
    if (left - head < count)
        return fail_cut_item(err, info->name, *at, bytes);
    view->item = item;
    view->bytes = count;
    view->payload = p + 1;
    view->data = p + head;
    *at += head + count;
    if (release->short_forms)
        undo_short_form(release, view);
    return 1;
}
