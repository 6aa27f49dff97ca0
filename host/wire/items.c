#include "host/wire/items.h"

#define TD_F(type, name)                      +TD_WS_##type
#define TD_X(name, id69, tail, clock, fields) {#name, 1 fields, TD_TAIL_##tail, TD_CLOCK_##clock},
const struct td_wire_item_info td_wire_item_infos[TD_ITEM_COUNT] = {TD_WIRE_ITEMS(TD_X, TD_F)};
#undef TD_X

#define TD_ID(name, id69, tail, clock, fields)   [TD_ITEM_##name] = id69,
#define TD_BACK(name, id69, tail, clock, fields) [id69] = TD_ITEM_##name,
#define TD_QUERY(name, id69)                     [TD_QUERY_##name] = id69,
/* The table of ids starts as "none" everywhere and is then filled: what the second initialiser means to do.
 */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init"
#if defined(__clang__)
#pragma GCC diagnostic ignored "-Winitializer-overrides"
#endif
const struct td_wire_release td_wire_69 = {
    .protocol = 69,
    .welcome_bytes = 1178,
    .id = {TD_WIRE_ITEMS(TD_ID, TD_F)},
    .query_id = {TD_WIRE_QUERIES(TD_QUERY)},
    .item = {[0 ... 255] = TD_WIRE_NONE, TD_WIRE_ITEMS(TD_BACK, TD_F)},
};
#pragma GCC diagnostic pop
#undef TD_F

const struct td_wire_release *td_wire_release_for(uint32_t protocol)
{
    static const struct td_wire_release *const all[] = {
#define TD_X(protocol, welcome_bytes) &td_wire_##protocol,
        TD_WIRE_RELEASES(TD_X)
#undef TD_X
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i]->protocol == protocol)
            return all[i];
    return NULL;
}

static int cut(struct td_err *err, const char *name, size_t at, size_t bytes)
{
    return td_fail(err, TD_E_FORMAT,
                   "network stream: item %s at byte %zu is cut by its frame's end (%zu bytes)", name, at,
                   bytes);
}

int td_wire_next(const struct td_wire_release *release, const uint8_t *frame, size_t bytes, size_t *at,
                 struct td_wire_view *view, struct td_err *err)
{
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
    size_t count_bytes = info->tail == TD_TAIL_BYTES16 ? 2 : info->tail == TD_TAIL_BYTES32 ? 4 : 0;
    size_t head = info->fixed_bytes + count_bytes;
    if (left < head)
        return cut(err, info->name, *at, bytes);
    uint32_t count = 0;
    memcpy(&count, p + info->fixed_bytes, count_bytes);
    if (left - head < count)
        return cut(err, info->name, *at, bytes);
    *view = (struct td_wire_view){item, count, p + 1, p + head};
    *at += head + count;
    return 1;
}
