#include "host/flows/chain.h"

#define MAX_PAIRS 64 /* of one zone that are compared */

/* Of a zone's flows, the one that came last, or (forward) was taken first. */
static bool find_own(const struct td_flows *flows, struct td_zone_ref zone, bool back,
                     struct td_flow_pair *link)
{
    struct td_flow_pair pairs[MAX_PAIRS];
    const size_t count = td_flows_of(flows, zone, pairs, MAX_PAIRS);
    bool found = false;
    for (size_t i = 0; i < count; i++) {
        const struct td_flow_end *own = back ? pairs[i].to : pairs[i].from;
        if (!td_ref_equal(own->zone, zone) || td_ref_equal(pairs[i].from->zone, pairs[i].to->zone))
            continue;
        if (!found || (back ? td_flow_sent_ns(flows, &pairs[i]) > td_flow_sent_ns(flows, link)
                            : pairs[i].to->start_ns < link->to->start_ns))
            *link = pairs[i];
        found = true;
    }
    return found;
}

/* The last receiver on the track that does not begin after the time, or the first sender not before it. */
static const struct td_flow_end *find_on_track(const struct td_flows *flows, uint32_t track, int64_t time_ns,
                                               bool back)
{
    const struct td_flow_end *best = NULL;
    size_t at, end;
    for (td_flows_of_track(flows, track, &at, &end); at < end; at++) {
        const struct td_flow_end *e = &flows->ends[flows->by_zone[at]];
        if (td_flow_is_out(e) == back || (back ? e->start_ns > time_ns : e->start_ns < time_ns))
            continue;
        if (!best || (back ? e->start_ns > best->start_ns : e->start_ns < best->start_ns))
            best = e;
    }
    return best;
}

bool td_chain_step(const struct td_flows *flows, struct td_zone_ref zone, int64_t start_ns, bool back,
                   struct td_flow_pair *link)
{
    if (find_own(flows, zone, back, link))
        return true;
    const struct td_flow_end *near = find_on_track(flows, zone.track, start_ns, back);
    return near && find_own(flows, near->zone, back, link);
}

static void add_links(struct td_chain *chain, const struct td_flows *flows, struct td_zone_ref zone,
                      int64_t start_ns, bool back)
{
    struct td_flow_pair link;
    for (int i = 0; i < TD_CHAIN_LINKS && td_chain_step(flows, zone, start_ns, back, &link); i++) {
        const struct td_flow_end *next = back ? link.from : link.to;
        /* Time goes on, or the chain would be a circle. */
        if (back ? next->start_ns >= start_ns && i : next->start_ns <= start_ns && i)
            break;
        chain->links[chain->count++] = link;
        zone = next->zone;
        start_ns = next->start_ns;
    }
}

void td_chain_make(struct td_chain *chain, const struct td_flows *flows, const struct td_trace *trace,
                   struct td_zone_ref zone)
{
    *chain = (struct td_chain){.of = zone, .ends = flows->ends};
    if (!td_ref_valid(zone) || !flows->count)
        return;
    const int64_t start_ns = td_trace_zone(trace, zone.track, zone.row, zone.index).start_ns;
    add_links(chain, flows, zone, start_ns, true);
    add_links(chain, flows, zone, start_ns, false);
}
