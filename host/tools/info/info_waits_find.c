/* What info --waits and --op print: who waited for whom, and the chain of waits of an operation. */
#include "host/tools/info/info_waits.h"

#include <stdlib.h>

/* ---- pairs ---- */

static int find_most_awaited(const struct info_waits *w, struct info_wait_pairs *pairs)
{
    const uint32_t tracks = td_dict_track_count(td_trace_dict(w->trace));
    struct td_wait_pair *givers = calloc((size_t)tracks + 1, sizeof *givers);
    if (!givers)
        return TD_E_NOMEM;
    for (uint64_t i = 0; i < pairs->rows->count; i++) {
        const struct td_wait_pair pair = td_waits_pair(pairs->rows, i), *p = &pair;
        if (p->waiter == p->giver || p->giver >= tracks)
            continue;
        givers[p->giver].count += p->waited_ns > 0;
        givers[p->giver].waited_ns += p->waited_ns;
        givers[p->giver].giver = p->giver;
    }
    for (uint32_t t = 0; t < tracks; t++)
        if (givers[t].waited_ns > pairs->most.waited_ns)
            pairs->most = givers[t];
    free(givers);
    return 0;
}

int info_waits_pairs(const struct info_waits *w, int64_t from_ns, int64_t to_ns,
                     struct info_wait_pairs *pairs, struct td_err *err)
{
    struct td_query_request of = td_query_all(w->trace);
    struct td_waits_wanted *wanted = td_waits_want(&w->flows);
    int rc = wanted ? 0 : TD_E_NOMEM;
    *pairs = (struct info_wait_pairs){0};
    of.from_ns = from_ns;
    of.to_ns = to_ns;
    of.with = wanted;
    if (rc == 0 && !w->json) { /* as the viewer's panel */
        struct td_sums sums;
        rc = td_sums_make(&sums, w->trace, from_ns, to_ns, of.now_ns, NULL, NULL);
        rc = rc ? rc : td_waits_want_rest(wanted, &sums);
        td_sums_free(&sums);
    }
    if (rc)
        td_waits_wanted_free(wanted);
    else
        pairs->rows = td_query_make(&td_table_waits, &of, &rc);
    if (pairs->rows)
        rc = td_query_order_all(&pairs->order, pairs->rows);
    if (rc == 0) {
        td_query_order_sort(&pairs->order, pairs->rows, td_query_column_named(&td_table_waits, "waited_ns"),
                            true);
        rc = find_most_awaited(w, pairs);
    }
    return rc ? td_fail_no_memory(err, "for the waits") : 0;
}

void info_waits_free(struct info_wait_pairs *pairs)
{
    td_query_order_free(&pairs->order);
    td_query_free(pairs->rows);
}

/* ---- one operation ---- */

const struct td_op_core *info_waits_last(const struct td_operation *op)
{
    const struct td_op_core *last = NULL;
    for (uint32_t i = 0; i < op->tiles; i++)
        if (op->cores[i].end != TD_OP_NO_TIME && (!last || op->cores[i].end > last->end))
            last = &op->cores[i];
    return last;
}

static bool is_on(const struct info_waits *w, uint32_t track, const struct td_operation *op,
                  const struct td_op_core *core)
{
    const struct td_track *t = td_dict_get_track(td_trace_dict(w->trace), track);
    return td_track_is_core(t) && t->chip == op->device && t->x == core->x && t->y == core->y;
}

/* What the core received last before the operation ended there. */
static const struct td_flow_end *last_received(const struct info_waits *w, const struct td_operation *op,
                                               const struct td_op_core *core)
{
    const struct td_flow_end *last = NULL;
    const uint32_t tracks = td_dict_track_count(td_trace_dict(w->trace));
    for (uint32_t t = 0; t < tracks; t++) {
        size_t at, end;
        if (!is_on(w, t, op, core))
            continue;
        for (td_flows_of_track(&w->flows, t, &at, &end); at < end; at++) {
            const struct td_flow_end *e = &w->flows.ends[w->flows.by_zone[at]];
            if (!td_flow_is_out(e) && e->start_ns >= op->start_ns && e->start_ns <= core->end &&
                (!last || e->start_ns > last->start_ns))
                last = e;
        }
    }
    return last;
}

int info_waits_chain(const struct info_waits *w, const struct td_operation *op, const struct td_op_core *last,
                     struct td_chain *chain, struct td_err *err)
{
    const struct td_flow_end *end = last_received(w, op, last);
    size_t kept = 0;
    *chain = (struct td_chain){0};
    if (!end)
        return 0;
    const int64_t end_ns = td_flow_zone_end_ns(&w->flows, end);
    if (td_chain_back(chain, &w->flows, end->zone, end_ns, op->start_ns, NULL) < 0)
        return td_fail_no_memory(err, "for the chain of waits");
    for (size_t i = 0; i < chain->count; i++) {
        const struct td_flow_pair link = chain->links[i];
        if (link.to->start_ns <= end->start_ns && link.from->start_ns >= op->start_ns)
            chain->links[kept++] = link;
    }
    chain->count = kept;
    return 0;
}
