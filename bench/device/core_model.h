/* Cycles of an in-order core by published latencies: one instruction issues a cycle, an operand that a load
 * has not delivered yet stalls, stores leave through a port that is busy for a while. No more is modelled: no
 * instruction fetch, no other cores. */
#pragma once
#include <stdint.h>

enum space { SPACE_LOCAL, SPACE_L1, SPACE_REGISTERS };

struct core_params {
    const char *name;
    uint32_t load[3];         /* latency in cycles, by space */
    uint32_t loads_in_flight; /* of registers */
    uint32_t store_l1;        /* cycles between two stores to L1 */
    uint32_t mispredicted;    /* cycles of a mispredicted branch */
    int coalesces;            /* stores within an aligned 16-byte block merge */
};
extern const struct core_params core_wormhole, core_blackhole;

struct core_model {
    const struct core_params *p;
    uint64_t now;          /* next cycle in which an instruction can issue */
    uint64_t ready[32];    /* cycle in which a register's value is there */
    uint64_t port_free;    /* store port of L1 */
    uint64_t in_flight[8]; /* ends of the last register loads */
    uint32_t next_in_flight;
    uint32_t block, last_store, block_words;
    int block_open;
    uint32_t fallthrough; /* of the last branch; 0: none */
    int predicted_taken;
    uint64_t instructions;
};

/* An instruction that retires; `address`: of a load or store. */
void core_model_step(struct core_model *m, uint32_t pc, uint32_t instruction, uint32_t address);
/* Cycles until the last instruction and its stores are through. */
uint64_t core_model_cycles(struct core_model *m);
