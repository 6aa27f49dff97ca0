/* Zones that cores record with their tile's timestamper (proto/device/stamp.h): the stream of a tile becomes STAMPED
 * packets in the words of the lanes, at the place where the cores would have written them. So code
 * that takes the words of a lane need not know where a zone comes from.
 *
 * A lane's packets and its core's events are merged by their times. The stream is read after the lane, so all
 * events that are older than the lane's last packet are there. Younger ones wait until the lane has been looked at
 * once more.
 *
 * The stream says only that events were lost, not how many. So the counts of lost zones are the least possible
 * ones. Private to the drain. */
#pragma once
#include "host/device/drain/drain.h"

#include <stdbool.h>

struct td_stamps;

/* Of all tiles of the board's grid. NULL with an error: no memory. */
struct td_stamps *td_stamps_create(struct td_transport *t, const struct td_board *board, struct td_err *err);
/* Frees; the timestampers stop writing where td_stamps_arm() has begun it. */
void td_stamps_destroy(struct td_stamps *stamps);
/* The tile's timestamper begins to write events. */
int td_stamps_arm(struct td_stamps *stamps, struct td_tile_at at, uint32_t first_lane, struct td_err *err);

/* A core of the tile has begun a launch whose zones are stamped. Until then the tile's words pass as they are. */
bool td_stamps_is_used(const struct td_stamps *stamps, uint32_t first_lane);

/* One round over a tile: begin, then the lanes' words through td_stamps_words(), whose `self` is the stamps, then
 * end. What results goes to `words`. */
void td_stamps_begin_round(struct td_stamps *stamps, uint32_t first_lane, td_drain_words *words, void *self);
td_drain_words td_stamps_words;
/* looked[core]: there was nothing in that lane any more. Adds the number of new events to *taken. */
int td_stamps_end_round(struct td_stamps *stamps, const struct td_lane_at *first, const bool *looked,
                        size_t *taken, struct td_err *err);
/* After the last round: all that waits, and the zones that are open. */
int td_stamps_finish(struct td_stamps *stamps, const struct td_lane_at *lane, td_drain_words *words,
                     void *self, struct td_err *err);
