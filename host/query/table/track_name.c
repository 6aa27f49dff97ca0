#include "host/query/table/track_name.h"

#include <inttypes.h>
#include <stdio.h>

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
