#include "host/agent/board/lane_bill.h"

#define CALL_SLOTS 64 /* of these about one takes a call, where the core's own count is not known */

static void add(struct td_lane_bill *bill, enum td_bill_kind kind, uint64_t count, uint64_t slots,
                struct td_cost_row cost, double times)
{
    struct td_bill_part *p = &bill->parts[kind];
    p->count += count;
    p->slots += slots;
    p->instructions += cost.instructions * times;
    p->stores += cost.stores * times;
}

static void add_zone(struct td_lane_bill *bill, const struct td_packet_record *r, const struct td_site *site)
{
    td_lane_bill_zones(bill, 1, td_zone_cost(site));
    if (r->duration_ticks > TD_SHORT_DUR_MASK)
        add(bill, TD_BILL_ZONE, 0, 1, td_cost_of(TD_COST_LONG), 1);
}

/* A message or text with as many arguments as its site has. */
static void add_format(struct td_lane_bill *bill, enum td_bill_kind kind, uint64_t count,
                       const struct td_packet_record *r, const struct td_site *site)
{
    const uint32_t most = TD_COST_LOG_8 - TD_COST_LOG_0, given = site ? site->args : r->arg_count;
    const uint32_t args = given < most ? given : most;
    add(bill, kind, count, 1 + TD_ARG_SLOTS(args), td_cost_of((enum td_cost)(TD_COST_LOG_0 + args)), 1);
}

static void add_line(struct td_lane_bill *bill, const struct td_packet_record *r)
{
    const uint64_t slots = (r->arg_count + 5) / 6;
    add(bill, TD_BILL_MESSAGE, 1, 1 + slots, td_cost_of(TD_COST_LINE), 1);
    add(bill, TD_BILL_MESSAGE, 0, 0, td_cost_of(TD_COST_LINE_SLOT), (double)slots);
    bill->lines++;
}

void td_lane_bill_packet(struct td_lane_bill *bill, const struct td_packet_record *r,
                         const struct td_site *site)
{
    switch (r->type) {
    case TD_PACKET_ZONE:
        add_zone(bill, r, site);
        break;
    case TD_PACKET_STAMPED: /* takes no room in the lane */
        add(bill, TD_BILL_ZONE, 1, 0,
            (struct td_cost_row){(double)td_zone_cost(site) / TD_ZONE_COST_PARTS,
                                 td_cost_of(TD_COST_STAMPED).stores, ""},
            1);
        break;
    case TD_PACKET_LOG:
        add_format(bill, TD_BILL_MESSAGE, 1, r, site);
        break;
    case TD_PACKET_ZTEXT:
        add_format(bill, TD_BILL_ZONE, 0, r, site);
        break;
    case TD_PACKET_ZVALUE:
        add(bill, TD_BILL_ZONE, 0, 3, td_cost_of(TD_COST_VALUE), 1);
        break;
    case TD_PACKET_FLOW_OUT:
    case TD_PACKET_FLOW_IN:
        add(bill, TD_BILL_ZONE, 0, 2, td_cost_of(TD_COST_POINT), 1);
        break;
    case TD_PACKET_PLOT_INT:
    case TD_PACKET_PLOT_FLOAT:
        add(bill, TD_BILL_POINT, 1, 2, td_cost_of(TD_COST_POINT), 1);
        break;
    case TD_PACKET_EVENT:
        add(bill, TD_BILL_MESSAGE, 1, 1, td_cost_of(TD_COST_EVENT), 1);
        break;
    case TD_PACKET_DATA:
        add(bill, TD_BILL_MESSAGE, 1, 3, td_cost_of(TD_COST_DATA), 1);
        break;
    case TD_PACKET_SUM:
        add(bill, TD_BILL_SUM, 1, 3, td_cost_of(TD_COST_SUM), (double)r->value2);
        break;
    case TD_PACKET_TEXT:
        add_line(bill, r);
        break;
    case TD_PACKET_STALL:
        bill->wait_ticks += r->duration_ticks;
        break;
    case TD_PACKET_EXIT:
        bill->launches++;
        break;
    default:
        break;
    }
}

/* Calls of the runtime by markers, without those of launches and of printed lines. Another number than the
 * core can have counted is that of a kernel which wrote over it. */
static double marker_calls(const struct td_lane_bill *bill, const struct td_lane_bill_end *end)
{
    const uint64_t own = bill->launches * TD_LAUNCH_CALLS + bill->lines;
    const uint64_t most = own + end->slots + end->lost_zones + end->lost_other;
    if (end->calls >= own && end->calls <= most && end->calls)
        return (double)(end->calls - own);
    return (double)(end->slots / CALL_SLOTS);
}

