#include "bench/device/core_model.h"

#include <stddef.h>

#define STORE_QUEUE 4 /* stores that may wait for the port before the core does */

const struct core_params core_wormhole = {"wormhole", {2, 8, 7}, 4, 5, 2, 0};
const struct core_params core_blackhole = {"blackhole", {2, 8, 7}, 4, 5, 4, 1};

enum {
    OP_LOAD = 0x03,
    OP_IMM = 0x13,
    OP_AUIPC = 0x17,
    OP_STORE = 0x23,
    OP_REG = 0x33,
    OP_LUI = 0x37,
    OP_BRANCH = 0x63,
    OP_JALR = 0x67,
    OP_JAL = 0x6f
};

static enum space space_of(uint32_t address)
{
    if (address < 0xffb00000)
        return SPACE_L1;
    return address < 0xffb10000 ? SPACE_LOCAL : SPACE_REGISTERS;
}

static void wait_for(struct core_model *m, uint32_t reg)
{
    if (m->ready[reg] > m->now)
        m->now = m->ready[reg];
}

static void load(struct core_model *m, uint32_t rd, uint32_t address)
{
    enum space space = space_of(address);
    if (space == SPACE_REGISTERS) {
        uint64_t *slot = &m->in_flight[m->next_in_flight++ % m->p->loads_in_flight];
        if (*slot > m->now)
            m->now = *slot;
        *slot = m->now + m->p->load[space];
    }
    m->ready[rd] = m->now + m->p->load[space];
}

/* The open block of merged stores goes to the port: a full one at a store a cycle, else as one store. */
static void close_block(struct core_model *m)
{
    if (!m->block_open)
        return;
    uint64_t start = m->port_free > m->now ? m->port_free : m->now;
    m->port_free = start + (m->block_words == 4 ? 4 : m->p->store_l1);
    m->block_open = 0;
}

static void store(struct core_model *m, uint32_t address)
{
    if (space_of(address) != SPACE_L1)
        return;
    uint32_t distance = address > m->last_store ? address - m->last_store : m->last_store - address;
    int merges = m->p->coalesces && m->block_open && address / 16 == m->block && distance <= 4;
    m->last_store = address;
    if (merges) {
        m->block_words++;
        return;
    }
    close_block(m);
    m->block = address / 16;
    m->block_words = 1;
    m->block_open = 1;
    if (!m->p->coalesces)
        close_block(m);
    uint64_t queue = (uint64_t)STORE_QUEUE * m->p->store_l1;
    if (m->port_free > m->now + queue)
        m->now = m->port_free - queue;
}

void core_model_step(struct core_model *m, uint32_t pc, uint32_t instruction, uint32_t address)
{
    uint32_t op = instruction & 0x7f, rd = instruction >> 7 & 31;
    uint32_t rs1 = instruction >> 15 & 31, rs2 = instruction >> 20 & 31;
    if (m->fallthrough) {
        int taken = pc != m->fallthrough;
        if (taken != m->predicted_taken)
            m->now += m->p->mispredicted;
        m->fallthrough = 0;
    }
    m->instructions++;
    if (op != OP_LUI && op != OP_AUIPC && op != OP_JAL)
        wait_for(m, rs1);
    if (op == OP_REG || op == OP_STORE || op == OP_BRANCH)
        wait_for(m, rs2);
    if (op == OP_LOAD)
        load(m, rd, address);
    else if (op == OP_STORE)
        store(m, address);
    else if (op != OP_BRANCH)
        m->ready[rd] = m->now + 1;
    if (op == OP_BRANCH) {
        m->fallthrough = pc + 4;
        m->predicted_taken = (int32_t)instruction < 0; /* backwards */
    }
    m->ready[0] = 0;
    m->now++;
}

uint64_t core_model_cycles(struct core_model *m)
{
    close_block(m);
    return m->port_free > m->now ? m->port_free : m->now;
}
