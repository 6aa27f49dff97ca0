/* What the engine's files share; private to target/probe. */
#pragma once
#include "target/probe/probe.h"

/* Hands over lanes that the payload of GATHER names. 0, or a status with p->why. */
int td_probe_gather_add(struct td_probe *p, const uint8_t *payload, uint32_t bytes);
/* Sends the contents of lanes, in LANES messages of this number, max_slots at most. Returns 0, or a status
 * with p->why; what was taken before the error has been sent. */
int td_probe_gather_take(struct td_probe *p, uint16_t seq, uint32_t max_slots, struct td_probe_taken *taken);
/* 1: some lane holds something. */
int td_probe_gather_any(struct td_probe *p);
/* From now on each lane gives at most one ring of slots. */
void td_probe_gather_last(struct td_probe *p);
/* All lanes that were handed over get the policy off and are forgotten. */
void td_probe_gather_disarm(struct td_probe *p);

/* The board's fill, or writes of pieces. bytes: a multiple of 4. */
int td_probe_fill(struct td_probe *p, struct td_probe_at at, uint64_t address, uint32_t word, uint32_t bytes);
/* As much of a text (or NULL) as there is room for, and zeros up to its end. */
void td_probe_copy_text(char *to, uint32_t room, const char *from);
/* Text for the user, kept if there is one already; returns the code. */
int td_probe_fail(struct td_probe *p, int code, const char *text);
/* Sends the message in config.out with this head. */
void td_probe_send(struct td_probe *p, uint8_t type, int status, uint16_t seq, uint32_t payload_bytes);
static inline uint8_t *td_probe_payload(struct td_probe *p)
{
    return (uint8_t *)p->config.out + sizeof(struct td_probe_head);
}
