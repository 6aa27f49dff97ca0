/* What markers have cost one core: its packets, each times its cost (proto/device/cost.h). A zone's cost
 * depends on its site (struct td_site). Private to the board source. */
#pragma once
#include "host/device/drain/packet_decoder.h"
#include "host/device/image/image.h"
#include "proto/bill_text.h"
#include "proto/device/cost.h"
#include "proto/device/lane.h"

enum td_bill_kind {               /* what a marker is in the trace */
                    TD_BILL_ZONE, /* texts, values and flows belong to zones */
                    TD_BILL_MESSAGE,
                    TD_BILL_POINT,
                    TD_BILL_SUM,
                    TD_BILL_KINDS
};

struct td_lane_bill {
    struct td_bill_part {
        uint64_t count; /* zones, messages ... */
        uint64_t slots;
        double instructions, stores;
    } parts[TD_BILL_KINDS];
    uint64_t launches, lines;
    uint64_t wait_ticks;
};

#define TD_ZONE_COST_PARTS 256

/* Instructions of a zone of this site, in parts of one, so that sums do not depend on their order; where the
 * image does not say them, as outside of a loop. */
static inline uint32_t td_zone_cost(const struct td_site *site)
{
    const double known = site && site->instructions ? site->instructions
                                                    : td_cost_of(TD_COST_ZONE).instructions +
                                                          3 * td_cost_of(TD_COST_CONSTANT).instructions;
    return (uint32_t)(known * TD_ZONE_COST_PARTS + 0.5);
}

/* Zones of one slot; `cost`: the sum of their sites' td_zone_cost(). */
static inline void td_lane_bill_zones(struct td_lane_bill *bill, uint64_t count, uint64_t cost)
{
    struct td_bill_part *zones = &bill->parts[TD_BILL_ZONE];
    zones->count += count;
    zones->slots += count;
    zones->instructions += (double)cost / TD_ZONE_COST_PARTS;
    zones->stores += (double)count * td_cost_of(TD_COST_ZONE).stores;
}

/* Any packet; `site` is that of its marker, if it has one, else NULL. */
void td_lane_bill_packet(struct td_lane_bill *bill, const struct td_packet_record *r,
                         const struct td_site *site);

struct td_lane_bill_end {
    enum td_policy policy;
    uint32_t calls;                  /* TD_LANE_calls; 0: not known */
    uint64_t slots;                  /* that arrived */
    uint64_t lost_zones, lost_other; /* dropped or overwritten */
    uint64_t waits;
    double ns_per_tick, ns_a_instruction; /* the latter 0: not known */
};
/* Sets all of *total but the core's place. */
void td_lane_bill_total(const struct td_lane_bill *bill, const struct td_lane_bill_end *end,
                        struct td_bill *total);
