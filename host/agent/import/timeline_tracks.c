/* Names and ids of the tracks of a timeline. */
#include "host/agent/import/timeline_internal.h"
#include "host/base/grow.h"
#include "proto/track.h"

#include <inttypes.h>
#include <stdio.h>

/* The number that the text is, if it is one of less than 2^32 as it is usually written. */
static bool is_small_number(const char *text, uint64_t *number)
{
    char again[24];
    *number = strtoull(text, NULL, 10);
    snprintf(again, sizeof again, "%" PRIu64, *number);
    return !strcmp(again, text) && *number <= UINT32_MAX;
}

/* Ids that do not fit, and the further lines of threads, get numbers that no thread has. */
uint64_t td_timeline_thread_id(struct td_timeline *timeline, struct td_track_owner *owner)
{
    uint64_t pid = 0, tid;
    const char *process = td_dict_text(timeline->keys, timeline->processes[owner->process].pid);
    if (owner->thread)
        return owner->thread;
    if (!owner->async && (!*process || is_small_number(process, &pid)) &&
        is_small_number(td_dict_text(timeline->keys, owner->id), &tid) &&
        !td_track_is_device(pid << 32 | tid))
        owner->thread = pid << 32 | tid;
    else
        owner->thread = timeline->next_thread++;
    return owner->thread;
}

/* The name of a track that is no thread. */
static int print_operations(const struct td_track_owner *owner, const char *process, const char *id,
                            const char *after, char **text)
{
    if (owner->named)
        return asprintf(text, "%s%s%s%s", process, *process && *id ? " " : "", *process || *id ? id : "track",
                        after);
    return asprintf(text, "%s%sasync%s%s%s", process, *process ? " " : "", *id ? " " : "", id, after);
}

/* "(PID 1 TID 2) worker", "PID 1 TID 2", "PID 1 async net", with the process's name before it and the line after
 * it. */
static uint32_t track_name(struct td_timeline *timeline, const struct td_track_owner *owner, uint32_t line)
{
    const struct td_process *process = &timeline->processes[owner->process];
    const char *pid = td_dict_text(timeline->keys, process->pid),
               *id = td_dict_text(timeline->keys, owner->id);
    const char *of = td_dict_text(timeline->dict, process->name),
               *name = td_dict_text(timeline->dict, owner->name);
    char after[32] = "", *text = NULL;
    if (line)
        snprintf(after, sizeof after, ", line %" PRIu32, line + 1);
    char *whole = NULL;
    if (asprintf(&whole, "%s%s%s%s", of, *of && *pid ? " " : "", *pid ? "PID " : "", pid) < 0)
        return UINT32_MAX;
    const char *space = *whole ? " " : "";
    const int bytes = owner->async ? print_operations(owner, whole, id, after, &text)
                      : !*pid      ? asprintf(&text, "%s%s%s%s", whole, space, *name ? name : id, after)
                      : *name      ? asprintf(&text, "(%s%sTID %s) %s%s", whole, space, id, name, after)
                                   : asprintf(&text, "%s%sTID %s%s", whole, space, id, after);
    free(whole);
    if (bytes < 0)
        return UINT32_MAX;
    const uint32_t string = td_dict_string(timeline->dict, text, (size_t)bytes);
    free(text);
    return string;
}

int td_timeline_add_tracks(struct td_timeline *timeline, struct td_track_owner *owner)
{
    const uint32_t lines = owner->lines ? owner->lines : 1;
    if (td_grow(&timeline->tracks, &timeline->track_room, timeline->track_count + lines,
                sizeof *timeline->tracks))
        return TD_E_NOMEM;
    owner->tracks = (uint32_t)timeline->track_count;
    for (uint32_t line = 0; line < lines; line++) {
        struct td_track track = {.thread =
                                     line ? timeline->next_thread++ : td_timeline_thread_id(timeline, owner),
                                 .name = track_name(timeline, owner, line)};
        const uint32_t number = track.name == UINT32_MAX ? UINT32_MAX : td_dict_track(timeline->dict, &track);
        if (number == UINT32_MAX)
            return TD_E_NOMEM;
        timeline->tracks[timeline->track_count++] = number;
    }
    owner->has_tracks = true;
    return 0;
}
