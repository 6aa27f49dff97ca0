/* How Tendril keeps its own facts in a file that stock Tracy reads too. Only this module encodes and decodes
 * them.
 *
 * - Source locations: the flags TD_SRCLOC_WAIT and TD_SRCLOC_LOST are in the fourth byte of the colour, which
 *   Tracy ignores. Other programs that write the file drop this byte; then the flags follow from the names
 *   TD_NAME_STALL and TD_NAME_LOST and from the colour TD_WAIT_COLOR.
 * - Tracks of cores: thread ids and names of proto/track.h.
 * - A track whose clock could not be related to the host's: the note TD_NOTE_UNSYNCED. */
#pragma once
#include "host/event/dict.h"

#define TD_LOST_COLOR 0xe3178a /* of stalls and losses; nothing else has this pink */

/* The colour of a location in the file, with R in the lowest byte. */
uint32_t td_file_color(const struct td_srcloc *srcloc);
/* The reverse: sets the location's color and flags; `name` is the zone's name. */
void td_file_uncolor(struct td_srcloc *srcloc, uint32_t color, const char *name);
/* 0x00RRGGBB <-> R in the lowest byte. */
uint32_t td_file_swap_color(uint32_t color);
/* Sets kind, chip, x, y and core of a device's track from its thread id. */
void td_file_track_place(struct td_track *track);
/* The track's group hint (its order among all threads); for a core without one, a hint from its place. */
int32_t td_file_group_hint(const struct td_track *track);