static uint64_t whole(double value)
{
    return value > 0 && value < 1e18 ? (uint64_t)(value + 0.5) : 0;
}

/* One kind of markers, with their part of the calls. */
struct kind_sum {
    double instructions, stores;
};

static struct kind_sum sum_kind(const struct td_lane_bill *bill, const struct td_lane_bill_end *end,
                                enum td_bill_kind kind, double calls_a_slot)
{
    static const enum td_cost call_costs[TD_BILL_KINDS] = {[TD_BILL_ZONE] = TD_COST_CALL_ZONE,
                                                           [TD_BILL_MESSAGE] = TD_COST_CALL_LOG,
                                                           [TD_BILL_POINT] = TD_COST_CALL_POINT,
                                                           [TD_BILL_SUM] = TD_COST_CALL_LOG};
    const bool overwrites = end->policy == TD_POLICY_OVERWRITE;
    const struct td_bill_part *p = &bill->parts[kind];
    const struct td_cost_row call = td_cost_of(overwrites ? TD_COST_BLOCK : call_costs[kind]);
    const double calls = calls_a_slot * (double)p->slots;
    return (struct kind_sum){p->instructions + calls * call.instructions, p->stores + calls * call.stores};
}

static uint64_t mean_ps(const struct td_bill_part *p, struct kind_sum sum, double ns_a_instruction)
{
    return p->count ? whole(sum.instructions / (double)p->count * ns_a_instruction * 1000) : 0;
}

/* Zones that did not arrive: those that were overwritten had been written, with their part of the calls;
 * dropping costs less. */
static struct kind_sum sum_lost(const struct td_lane_bill *bill, const struct td_lane_bill_end *end,
                                struct kind_sum zones)
{
    const uint64_t arrived = bill->parts[TD_BILL_ZONE].count;
    const struct td_cost_row dropped = td_cost_of(TD_COST_DROPPED);
    const double lost = (double)end->lost_zones;
    if (end->policy == TD_POLICY_DROP)
        return (struct kind_sum){lost * dropped.instructions, lost * dropped.stores};
    if (end->policy != TD_POLICY_OVERWRITE || !arrived)
        return (struct kind_sum){0, 0};
    return (struct kind_sum){lost * zones.instructions / (double)arrived,
                             lost * zones.stores / (double)arrived};
}

void td_lane_bill_total(const struct td_lane_bill *bill, const struct td_lane_bill_end *end,
                        struct td_bill *total)
{
    const struct td_cost_row launch = td_cost_of(TD_COST_LAUNCH);
    const double launches = (double)bill->launches, ns = end->ns_a_instruction;
    struct kind_sum all = {launches * launch.instructions, launches * launch.stores}, kinds[TD_BILL_KINDS];
    uint64_t slots = 0;
    for (int k = 0; k < TD_BILL_KINDS; k++)
        slots += bill->parts[k].slots;
    /* In `overwrite` the slots that were given up have had their calls, too. */
    const bool overwrites = end->policy == TD_POLICY_OVERWRITE;
    const double written = (double)(slots + (overwrites ? end->lost_zones : 0));
    const double calls_a_slot = written > 0 ? marker_calls(bill, end) / written : 0;
    for (int k = 0; k < TD_BILL_KINDS; k++) {
        kinds[k] = sum_kind(bill, end, (enum td_bill_kind)k, calls_a_slot);
        all.instructions += kinds[k].instructions;
        all.stores += kinds[k].stores;
    }
    const struct kind_sum lost = sum_lost(bill, end, kinds[TD_BILL_ZONE]);
    total->launches = bill->launches;
    total->zones = bill->parts[TD_BILL_ZONE].count;
    total->messages = bill->parts[TD_BILL_MESSAGE].count;
    total->points = bill->parts[TD_BILL_POINT].count;
    total->instructions = whole(all.instructions + lost.instructions);
    total->stores = whole(all.stores + lost.stores);
    total->bytes = end->slots * TD_SLOT_BYTES;
    total->waits = end->waits;
    total->wait_ns = whole((double)bill->wait_ticks * end->ns_per_tick);
    total->zone_ps = mean_ps(&bill->parts[TD_BILL_ZONE], kinds[TD_BILL_ZONE], ns);
    total->message_ps = mean_ps(&bill->parts[TD_BILL_MESSAGE], kinds[TD_BILL_MESSAGE], ns);
    total->point_ps = mean_ps(&bill->parts[TD_BILL_POINT], kinds[TD_BILL_POINT], ns);
}
