#include "host/query/table/track_name.h"
#include "host/base/plain_text.h"
#include "host/trace/tables.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *td_track_name(const struct td_dict *dict, uint32_t track, char room[TD_TRACK_NAME_BYTES])
{
    if (track == TD_NO_TRACK)
        return "";
    const struct td_track *t = td_dict_get_track(dict, track);
    const char *name = td_dict_text(dict, t->name);
    char line[32] = "";
    if (t->line)
        snprintf(line, sizeof line, ", line %" PRIu32, t->line + 1);
    if (*name && !t->line)
        return name;
    if (*name)
        snprintf(room, TD_TRACK_NAME_BYTES, "%.*s%s", (int)(TD_TRACK_NAME_BYTES - sizeof line), name, line);
    else if (t->kind == TD_TRACK_CORE)
        snprintf(room, TD_TRACK_NAME_BYTES, "chip %u tile %u,%u core %u", t->chip, t->x, t->y, t->core);
    else
        snprintf(room, TD_TRACK_NAME_BYTES, "%s %" PRIu64 "%s", t->kind == TD_TRACK_GPU ? "row" : "thread",
                 t->thread, line);
    return room;
}

/* What the track of a GPU context is called: the context, the thread that sent the zones, the line. */
static void name_gpu_track(const struct td_trace *trace, const struct td_track *track, char *room)
{
    const struct td_dict *dict = td_trace_dict(trace);
    const struct td_series *contexts = td_trace_table(trace, TD_TABLE_GPU_CONTEXT);
    const uint64_t context = track->context - 1;
    char name[TD_TRACK_LONG_NAME_BYTES / 3] = "", thread[TD_TRACK_LONG_NAME_BYTES / 3] = "", line[32] = "";
    if (context < td_series_count(contexts))
        td_plain_copy(name, sizeof name,
                      td_dict_text(dict, (uint32_t)td_series_get(contexts, context, TD_GPU_CONTEXT_NAME)));
    if (!*name)
        snprintf(name, sizeof name, "GPU context %" PRIu64, context);
    for (uint32_t t = 0; track->thread && t < td_dict_track_count(dict) && !*thread; t++) {
        const struct td_track *other = td_dict_get_track(dict, t);
        if (!other->context && other->thread == track->thread && other->name)
            td_plain_copy(thread, sizeof thread, td_dict_text(dict, other->name));
    }
    if (track->kind == TD_TRACK_CORE)
        snprintf(thread, sizeof thread, "chip %u tile %u,%u core %u", track->chip, track->x, track->y,
                 track->core);
    else if (track->thread && !*thread)
        snprintf(thread, sizeof thread, "row %" PRIu64, track->thread);
    if (track->line)
        snprintf(line, sizeof line, ", line %" PRIu32, track->line + 1);
    snprintf(room, TD_TRACK_LONG_NAME_BYTES, "%s%s%s%s", name, *thread ? ": " : "", thread, line);
}

const char *td_track_long_name(const struct td_trace *trace, uint32_t number,
                               char room[TD_TRACK_LONG_NAME_BYTES])
{
    const struct td_track *track = td_dict_get_track(td_trace_dict(trace), number);
    const char *name = td_dict_text(td_trace_dict(trace), track->name);
    if (track->name && !track->line)
        return name;
    if (track->name) {
        td_plain_copy(room, TD_TRACK_LONG_NAME_BYTES - 32, name);
        snprintf(room + strlen(room), 32, ", line %" PRIu32, track->line + 1);
    } else if (track->context) {
        name_gpu_track(trace, track, room);
    } else {
        return "???";
    }
    return room;
}
