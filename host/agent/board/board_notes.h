/* What a trace notes about the boards of a recording: names, clock error, losses, faults and damage. */
#pragma once
#include "host/agent/board/board_source.h"
#include "host/trace/trace.h"

/* A board whose source has finished. */
struct td_noted_board {
    const struct td_board *board;
    const struct td_board_source *source;
};

/* The counts of all boards; the greatest clock_error_ns. */
struct td_board_summary td_board_notes_sum(const struct td_noted_board *boards, size_t count);
/* 0 or TD_E_NOMEM. */
int td_board_notes_write(struct td_trace *trace, const struct td_noted_board *boards, size_t count,
                         struct td_err *err);
/* Sets the name of a recording and its date; 0: virtual time, in which the same input gives the same bytes, so
 * that the trace has no date. 0 or TD_E_NOMEM. */
int td_board_notes_name(struct td_trace *trace, const char *name, uint64_t capture_time_s,
                        struct td_err *err);
