#include "host/query/ops/operation_chain.h"
#include "host/event/map.h"
#include "host/query/flows/chain.h"

#include <stdlib.h>

/* Counts tracks; without memory for it, fewer. */
static void count_track(struct td_operation_chain *chain, struct td_map *seen, uint32_t track)
{
    chain->tracks += td_map_add(seen, track, 1) == 1;
}

int td_operation_chain_make(struct td_operation_chain *chain, const struct td_flows *flows, uint32_t track,
                            int64_t end_ns, int64_t from_ns, struct td_job *job)
{
    /* No zone of the track: the first step goes from the last receiver that is there. */
    struct td_zone_ref zone = {track, UINT32_MAX, 0};
    struct td_map seen = {0};
    int64_t at_ns = end_ns;
    int rc = 0;
    *chain = (struct td_operation_chain){.ends = flows->ends};
    chain->links = malloc(TD_OPERATION_LINKS * sizeof *chain->links);
    if (!chain->links)
        return TD_E_NOMEM;
    while (chain->count < TD_OPERATION_LINKS && at_ns >= from_ns) {
        struct td_flow_pair link;
        if (job && td_job_cancelled(job))
            rc = TD_E_STOPPED;
        /* Time goes back, or the chain would be a circle. */
        if (rc || !td_chain_step(flows, zone, at_ns, true, &link) ||
            (td_flow_sent_ns(flows, &link) >= at_ns && chain->count))
            break;
        chain->links[chain->count++] = link;
        count_track(chain, &seen, link.to->zone.track);
        count_track(chain, &seen, link.from->zone.track);
        zone = link.from->zone;
        at_ns = td_flow_sent_ns(flows, &link);
    }
    td_map_finish(&seen);
    if (rc)
        td_operation_chain_free(chain);
    return rc;
}

void td_operation_chain_free(struct td_operation_chain *chain)
{
    free(chain->links);
    *chain = (struct td_operation_chain){0};
}
