/* Each core moves data in all the ways there are, at the same time as all others, and leaves sums of what came.
 * The first two cores of a tile use both NoCs. */
#include "tests/boards/kernels/moves.h"
#include "tendril/sem.h"
#include "tendril/tendril.h"

static uint32_t sum(uint32_t at, uint32_t bytes)
{
    const volatile uint32_t *words = (const volatile uint32_t *)at;
    uint32_t s = 0;
    for (uint32_t i = 0; i < bytes / 4; i++)
        s = s * 31 + words[i];
    return s;
}

static void fill(uint32_t at, uint32_t bytes, uint32_t seed)
{
    volatile uint32_t *words = (volatile uint32_t *)at;
    for (uint32_t i = 0; i < bytes / 4; i++)
        words[i] = seed + i * 2654435761u;
}

/* All cores of all tiles: each raises the meeting point of the first tile, then waits for the last one. */
static void meet(const struct moves *m, uint32_t number)
{
    volatile uint32_t *seen = (volatile uint32_t *)(m->buffer + MOVES_BUFFER - 64);
    TD_WAIT("meet");
    td_sem_add_remote(m->first_x, m->first_y, m->meet, 1);
    do {
        td_noc_read(m->first_x, m->first_y, m->meet, (uint32_t)seen, 4);
        td_noc_read_barrier();
    } while (*seen < number * m->cores * m->tiles);
}

static void through_dram(struct moves *m, uint32_t noc, uint32_t round)
{
    ZoneScopedN("through dram");
    const uint32_t bank = td_noc_place_(m->bank_x, m->bank_y), back = m->buffer + MOVES_LONG;
    fill(m->buffer, MOVES_LONG, m->tile << 16 | m->core << 8 | round);
    td_noc_write_on(noc, bank, m->bank_at, m->buffer, MOVES_LONG);
    td_noc_write_barrier_on(noc);
    td_noc_read_on(noc, bank, m->bank_at, back, MOVES_LONG);
    td_noc_read_barrier_on(noc);
    m->dram_sum = m->dram_sum * 17 + sum(back, MOVES_LONG);
}

static void to_next(struct moves *m, uint32_t noc, uint32_t round)
{
    ZoneScopedN("to next");
    const uint32_t next = td_noc_place_(m->next_x, m->next_y);
    volatile uint32_t *old = (volatile uint32_t *)(m->buffer + MOVES_BUFFER - 32);
    td_noc_write_on(noc, next, m->from_previous, m->buffer, MOVES_PIECE);
    td_noc_write_barrier_on(noc);
    td_noc_add_on(noc, next, m->arrived, m->core + 1, (uint32_t)old);
    td_noc_read_barrier_on(noc);
    /* Others raise it too: only the sum over all rounds and cores is known. */
    const uint32_t all = m->cores * (m->cores + 1) / 2;
    td_sem_wait_min((td_sem *)m->arrived, (round + 1) * all);
    m->old_sum += *old <= MOVES_ROUNDS * all;
    m->previous_sum = m->previous_sum * 17 + sum(m->from_previous, MOVES_PIECE);
}

/* The first core's lines go to all other tiles, the second one's to all. */
static void to_all(struct moves *m, uint32_t noc, uint32_t round)
{
    ZoneScopedN("to all");
    const uint32_t line = m->lines + (2 * m->tile + m->core) * MOVES_LINE;
    const uint32_t first = td_noc_place_(m->first_x, m->first_y), last = td_noc_place_(m->last_x, m->last_y);
    fill(m->buffer, MOVES_LINE, 1000 * (round + 1) + 10 * m->tile + m->core);
    td_noc_multicast_on(noc, first, last, line, m->buffer, MOVES_LINE, m->core == 1);
    td_noc_write_barrier_on(noc);
}

static void read_counters(struct moves *m)
{
    static const uint32_t which[3] = {TD_NIU_WR_ACK_RECEIVED, TD_NIU_ATOMIC_RESP_RECEIVED,
                                      TD_NIU_NONPOSTED_WR_REQ_SENT};
    for (uint32_t noc = 0; noc < 2; noc++)
        for (uint32_t i = 0; i < 3; i++)
            m->counts[noc][i] = td_niu_COUNTERS[TD_NIU_AT(noc) + which[i]];
}

int main(void)
{
    struct moves *m = (struct moves *)td_arg();
    const uint32_t meetings = 2;
    m->place = td_noc_my_x() | td_noc_my_y() << 8;
    meet(m, 1);
    for (uint32_t round = 0; round < MOVES_ROUNDS; round++) {
        const uint32_t noc = m->core < 2 && round == 1;
        through_dram(m, noc, round);
        to_next(m, noc, round);
        meet(m, 2 + meetings * round);
        if (m->core < 2)
            to_all(m, noc, round);
        meet(m, 3 + meetings * round);
        m->lines_sum = m->lines_sum * 17 + sum(m->lines, 2 * m->tiles * MOVES_LINE);
    }
    /* A word to the own tile, and another tile's clock. */
    const uint32_t at = m->buffer + 16;
    if (td_noc_can_inline_(at))
        td_noc_inline_write_on(0, td_noc_place_(m->x, m->y), at, 0x600d, 15);
    else
        *(volatile uint32_t *)at = 0x600d;
    td_noc_write_barrier();
    m->inline_word = *(volatile uint32_t *)at;
    td_noc_read(m->next_x, m->next_y, m->clock, at, 4);
    td_noc_read_barrier();
    m->clock = *(volatile uint32_t *)at != 0;
    meet(m, 2 + meetings * MOVES_ROUNDS);
    if (m->core == 0)
        read_counters(m);
    TD_LOG("core %u of tile %u is done", m->core, m->tile);
    m->done = 1;
    return 0;
}
