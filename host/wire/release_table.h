/* The tables of the release at position TD_AT of TD_WIRE_RELEASES, if there is one: included by items.c for
 * each position. */
#if TD_AT < 0 TD_WIRE_RELEASES(TD_COUNTED)
const struct td_wire_release TD_FACT(TD_NAME) = {
    .tracy = TD_FACT(TD_TRACY_),
    .protocol = TD_PROTOCOL,
    .welcome_bytes = TD_FACT(TD_WELCOME_),
    .context_bytes = TD_CONTEXT_BYTES,
    .fixed_bytes = {TD_WIRE_ITEMS(TD_SIZE_OF_ITEM, TD_SIZE, TD_SIZE_SINCE, TD_SIZE_UNTIL, TD_SIZE_SINCE,
                                  TD_SIZE_TAGGED)},
    .id = {TD_WIRE_ITEMS(TD_ID_OF_ITEM, TD_NOTHING, TD_NOTHING, TD_NOTHING, TD_NOTHING, TD_NOTHING)},
    .query_id = {TD_WIRE_QUERIES(TD_ID_OF_QUERY)},
    .item = {[0 ... 255] = TD_WIRE_NONE,
             TD_WIRE_ITEMS(TD_ITEM_OF_ID, TD_NOTHING, TD_NOTHING, TD_NOTHING, TD_NOTHING,
                           TD_NOTHING)[TD_WIRE_NONE] = TD_WIRE_NONE},
};
#endif
#undef TD_AT
