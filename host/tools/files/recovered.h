/* Writes the trace of a recording of boards and programs (`tendril record`) that was replayed from its
 * journal. */
#pragma once
#include "host/agent/journal/journal_replay.h"
#include "host/tools/files/output.h"

struct recovered {
    const struct td_journal_replay *replay;
    struct output *output;
    const char *format; /* NULL: that of the recording */
    uint64_t when_s;    /* date of the recording's end */
    int threads;        /* that pack the file */
    int quiet;
};

/* The recording is one of `tendril record`. */
bool recovered_is_recording(const struct td_journal_replay *replay);
/* Adds the recorder's note of the trace's clock. 0 or TD_E_NOMEM. */
int recovered_note_clock(const struct td_journal_replay *replay, struct td_trace *trace, struct td_err *err);
/* Date of the recording's end, since 1970; last_ns: that of the journal's last block. */
uint64_t recovered_when(const struct td_journal_replay *replay, int64_t last_ns);
/* Finishes the trace and writes it; prints a summary. 0 or a negative enum td_e. */
int recovered_save(const struct recovered *recovered, struct td_trace *trace, struct td_err *err);
