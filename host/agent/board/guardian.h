/* Guardian: a process that disarms the lanes after the agent was killed, so that no core waits for the agent
 * for ever. For transports that do not do this themselves (struct td_transport, cleans_up).
 *
 * It is started before the agent opens the board, and opens the board itself only when the agent has ended
 * without td_guardian_leave(). Not thread-safe; must be started while the agent has one thread. */
#pragma once
#include "host/agent/board/attach.h"

#include <sys/types.h>

struct td_guardian {
    pid_t pid; /* 0: not started */
    int pipe;
};

/* `attach` is used in the new process only. 0 or a negative enum td_e. */
int td_guardian_start(struct td_guardian *guardian, const struct td_attach *attach, struct td_err *err);
/* From now on lanes may be armed: the guardian disarms them when this process ends. */
void td_guardian_arm(struct td_guardian *guardian);
/* This process could not disarm the lanes: the guardian tries to. Does not wait for it. */
void td_guardian_abandon(struct td_guardian *guardian);
/* Ends the guardian, which does nothing. */
void td_guardian_leave(struct td_guardian *guardian);
