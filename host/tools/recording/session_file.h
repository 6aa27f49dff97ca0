/* Writes the trace of one session to a file, for capture and import. */
#pragma once
#include "host/agent/client/client_stream.h"
#include "host/tools/files/output.h"
#include "host/trace/trace.h"

#include <time.h>

struct session_file {
    struct output *output;
    const char *format; /* of --format; NULL or "same": the program's own release */
    time_t when;        /* of the capture */
    int threads;        /* that pack the file; 0: one for each processor */
    /* NULL: a trace without a Tracy client. Then only `program` of the following is used, and without a
     * format the file is for all releases. */
    const struct td_wire_welcome *welcome;
    const char *program; /* only without `welcome` */
    const struct td_wire_release *release;
    const struct td_client_counts *counts;
    uint64_t frame_offset;
};

/* 0, or TD_E_USAGE: no such format. To be called before the session is recorded. */
int session_file_check(const char *format, struct td_err *err);
/* Sets the facts of a trace that is not finished, and the options of its file. 0 or a negative enum td_e. */
int session_file_prepare(const struct session_file *session, struct td_trace *trace,
                         struct td_file_options *options, struct td_err *err);
/* Finishes the trace and writes it with output_write(). Prints to standard error what the format cannot hold.
 */
int session_file_save(const struct session_file *session, struct td_trace *trace, struct td_err *err);
/* Prints a summary to standard output; `welcome` is not NULL. */
void session_file_print(const struct session_file *session, const struct td_trace *trace);
