/* Error lines that report what a session with a client lacks. Each fills *err and returns its code. */
#pragma once
#include "host/agent/client/client_stream.h"

#include <stdbool.h>

/* The program answered the hello with another status than a welcome. */
int td_client_refused(const char *where, uint8_t status, struct td_err *err);
/* It did not answer within waited_ms. */
int td_client_not_greeted(const char *where, bool is_busy, int waited_ms, struct td_err *err);
/* The session ended properly. Returns 0 if the client answered all questions. */
int td_client_left_unanswered(const char *where, struct td_client_counts counts, struct td_err *err);
/* The connection broke. */
int td_client_vanished(const char *where, struct td_client_counts counts, struct td_err *err);
/* The client was asked to end the session, but did not. */
int td_client_never_ended(const char *where, int waited_s, struct td_client_counts counts,
                          struct td_err *err);
/* The bytes make no sense, or the sinks failed with `code`. Events before that are kept. */
int td_client_not_understood(const char *where, int code, const struct td_err *why,
                             struct td_client_counts counts, struct td_err *err);
