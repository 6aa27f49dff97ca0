/* Makes a board's events from what a tap has seen (board_tap.h), without the board.
 *
 *   create; stream (board_source.h); words, clock ... in the order in which the tap saw them; finish
 *
 * The values may be hostile. */
#pragma once
#include "host/agent/board/board_source.h"
#include "host/agent/board/board_tap.h"
#include "host/device/drain/drain.h"

#include <stdbool.h>

/* Like td_board_source_create(), but without a board to drain. TD_E_LIMIT: it has too many lanes. */
struct td_board_source *td_board_replay_create(const struct td_board *board,
                                               const struct td_board_source_options *options,
                                               struct td_dict *dict, struct td_err *err);
/* `at` has its index and the gap's members. 0, TD_E_FORMAT (no such lane), TD_E_NOMEM. */
int td_board_replay_words(struct td_board_source *source, const struct td_lane_at *at, const uint32_t *words,
                          size_t slots, struct td_err *err);
int td_board_replay_damaged(struct td_board_source *source, const struct td_lane_at *at, uint32_t address,
                            uint32_t slots, struct td_err *err);
/* The sample of the last chip sends on what is due, as td_board_source_sync() does. */
int td_board_replay_clock(struct td_board_source *source, uint32_t chip, const struct td_clock_sample *sample,
                          struct td_err *err);
int td_board_replay_opens(struct td_board_source *source, uint32_t lane, uint64_t before, uint64_t after,
                          const uint32_t *words, size_t count, struct td_err *err);
int td_board_replay_sample(struct td_board_source *source, const struct td_core_sample *sample,
                           struct td_err *err);
/* tt-metal's buffers, which the board has in place of lanes. */
int td_board_replay_tt_layout(struct td_board_source *source, const char *layout, struct td_err *err);
int td_board_replay_tt_zone(struct td_board_source *source, const char *line, size_t bytes,
                            struct td_err *err);
int td_board_replay_tt_words(struct td_board_source *source, const struct td_tt_ring_words *words,
                             struct td_err *err);
int td_board_replay_tt_launch(struct td_board_source *source, const struct td_tt_launch *launch,
                              struct td_err *err);
/* Lanes without control words end as if the board had gone. */
int td_board_replay_control(struct td_board_source *source, uint32_t lane, bool joined,
                            const uint32_t ctrl[32], struct td_err *err);
void td_board_replay_finished(struct td_board_source *source, uint64_t lost_slots, uint64_t bad_frames);
