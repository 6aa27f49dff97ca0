/* Owner guard: says on this machine that another process will disarm the lanes of an agent that has ended. So the next agent
 * does not take tiles while that process still returns them: neither can change a tile's words in one step. */
#pragma once
#include <stdint.h>

/* This process will, until it ends: a descriptor that has to stay open until then, or -1 (another process is it already). */
int td_owner_guard_begin(uint32_t agent);
/* Waits until no process will any more, at most so long. */
void td_owner_guard_wait(uint32_t agent, int most_ms);
