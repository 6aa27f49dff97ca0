/* Where the notes of a trace are kept: $XDG_DATA_HOME/tendril/notes (or ~/.local/share/tendril/notes), in a file
 * named after the program and the time of its capture, or, without a time, the checksum of its file. */
#pragma once
#include "host/trace/trace.h"
#include "host/viewer/model/annotations.h"

/* Reads the notes of the trace. `sum`: td_trace_file_sum() of its file. 0: they are there, or there are none. */
int td_notes_read(struct td_annotations *notes, const struct td_trace_info *info, uint64_t sum,
                  struct td_err *err);
/* Replaces the file as a whole; without notes, removes it. */
int td_notes_write(const struct td_annotations *notes, const struct td_trace_info *info, uint64_t sum,
                   struct td_err *err);
