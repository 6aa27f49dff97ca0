/* Messages from a file descriptor, taken by a thread of its own: so a client can cancel the request that runs, and the
 * request ends when its time is over. */
#pragma once
#include "host/tools/mcp/mcp.h"

struct mcp_inbox;
/* NULL: see err. */
struct mcp_inbox *mcp_inbox_open(struct mcp *m, int fd, struct td_err *err);
/* Waits for the next message, which the caller deletes. False: there are no more. From now on the request may be cancelled,
 * and its time runs. */
bool mcp_inbox_take(struct mcp_inbox *inbox, cJSON **message, enum mcp_problem *problem);
/* The message is answered, and will be deleted. */
void mcp_inbox_forget(struct mcp_inbox *inbox);
void mcp_inbox_close(struct mcp_inbox *inbox); /* NULL is allowed */
