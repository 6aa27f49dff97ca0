/* Guardian: a process that outlives an agent which is killed, and then disarms the lanes, so that no core
 * waits for it for ever. For boards where nobody else does (struct td_transport, cleans_up).
 *
 * It is started before the agent opens the board and holds nothing of it; only when the agent has gone
 * without a goodbye it opens the board itself. Not thread-safe; to be started while there is one thread. */
#ifndef TD_HOST_AGENT_BOARD_GUARDIAN_H
#define TD_HOST_AGENT_BOARD_GUARDIAN_H
#include "host/agent/board/attach.h"

#include <sys/types.h>

struct td_guardian {
    pid_t pid; /* 0: there is none */
    int pipe;
};

/* `attach` is used in the new process only. */
int td_guardian_start(struct td_guardian *guardian, const struct td_attach *attach, struct td_err *err);
/* From now on lanes may be armed: it acts when this process goes away. */
void td_guardian_arm(struct td_guardian *guardian);
/* The lanes could not be disarmed from here: it tries, without being waited for. */
void td_guardian_abandon(struct td_guardian *guardian);
/* The goodbye: it ends without doing anything. */
void td_guardian_leave(struct td_guardian *guardian);
#endif
