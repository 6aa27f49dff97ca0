/* Messages that pass a filter. */
#ifndef TD_HOST_QUERY_ROWS_MESSAGE_FILTER_H
#define TD_HOST_QUERY_ROWS_MESSAGE_FILTER_H
#include "host/query/task/job.h"
#include "host/query/task/lane_choice.h"
#include "host/query/rows/messages.h"
#include "host/query/table/track_name.h"

enum td_message_source { TD_FROM_ALL, TD_FROM_PROGRAM, TD_FROM_PROFILER };

struct td_message_filter {
    char text[96]; /* see text_filter.h; "": all */
    enum td_message_source source;
    uint8_t severity;                   /* the least */
    uint32_t track;                     /* TD_NO_TRACK: all */
    const struct td_lane_choice *lanes; /* NULL: all */
};

struct td_message_list { /* all zero: empty */
    size_t *at;          /* numbers for td_trace_message() */
    size_t count, capacity;
};

bool td_message_passes(const struct td_trace *trace, const struct td_message_filter *filter,
                       const struct td_message *message);
/* Adds the messages `from` to `to` - 1 that pass to `list`. 0, TD_E_NOMEM or TD_E_STOPPED; `job` may be NULL. */
int td_message_filter_run(const struct td_trace *trace, const struct td_message_filter *filter, size_t from,
                          size_t to, struct td_message_list *list, struct td_job *job);
const char *td_severity_name(uint8_t severity);
#endif
