#include "host/report/ops/op_busy.h"

int64_t td_busy_span_add(struct td_busy_span *span, int64_t start, int64_t end)
{
    const int64_t length = td_op_length(start, end);
    if (!span->any || start > span->until) {
        span->any = true;
        span->from = start;
        span->until = end;
        return length;
    }
    const int64_t first = start > span->from ? start : span->from,
                  last = end < span->until ? end : span->until;
    const int64_t shared = last > first ? td_op_length(first, last) : 0;
    span->from = start < span->from ? start : span->from;
    span->until = end > span->until ? end : span->until;
    return td_wrap_sub(length, shared);
}

static void remember_doubted(struct td_op_busy *busy, int64_t from, int64_t until)
{
    unsigned at = busy->waiting;
    if (from == TD_OP_NO_TIME || until == TD_OP_NO_TIME || from >= until)
        return;
    if (at == TD_OP_BUSY_WAITING) {
        at = 0;
        for (unsigned i = 1; i < busy->waiting; i++)
            at = busy->doubted[i].from < busy->doubted[at].from ? i : at;
    } else {
        busy->waiting++;
    }
    busy->doubted[at].from = from;
    busy->doubted[at].until = until;
}

/* Those in doubt that had begun by then have run. */
static void take_doubted(struct td_op_busy *busy, int64_t time)
{
    for (unsigned i = 0; i < busy->waiting;) {
        if (busy->doubted[i].from > time) {
            i++;
            continue;
        }
        td_busy_span_add(&busy->ran, busy->doubted[i].from, busy->doubted[i].until);
        busy->doubted[i] = busy->doubted[--busy->waiting];
        i = 0;
    }
}

void td_op_busy_place(struct td_op_busy *busy, struct td_op_sum *op)
{
    const struct td_op_span *k = &op->kernel;
    op->gap = TD_OP_NO_TIME;
    op->shared = 0;
    if (op->doubt) {
        remember_doubted(busy, k->last_start, k->first_end >= k->last_start ? k->first_end : k->last_end);
        return;
    }
    if (k->first_start == TD_OP_NO_TIME)
        return;
    take_doubted(busy, k->first_start);
    if (busy->ran.any)
        op->gap = k->first_start > busy->ran.until ? td_wrap_sub(k->first_start, busy->ran.until) : 0;
    const int64_t end = k->last_end > k->first_start ? k->last_end : k->first_start;
    op->shared =
        td_wrap_sub(td_op_length(k->first_start, end), td_busy_span_add(&busy->ran, k->first_start, end));
}
