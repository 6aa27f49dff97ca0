/* Requests as they are written into the registers of an initiator, one after another. */
#include "kernels.h"
#include "tendril/noc.h"

static volatile uint32_t *at(uint32_t noc, volatile uint32_t *reg, uint32_t initiator)
{
    return reg + noc * (TD_NIU_BYTES / 4) + initiator * (TD_NIU_STRIDE(TD_NIU_WORMHOLE) / 4);
}

static void give(const volatile struct niu_request *r)
{
    const uint32_t i = r->initiator;
    while (*at(r->noc, td_niu_CMD_CTRL, i))
        ;
    *at(r->noc, td_niu_TARG_LO, i) = r->target;
    *at(r->noc, td_niu_TARG_PLACE, i) = r->target_place << 4;
    *at(r->noc, td_niu_RET_LO, i) = r->other;
    *at(r->noc, td_niu_RET_PLACE, i) = r->other_place << 4;
    *at(r->noc, td_niu_PACKET_TAG, i) = r->id << TD_NIU_ID_SHIFT;
    *at(r->noc, td_niu_CTRL, i) = r->control;
    *at(r->noc, td_niu_AT_LEN_BE, i) = r->length;
    *at(r->noc, td_niu_AT_DATA, i) = r->data;
    *at(r->noc, td_niu_CMD_CTRL, i) = 1;
}

void kernel(volatile struct niu_list *list)
{
    for (uint32_t n = 0; n < list->count; n++) {
        const volatile struct niu_request *r = &list->requests[n];
        give(r);
        list->requests[n].given = at(r->noc, td_niu_REQS_OUTSTANDING, 0)[r->id];
        for (uint32_t begin = CLOCK_LOW; CLOCK_LOW - begin < 2000;)
            ;
        list->requests[n].left = at(r->noc, td_niu_REQS_OUTSTANDING, 0)[r->id];
    }
    for (uint32_t i = 0; i < 16; i++) {
        list->counters[0][i] = at(0, td_niu_COUNTERS, 0)[i];
        list->counters[1][i] = at(1, td_niu_COUNTERS, 0)[i];
    }
    list->node[0] = *at(0, td_niu_NODE_ID, 0);
    list->node[1] = *at(1, td_niu_NODE_ID, 0);
    list->done = 1;
}
