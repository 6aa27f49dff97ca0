/* When a device ran operations: those of sub-devices may overlap, and then a time counts once.
 *
 * Operations are placed in the order of their begins. One whose times are in doubt counts as running while all
 * of its launches ran, which is within its real time, and only once the others have come that far. */
#pragma once
#include "host/report/ops/op.h"

#define TD_OP_BUSY_WAITING 64 /* operations in doubt; of more the earliest are forgotten */

struct td_busy_span { /* all zero: nothing has run */
    bool any;
    int64_t from, until; /* since when and until when it ran without a gap */
};
/* Adds a time that follows those before it: returns the part of it that is in none of them. */
int64_t td_busy_span_add(struct td_busy_span *span, int64_t start, int64_t end);

struct td_op_busy { /* of a device; all zero: nothing has run */
    struct td_busy_span ran;
    unsigned waiting;
    struct {
        int64_t from, until;
    } doubted[TD_OP_BUSY_WAITING];
};
/* Sets `gap` and `shared` of the operation. */
void td_op_busy_place(struct td_op_busy *busy, struct td_op_sum *op);
