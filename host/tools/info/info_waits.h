/* What info --waits and --op are asked for, and what they find; printed as text (info_waits.c) or JSON
 * (info_waits_json.c). */
#pragma once
#include "host/query/flows/chain.h"
#include "host/query/flows/waits_table.h"
#include "host/query/ops/operations_table.h"
#include "host/query/table/text_form.h"
#include "host/query/table/track_name.h"
#include "host/tools/info/info.h"

struct info_waits {
    const struct td_trace *trace;
    struct td_flows flows;
    size_t limit;         /* of rows and of operations; SIZE_MAX: none */
    uint32_t op;          /* that is asked for */
    struct td_json *json; /* NULL: text */
};

/* The track's name, valid to the end of the block. */
#define INFO_WAITS_TRACK(w, track) td_track_long_name((w)->trace, track, (char[TD_TRACK_LONG_NAME_BYTES]){0})

/* The rows of the table of waits, those with the longest waits first, and the track for which all others together
 * waited longest (giver; count is the number of those that did; waited_ns 0: none did). */
struct info_wait_pairs {
    struct td_query_rows *rows;
    struct td_query_order order;
    struct td_wait_pair most;
};
/* 0 or TD_E_NOMEM; to be freed in any case. */
int info_waits_pairs(const struct info_waits *w, int64_t from_ns, int64_t to_ns,
                     struct info_wait_pairs *pairs, struct td_err *err);
void info_waits_free(struct info_wait_pairs *pairs);

/* The tile that ended last; NULL: no end is known. */
const struct td_op_core *info_waits_last(const struct td_operation *op);
/* From what the last tile received last back in time, to the operation's start; freed with td_chain_free(). 0 or
 * TD_E_NOMEM. */
int info_waits_chain(const struct info_waits *w, const struct td_operation *op, const struct td_op_core *last,
                     struct td_chain *chain, struct td_err *err);

/* For info_waits.c: the JSON of one part. */
int info_json_pairs(struct info_waits *w, int64_t from_ns, int64_t to_ns, struct td_err *err);
int info_json_op(struct info_waits *w, const struct td_query_rows *rows, uint64_t row, struct td_err *err);
