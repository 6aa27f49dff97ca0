/* Numbers for operations as they are met: by device, run host id, trace and replay. */
#pragma once
#include "host/event/map.h"

struct td_op_key {
    uint32_t device, run_id, trace, replay;
};
struct td_op_index {        /* all zero: empty */
    struct td_op_key *keys; /* by number */
    size_t count, room;
    struct td_map by_key;
};
/* The operation's number, a new one if it has none; SIZE_MAX: no memory. */
size_t td_op_index_take(struct td_op_index *index, const struct td_op_key *key);
/* SIZE_MAX: it has none. */
size_t td_op_index_find(const struct td_op_index *index, const struct td_op_key *key);
void td_op_index_free(struct td_op_index *index);
