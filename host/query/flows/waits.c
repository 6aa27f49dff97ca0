#include "host/query/flows/waits.h"
#include "host/base/compare.h"
#include "host/base/grow.h"

#include <stdlib.h>

#define CHECK_EVERY 1024 /* flows between two reports of progress */

static int64_t length_of(const struct td_zone *zone, int64_t now_ns)
{
    const int64_t end = zone->end_ns == TD_OPEN ? now_ns : zone->end_ns;
    return end > zone->start_ns ? end - zone->start_ns : 0;
}

static bool is_wait(const struct td_dict *dict, const struct td_zone *zone)
{
    return (td_dict_get_srcloc(dict, zone->srcloc)->flags & TD_SRCLOC_WAIT) != 0;
}

static struct td_zone zone_at(const struct td_trace *trace, struct td_zone_ref ref)
{
    return td_trace_zone(trace, ref.track, ref.row, ref.index);
}

/* The first zone of the row inside the zone that is around it. */
static size_t first_sibling(const struct td_trace *trace, struct td_zone_ref ref, int64_t start_ns)
{
    if (!ref.row)
        return 0;
    struct td_zone_ref above = {ref.track, ref.row - 1, 0};
    above.index = td_trace_zone_after(trace, above.track, above.row, start_ns);
    if (above.index >= td_trace_row_zones(trace, above.track, above.row))
        return ref.index;
    const struct td_zone parent = zone_at(trace, above);
    return parent.child_begin <= ref.index && ref.index < parent.child_end ? parent.child_begin : ref.index;
}

/* The zones that wait without a zone between them and the receiver: before it, or inside it at its start. What
 * began to wait after the flow was sent does not wait for it, nor does what received a flow itself. */
static int64_t waited_for(const struct td_trace *trace, const struct td_flows *flows, struct td_zone_ref ref,
                          int64_t sent_ns, int64_t now_ns)
{
    const struct td_dict *dict = td_trace_dict(trace);
    const struct td_zone zone = zone_at(trace, ref);
    int64_t waited = 0;
    if (is_wait(dict, &zone))
        return zone.start_ns < sent_ns ? length_of(&zone, now_ns) : 0;
    const size_t first = first_sibling(trace, ref, zone.start_ns);
    for (size_t i = ref.index; i-- > first;) {
        const struct td_zone before = td_trace_zone(trace, ref.track, ref.row, i);
        if (!is_wait(dict, &before) || td_flows_receives(flows, (struct td_zone_ref){ref.track, ref.row, i}))
            break;
        if (before.start_ns < sent_ns)
            waited += length_of(&before, now_ns);
    }
    for (size_t i = zone.child_begin; i < zone.child_end; i++) {
        const struct td_zone child = td_trace_zone(trace, ref.track, ref.row + 1, i);
        if (!is_wait(dict, &child) || child.start_ns >= sent_ns)
            break;
        waited += length_of(&child, now_ns);
    }
    return waited;
}

TD_COMPARE(compare_waits, struct td_wait, TD_UP(to->zone.track) TD_UP(from->zone.track) TD_UP(to->start_ns))

/* Sums neighbours of the sorted list. */
static int sum_pairs(struct td_waits *waits)
{
    size_t capacity = 0;
    for (size_t i = 0; i < waits->count; i++) {
        const struct td_wait *w = &waits->list[i];
        struct td_wait_pair *last = waits->pair_count ? &waits->pairs[waits->pair_count - 1] : NULL;
        if (!last || last->waiter != w->to->zone.track || last->giver != w->from->zone.track) {
            if (td_grow(&waits->pairs, &capacity, waits->pair_count + 1, sizeof *waits->pairs) < 0)
                return TD_E_NOMEM;
            last = &waits->pairs[waits->pair_count++];
            *last = (struct td_wait_pair){.waiter = w->to->zone.track, .giver = w->from->zone.track};
        }
        last->count++;
        last->waited_ns += w->waited_ns;
        last->longest_ns = w->waited_ns > last->longest_ns ? w->waited_ns : last->longest_ns;
    }
    return 0;
}

int td_waits_make(struct td_waits *waits, const struct td_trace *trace, const struct td_flows *flows,
                  int64_t from_ns, int64_t to_ns, int64_t now_ns, const struct td_progress *progress)
{
    *waits = (struct td_waits){0};
    for (size_t i = 0; i < flows->count; i++) {
        struct td_flow_pair pair;
        if (progress && i % CHECK_EVERY == 0 && progress->step(progress->self, i, flows->count))
            return TD_E_STOPPED;
        const struct td_flow_end *end = &flows->ends[i];
        if (end->start_ns < from_ns || end->start_ns > to_ns || td_flow_is_out(end))
            continue;
        if (!td_flows_pair(flows, i, &pair)) {
            ++*(td_flow_is_launch(end) ? &waits->lone_launches : &waits->lone);
            continue;
        }
        if (td_grow(&waits->list, &waits->capacity, waits->count + 1, sizeof *waits->list) < 0)
            return TD_E_NOMEM;
        const int64_t sent_ns = td_flow_sent_ns(flows, &pair);
        waits->list[waits->count++] = (struct td_wait){
            pair.from, pair.to, sent_ns, waited_for(trace, flows, pair.to->zone, sent_ns, now_ns)};
    }
    if (waits->count)
        qsort(waits->list, waits->count, sizeof *waits->list, compare_waits);
    return sum_pairs(waits);
}

void td_waits_free(struct td_waits *waits)
{
    free(waits->list);
    free(waits->pairs);
    *waits = (struct td_waits){0};
}
