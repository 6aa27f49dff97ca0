#include "host/viewer/analysis/messages.h"
#include "host/base/grow.h"

#include <string.h>

int td_messages_update(struct td_messages *messages, const struct td_trace *trace, struct td_err *err)
{
    const size_t count = td_trace_messages(trace);
    for (; messages->scanned < count; messages->scanned++) {
        const uint32_t track = td_trace_message(trace, messages->scanned).track;
        const size_t before = messages->track_capacity;
        if (td_grow(&messages->tracks, &messages->track_capacity, (size_t)track + 1,
                    sizeof *messages->tracks) < 0)
            return td_fail_no_memory(err, NULL);
        if (messages->track_capacity > before)
            memset(messages->tracks + before, 0,
                   (messages->track_capacity - before) * sizeof *messages->tracks);
        if (track >= messages->track_count)
            messages->track_count = (size_t)track + 1;
        struct td_message_list *list = &messages->tracks[track];
        if (td_grow(&list->at, &list->capacity, list->count + 1, sizeof *list->at) < 0)
            return td_fail_no_memory(err, NULL);
        list->at[list->count++] = messages->scanned;
    }
    return 0;
}

void td_messages_free(struct td_messages *messages)
{
    for (size_t i = 0; i < messages->track_count; i++)
        free(messages->tracks[i].at);
    free(messages->tracks);
    *messages = (struct td_messages){0};
}

size_t td_messages_count(const struct td_messages *messages, const struct td_trace *trace, uint32_t track)
{
    if (!messages->scanned)
        return td_trace_track_messages(trace, track);
    return track < messages->track_count ? messages->tracks[track].count : 0;
}

size_t td_messages_number(const struct td_messages *messages, const struct td_trace *trace, uint32_t track,
                          size_t index)
{
    return messages->scanned ? messages->tracks[track].at[index]
                             : td_trace_track_message(trace, track, index);
}

struct td_message td_messages_get(const struct td_messages *messages, const struct td_trace *trace,
                                  uint32_t track, size_t index)
{
    return td_trace_message(trace, td_messages_number(messages, trace, track, index));
}
