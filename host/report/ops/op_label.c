#include "host/report/ops/op_label.h"
#include "host/base/plain_text.h"

#include <stdio.h>

/* Copies whole characters; bytes that are not UTF-8 count as characters. */
static void copy_name(struct td_tt_text name, char *label, size_t room)
{
    size_t used = 0;
    while (used < name.bytes && name.at[used]) {
        size_t n = td_utf8_bytes(name.at + used, name.bytes - used);
        n = n ? n : 1;
        if (used + n >= room)
            break;
        used += n;
    }
    memcpy(label, name.at, used);
    label[used] = 0;
}

const char *td_op_label(const struct td_host_ops *host, const struct td_op_sum *op, char *label, size_t room)
{
    /* td_host_ops_find() changes nothing; its operations are changed by others. */
    const struct td_host_op *known = host ? td_host_ops_find((struct td_host_ops *)host, op->run_id) : NULL;
    if (known && known->name.bytes)
        copy_name(known->name, label, room);
    else if (op->name && *op->name)
        copy_name(td_tt_text_of(op->name), label, room);
    else
        snprintf(label, room, "unnamed, %u tile%s", op->core_count, op->core_count == 1 ? "" : "s");
    return label;
}
