/* What a session with a client lacks, in one line for the user. Each returns the error's code. */
#ifndef TD_HOST_AGENT_CLIENT_CLIENT_LOSSES_H
#define TD_HOST_AGENT_CLIENT_CLIENT_LOSSES_H
#include "host/agent/client/client_stream.h"

/* It ended as it should. 0 if it answered all questions. */
int td_client_left_unanswered(const char *where, struct td_client_counts counts, struct td_err *err);
/* Its connection broke. */
int td_client_vanished(const char *where, struct td_client_counts counts, struct td_err *err);
/* It was asked to end, and does not. */
int td_client_never_ended(const char *where, int waited_s, struct td_client_counts counts,
                          struct td_err *err);
#endif
