#include "host/query/rows/message_filter.h"
#include "host/base/grow.h"
#include "host/query/table/text_filter.h"

#define CHECK_EVERY 4096 /* messages between two looks at whether the job is cancelled */

const char *td_severity_name(uint8_t severity)
{
    static const char *const names[] = {"trace", "debug", "info", "warning", "error", "fatal"};
    return severity < sizeof names / sizeof *names ? names[severity] : "?";
}

bool td_message_passes(const struct td_trace *trace, const struct td_message_filter *filter,
                       const struct td_message *message)
{
    if (message->severity < filter->severity)
        return false;
    if (filter->source != TD_FROM_ALL && (filter->source == TD_FROM_PROFILER) != (message->source != 0))
        return false;
    if (filter->track != TD_NO_TRACK && filter->track != message->track)
        return false;
    if (!td_lane_chosen(filter->lanes, message->track))
        return false;
    return !filter->text[0] ||
           td_text_passes(filter->text, td_dict_text(td_trace_dict(trace), message->text), NULL);
}

int td_message_filter_run(const struct td_trace *trace, const struct td_message_filter *filter, size_t from,
                          size_t to, struct td_message_list *list, struct td_job *job)
{
    for (size_t i = from; i < to; i++) {
        if (job && (i - from) % CHECK_EVERY == 0) {
            if (td_job_cancelled(job))
                return TD_E_STOPPED;
            td_job_set_progress(job, i - from, to - from);
        }
        struct td_message m = td_trace_message(trace, i);
        if (!td_message_passes(trace, filter, &m))
            continue;
        if (td_grow(&list->at, &list->capacity, list->count + 1, sizeof *list->at) < 0)
            return TD_E_NOMEM;
        list->at[list->count++] = i;
    }
    return 0;
}
