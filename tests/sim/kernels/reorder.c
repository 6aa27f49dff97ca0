/* Pairs of accesses that hardware may exchange, with what keeps them in order (`ordered`) and without. */
#include "kernels.h"
#include "tendril/sem.h"

/* td_noc_write() of one packet, without waiting for the core's stores to L1. */
static void write_at_once(uint32_t x, uint32_t y, uint32_t address, uint32_t local, uint32_t bytes)
{
    const uint32_t own = td_noc_own_place_();
    td_noc_begin_(0, td_noc_id_(TD_NOC_ID_WRITES));
    td_noc_target_(0, own, local);
    td_noc_return_(0, td_noc_place_(x, y), address);
    td_noc_start_(0, TD_NIU_WRITE | TD_NOC_CHANNEL_ | TD_NIU_CHANNEL(1), bytes, td_niu_RET_MID, 0);
}

static void fill(volatile uint32_t *words, uint32_t value)
{
    for (uint32_t i = 0; i < 16; i++)
        words[i] = value;
}

static uint32_t is_whole(const volatile uint32_t *words, uint32_t value)
{
    uint32_t same = 0;
    for (uint32_t i = 0; i < 16; i++)
        same += words[i] == value;
    return same == 16;
}

/* A store to L1, then a request that reads it. */
static void store_then_send(volatile struct exchange *e)
{
    volatile uint32_t *data = (volatile uint32_t *)e->data, *back = (volatile uint32_t *)e->back;
    for (uint32_t round = 1; round <= e->rounds; round++) {
        fill(data, round);
        if (e->ordered)
            td_noc_write(e->x, e->y, e->data, e->data, 64);
        else
            write_at_once(e->x, e->y, e->data, e->data, 64);
        td_noc_is_started_(0);
        while (td_noc_responses_(0, TD_NOC_ID_WRITES)) /* a barrier also loads from L1 */
            ;
        td_noc_read(e->x, e->y, e->data, e->back, 64);
        td_noc_read_barrier();
        e->wrong += !is_whole(back, round);
    }
}

/* Two writes to one tile, which takes the second one for a sign. */
static void send_data_and_sign(volatile struct exchange *e)
{
    volatile uint32_t *data = (volatile uint32_t *)e->data, *sign = (volatile uint32_t *)e->back;
    for (uint32_t round = 1; round <= e->rounds; round++) {
        fill(data, round);
        *sign = round;
        td_noc_write(e->x, e->y, e->data, e->data, 64);
        if (e->ordered)
            td_noc_write_barrier();
        td_noc_write(e->x, e->y, e->sign, e->back, 4);
        td_noc_write_barrier();
        td_sem_wait_min((td_sem *)e->answer, round);
    }
}

static void receive_data_and_sign(volatile struct exchange *e)
{
    volatile uint32_t *data = (volatile uint32_t *)e->data;
    for (uint32_t round = 1; round <= e->rounds; round++) {
        td_sem_wait_min((td_sem *)e->sign, round);
        e->wrong += !is_whole(data, round);
        td_sem_add_remote(e->x, e->y, e->answer, 1);
    }
}

/* Two cores of a tile: each stores its word, then loads the other's. One of them sees the other's store. */
static void store_then_load(volatile struct exchange *e)
{
    volatile uint32_t *mine = (volatile uint32_t *)e->data, *other = (volatile uint32_t *)e->back;
    volatile uint32_t *here = (volatile uint32_t *)e->sign, *there = (volatile uint32_t *)e->answer;
    for (uint32_t round = 1; round <= e->rounds; round++) {
        *here = round;
        while (*there < round)
            ;
        *mine = round;
        if (e->ordered)
            td_fence_stored(mine);
        e->missed[round - 1] = *other < round;
    }
}

void kernel(volatile struct exchange *e)
{
    if (e->part == EXCHANGE_STORE_THEN_SEND)
        store_then_send(e);
    else if (e->part == EXCHANGE_SEND)
        send_data_and_sign(e);
    else if (e->part == EXCHANGE_RECEIVE)
        receive_data_and_sign(e);
    else
        store_then_load(e);
    e->done = 1;
}
