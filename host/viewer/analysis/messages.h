/* The messages of each track. A finished trace has lists of them; while a trace grows, this module makes
 * them. */
#ifndef TD_HOST_VIEWER_ANALYSIS_MESSAGES_H
#define TD_HOST_VIEWER_ANALYSIS_MESSAGES_H
#include "host/trace/trace.h"

struct td_messages { /* all zero: those of a finished trace */
    struct td_message_list {
        size_t *at; /* numbers for td_trace_message() */
        size_t count, capacity;
    } * tracks;
    size_t track_count, track_capacity;
    size_t scanned; /* messages of the trace that are in the lists */
};

/* Adds the messages that have arrived since the last call. 0 or TD_E_NOMEM. */
int td_messages_update(struct td_messages *messages, const struct td_trace *trace, struct td_err *err);
void td_messages_free(struct td_messages *messages);
size_t td_messages_count(const struct td_messages *messages, const struct td_trace *trace, uint32_t track);
/* The number for td_trace_message(). */
size_t td_messages_number(const struct td_messages *messages, const struct td_trace *trace, uint32_t track,
                          size_t index);
struct td_message td_messages_get(const struct td_messages *messages, const struct td_trace *trace,
                                  uint32_t track, size_t index);
#endif
