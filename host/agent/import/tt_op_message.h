/* The messages of an imported report of operations, in the forms of programs that use tt-metal. */
#pragma once
#include "host/event/dict.h"
#include "host/tt/ops_report_read.h"
#include "proto/tt/messages.h"

struct td_tt_op_facts {
    enum td_tt_message_kind kind; /* DEVICE_OP, FALL_BACK_OP or SIGNPOST */
    struct td_tt_text name;
    uint64_t id;
    uint32_t device, trace, replay; /* or TD_TT_NO_TRACE */
    const struct td_tt_report_row *row;
};
/* The message, with all columns of the row in its JSON; of a signpost, its header and text. A string;
 * UINT32_MAX: no memory. */
uint32_t td_tt_op_message(struct td_dict *dict, const struct td_tt_op_facts *facts);
/* The message with the names of all columns. */
uint32_t td_tt_columns_message(struct td_dict *dict, const struct td_tt_report_head *head);
