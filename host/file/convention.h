/* What Tendril's own facts look like in a file that stock Tracy reads too: the one place where they are put
 * in and recognised.
 *
 * - Source locations: their colour has a fourth byte that every Tracy ignores: the flags TD_SRCLOC_WAIT and
 *   TD_SRCLOC_LOST. Files that went through other programs lose it; then the names TD_NAME_STALL and
 * TD_NAME_LOST and the colour TD_WAIT_COLOR tell.
 * - Tracks of cores: thread ids and names of proto/track.h.
 * - A track whose clock could not be related to the host's: an app info line "tendril.unsynced: THREAD". */
#ifndef TD_HOST_FILE_CONVENTION_H
#define TD_HOST_FILE_CONVENTION_H
#include "host/event/dict.h"

#define TD_LOST_COLOR    0xe3178a /* of stalls and losses: nothing else is that pink */
#define TD_NOTE_UNSYNCED "tendril.unsynced"

/* Colour of a location as the file has it, R in the lowest byte. */
uint32_t td_file_color(const struct td_srcloc *srcloc);
/* The reverse: sets color and flags; `name` is what the zone is called. */
void td_file_uncolor(struct td_srcloc *srcloc, uint32_t color, const char *name);
/* 0x00RRGGBB <-> R in the lowest byte. */
uint32_t td_file_swap_color(uint32_t color);
/* Sets kind and place from the thread id. */
void td_file_track_place(struct td_track *track);
/* Order of a core's track among all threads, for tracks that have no hint of their own. */
int32_t td_file_group_hint(const struct td_track *track);
#endif
