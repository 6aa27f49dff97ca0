/* What --reorder does to a core (reorder.c) and, with the same numbers, to the NoC (noc.c). */
#pragma once
#include "boards/tensix_sim/sim.h"

uint32_t reorder_dice(uint64_t *random, uint32_t sides); /* 0 .. sides - 1 */
int reorder_init(struct core *core);                     /* with a new engine; 0: done */
void reorder_begin_turn(struct core *core);
void reorder_end_turn(struct core *core); /* also when a core is held: what it has stored is there then */
/* Around what the NoC does in the middle of a turn: it sees none of the stores that wait. */
void reorder_hide(struct core *core);
void reorder_show(struct core *core);
bool reorder_toss(struct core *core); /* false without --reorder */
