/* A board of two tiles in this process's memory, an engine that serves it, and a link that calls the engine.
 * For situations that a real board cannot be made to produce. */
#pragma once
#include "host/transport/link.h"
#include "target/probe/probe.h"

#define MEMORY_BYTES 0x4000 /* per tile */
#define MEMORY_LANES 4      /* two per tile */
#define RING_SLOTS   16u

struct memory_board {
    struct td_probe probe;
    uint64_t memory[2][MEMORY_BYTES / 8];
    uint64_t out[TD_PROBE_MAX_BYTES / 8], kept[TD_PROBE_MAX_BYTES / 8];
    struct td_probe_lane_state lanes[MEMORY_LANES];
    uint64_t ticks;
    int frozen, agent, fills, notified, gone;
    uint32_t now_ms; /* the probe's clock */
    int64_t real_ms;
    /* The engine's messages in order, each after its length. */
    uint8_t sent[1 << 18];
    size_t sent_bytes, sent_read;
    /* Cores: slots written so far, by lane. */
    uint32_t tail[MEMORY_LANES];
    /* The link: every n-th message is lost, 0: none. */
    struct td_link link;
    unsigned lose_requests, lose_answers, requests, answers;
};

/* mapped: the engine reaches memory by pointers. */
void memory_board_init(struct memory_board *b, int mapped);
/* The lane (0 to 3) as GATHER takes it. */
struct td_probe_lane memory_lane(uint32_t lane);
uint32_t *memory_ctrl(struct memory_board *b, uint32_t lane);
uint32_t *memory_ring(struct memory_board *b, uint32_t lane);
/* A core writes a slot if there is room. Returns 1 if it did. */
int memory_core_put(struct memory_board *b, uint32_t lane);
/* The expected words of such a slot. */
#define MEMORY_SLOT(lane, number) (0x80000000u | (uint32_t)(lane) << 24 | ((number)&0xffffffu))
