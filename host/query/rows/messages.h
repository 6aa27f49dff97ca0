/* The messages of each track. A finished trace has lists of them; while a trace grows, this module makes
 * them.
 *
 * One thread updates and asks; td_messages_list() may be called by any thread, and others may read its
 * series. */
#pragma once
#include "host/trace/tables.h"
#include "host/trace/trace.h"

struct td_messages {                /* all zero: those of a finished trace */
    struct td_message_lists *lists; /* atomic */
    size_t scanned;                 /* messages of the trace that are in the lists */
};

/* Adds messages that have arrived since the last call, at most so many that a frame is not delayed. 1: there
 * are more; 0; TD_E_NOMEM. */
int td_messages_update(struct td_messages *messages, const struct td_trace *trace, struct td_err *err);
/* No thread may read a list. */
void td_messages_free(struct td_messages *messages);
/* The numbers of the track's messages, in column TD_TRACK_MESSAGE_MESSAGE, in the order of arrival. */
const struct td_series *td_messages_list(const struct td_messages *messages, const struct td_trace *trace,
                                         uint32_t track);
size_t td_messages_count(const struct td_messages *messages, const struct td_trace *trace, uint32_t track);
/* The number for td_trace_message(). */
size_t td_messages_number(const struct td_messages *messages, const struct td_trace *trace, uint32_t track,
                          size_t index);
struct td_message td_messages_get(const struct td_messages *messages, const struct td_trace *trace,
                                  uint32_t track, size_t index);
/* The first message of the track that is not before time_ns. */
size_t td_messages_after(const struct td_messages *messages, const struct td_trace *trace, uint32_t track,
                         double time_ns);
