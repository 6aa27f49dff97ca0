/* One release's tables: included by items.c once for each, with these set:
 *   TD_RELEASE        name of the object
 *   TD_COLUMN         position of its ids in the item table, 0..6
 *   TD_PROTOCOL, TD_CONTEXT_BYTES, TD_WELCOME_BYTES, TD_TRACY */
const struct td_wire_release TD_RELEASE = {
    .tracy = TD_TRACY,
    .protocol = TD_PROTOCOL,
    .welcome_bytes = TD_WELCOME_BYTES,
    .context_bytes = TD_CONTEXT_BYTES,
    .fixed_bytes = {TD_WIRE_ITEMS(TD_SIZE_OF_ITEM, TD_SIZE, TD_SIZE_SINCE, TD_SIZE_UNTIL, TD_SIZE_SINCE,
                                  TD_SIZE_TAGGED)},
    .id = {TD_WIRE_ITEMS(TD_ID_OF_ITEM, TD_NOTHING, TD_NOTHING, TD_NOTHING, TD_NOTHING, TD_NOTHING)},
    .query_id = {TD_WIRE_QUERIES(TD_ID_OF_QUERY)},
    .item = {[0 ... 255] = TD_WIRE_NONE,
             TD_WIRE_ITEMS(TD_ITEM_OF_ID, TD_NOTHING, TD_NOTHING, TD_NOTHING, TD_NOTHING,
                           TD_NOTHING)[TD_WIRE_NONE] = TD_WIRE_NONE},
};
#undef TD_RELEASE
#undef TD_COLUMN
#undef TD_PROTOCOL
#undef TD_CONTEXT_BYTES
#undef TD_WELCOME_BYTES
#undef TD_TRACY
