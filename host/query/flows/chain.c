#include "host/query/flows/chain.h"
#include "host/base/grow.h"
#include "host/event/map.h"

#define MAX_PAIRS 64 /* of one zone that are compared */

/* Of a zone's flows, the one that was sent last by that time, or (forward) the one from then on that was
 * received first. */
static bool find_own(const struct td_flows *flows, struct td_zone_ref zone, int64_t time_ns, bool back,
                     struct td_flow_pair *link)
{
    struct td_flow_pair pairs[MAX_PAIRS];
    const size_t count = td_flows_of(flows, zone, pairs, MAX_PAIRS);
    int64_t best_ns = 0;
    bool found = false;
    for (size_t i = 0; i < count; i++) {
        const struct td_flow_end *own = back ? pairs[i].to : pairs[i].from;
        const int64_t at_ns =
            back ? td_flow_sent_ns(flows, &pairs[i]) : td_flow_received_ns(flows, &pairs[i]);
        if (!td_ref_equal(own->zone, zone) || td_ref_equal(pairs[i].from->zone, pairs[i].to->zone) ||
            (back ? at_ns > time_ns : at_ns < time_ns))
            continue;
        if (!found || (back ? at_ns > best_ns : at_ns < best_ns)) {
            *link = pairs[i];
            best_ns = at_ns;
        }
        found = true;
    }
    return found;
}

/* The last receiver on the track that does not begin after the time, or the first sender not before it; then
 * also one that is around the time. */
static const struct td_flow_end *find_on_track(const struct td_flows *flows, uint32_t track, int64_t time_ns,
                                               bool back)
{
    const struct td_flow_end *best = NULL, *around = NULL;
    size_t at, end;
    for (td_flows_of_track(flows, track, &at, &end); at < end; at++) {
        const struct td_flow_end *e = &flows->ends[flows->by_zone[at]];
        if (td_flow_is_out(e) == back || (back && e->start_ns > time_ns))
            continue;
        if (!back && e->start_ns < time_ns) {
            if (td_flow_zone_end_ns(flows, e) > time_ns && (!around || e->start_ns > around->start_ns))
                around = e;
            continue;
        }
        if (!best || (back ? e->start_ns > best->start_ns : e->start_ns < best->start_ns))
            best = e;
    }
    return best ? best : around;
}

bool td_chain_step(const struct td_flows *flows, struct td_zone_ref zone, int64_t time_ns, bool back,
                   struct td_flow_pair *link)
{
    if (find_own(flows, zone, time_ns, back, link))
        return true;
    const struct td_flow_end *near = find_on_track(flows, zone.track, time_ns, back);
    return near && find_own(flows, near->zone, time_ns, back, link);
}

/* `limit_ns`: back, the steps end before it. */
static int add_links(struct td_chain *chain, const struct td_flows *flows, struct td_zone_ref zone,
                     int64_t time_ns, bool back, int64_t limit_ns, struct td_job *job)
{
    struct td_flow_pair link;
    for (int i = 0; i < TD_CHAIN_LINKS && time_ns >= limit_ns; i++) {
        if (job && td_job_cancelled(job))
            return TD_E_STOPPED;
        if (!td_chain_step(flows, zone, time_ns, back, &link))
            break;
        const int64_t next_ns = back ? td_flow_sent_ns(flows, &link) : td_flow_received_ns(flows, &link);
        /* Time goes on, or the chain would be a circle. */
        if (i && (back ? next_ns >= time_ns : next_ns <= time_ns))
            break;
        if (TD_APPEND(chain->links, chain->count, chain->capacity, link) < 0)
            return TD_E_NOMEM;
        zone = back ? link.from->zone : link.to->zone;
        time_ns = next_ns;
    }
    return 0;
}

int td_chain_make(struct td_chain *chain, const struct td_flows *flows, const struct td_trace *trace,
                  struct td_zone_ref zone)
{
    td_chain_free(chain);
    chain->of = zone;
    chain->ends = flows->ends;
    if (!td_ref_valid(zone) || !flows->count)
        return 0;
    const struct td_zone of = td_trace_zone(trace, zone.track, zone.row, zone.index);
    const int rc = add_links(chain, flows, zone, of.end_ns, true, INT64_MIN, NULL);
    return rc ? rc : add_links(chain, flows, zone, of.start_ns, false, INT64_MIN, NULL);
}

int td_chain_back(struct td_chain *chain, const struct td_flows *flows, struct td_zone_ref zone,
                  int64_t time_ns, int64_t from_ns, struct td_job *job)
{
    td_chain_free(chain);
    chain->of = zone;
    chain->ends = flows->ends;
    const int rc = add_links(chain, flows, zone, time_ns, true, from_ns, job);
    if (rc)
        td_chain_free(chain);
    return rc;
}

size_t td_chain_tracks(const struct td_chain *chain)
{
    struct td_map seen = {0};
    size_t tracks = 0;
    for (size_t i = 0; i < chain->count; i++) {
        tracks += td_map_add(&seen, chain->links[i].to->zone.track, 1) == 1;
        tracks += td_map_add(&seen, chain->links[i].from->zone.track, 1) == 1;
    }
    td_map_finish(&seen);
    return tracks;
}

void td_chain_free(struct td_chain *chain)
{
    free(chain->links);
    *chain = (struct td_chain){0};
}
